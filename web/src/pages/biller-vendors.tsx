import { Anchor, Button, Group, Select, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { billerVendorsQuery, vendorsQuery } from '../api/billpay-queries.ts';
import type { Biller, Vendor } from '../api/billpay-shapes.ts';
import { ConfirmButton } from '../parts/confirm.tsx';
import { Link } from '../parts/link.tsx';
import { tellFailure } from '../parts/notify.ts';
import { Panel } from '../parts/panel.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { useMay } from '../shell/session.tsx';
import { useVisibility } from './vendor-billers.tsx';
import { VendorBadge } from './vendors.tsx';

/** Which vendors may take payments for the biller. */
export function BillerVendors({ biller }: { readonly biller: Biller }) {
  const viewers = useQuery(billerVendorsQuery(biller.Code));
  const { data: vendors = [] } = useQuery(vendorsQuery);
  const mayGrant = useMay('operator');
  const seeing = viewers.data?.VendorIds ?? [];
  const others = vendors.filter(({ VendorId }) => !seeing.includes(VendorId));
  return (
    <Panel
      title="Vendors that see it"
      flush
      aside={mayGrant && viewers.data && <Grant biller={biller} vendors={others} />}
    >
      <Loaded query={viewers}>
        {({ VendorIds }) =>
          VendorIds.length === 0 ? (
            <Empty icon="vendor" title="None yet">
              Until it is granted to a vendor, nobody sees the biller and nobody can pay.
            </Empty>
          ) : (
            <Table verticalSpacing="sm" horizontalSpacing="md">
              <Table.Tbody>
                {VendorIds.map((vendorId) => (
                  <VendorRow
                    key={vendorId}
                    biller={biller}
                    vendorId={vendorId}
                    vendor={vendors.find((vendor) => vendor.VendorId === vendorId)}
                  />
                ))}
              </Table.Tbody>
            </Table>
          )
        }
      </Loaded>
    </Panel>
  );
}

function VendorRow(props: { readonly biller: Biller; readonly vendorId: string; readonly vendor: Vendor | undefined }) {
  const setVisible = useVisibility();
  const mayGrant = useMay('operator');
  const name = props.vendor?.Name ?? props.vendorId;
  return (
    <Table.Tr>
      <Table.Td>
        <Anchor
          component={Link}
          to="/vendors/$vendorId"
          params={{ vendorId: props.vendorId }}
          fw={600}
          size="sm"
          className="wrap-anywhere"
        >
          {name}
        </Anchor>
        <Text size="xs" c="dimmed">
          {props.vendor?.Code}
        </Text>
      </Table.Td>
      <Table.Td visibleFrom="sm">{props.vendor && <VendorBadge vendor={props.vendor} />}</Table.Td>
      <Table.Td ta="right">
        {mayGrant && (
          <ConfirmButton
            label="Withdraw"
            title="Withdraw the biller"
            danger
            look={{ size: 'xs' }}
            doIt={() => setVisible(props.vendorId, props.biller.Code, false)}
          >
            {name} can take no more payments for {props.biller.Code}, and is told so. Payments made stay as they are.
          </ConfirmButton>
        )}
      </Table.Td>
    </Table.Tr>
  );
}

function Grant({ biller, vendors }: { readonly biller: Biller; readonly vendors: readonly Vendor[] }) {
  const setVisible = useVisibility();
  const [vendorId, setVendorId] = useState<string | null>(null);
  if (vendors.length === 0) return null;
  const grant = async () => {
    if (vendorId === null) return;
    await setVisible(vendorId, biller.Code, true);
    setVendorId(null);
  };
  return (
    <Group gap="xs">
      <Select
        size="xs"
        aria-label="Vendor to grant it to"
        placeholder="Another vendor"
        searchable
        data={vendors.map(({ VendorId, Name }) => ({ value: VendorId, label: Name }))}
        value={vendorId}
        onChange={setVendorId}
      />
      <Button size="xs" disabled={vendorId === null} onClick={() => void grant().catch(tellFailure)}>
        Grant
      </Button>
    </Group>
  );
}
