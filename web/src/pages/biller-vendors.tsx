import { Anchor, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { billerVendorsQuery, vendorsQuery } from '../api/billpay-queries.ts';
import type { Biller, Vendor } from '../api/billpay-shapes.ts';
import { Link } from '../parts/link.tsx';
import { Panel } from '../parts/panel.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { useMay } from '../shell/session.tsx';
import { VendorBadge } from './vendors.tsx';
import { Grant, useVisibility, Withdraw } from './visibility.tsx';

/** Which vendors may take payments for the biller. */
export function BillerVendors({ biller }: { readonly biller: Biller }) {
  const viewers = useQuery(billerVendorsQuery(biller.Code));
  const { data: vendors = [] } = useQuery(vendorsQuery);
  const mayGrant = useMay('operator');
  const setVisible = useVisibility();
  const seeing = viewers.data?.VendorIds ?? [];
  const others = vendors.filter(({ VendorId }) => !seeing.includes(VendorId));
  return (
    <Panel
      title="Vendors that see it"
      flush
      aside={
        mayGrant &&
        viewers.data && (
          <Grant
            label="Vendor to grant it to"
            placeholder="Another vendor"
            choices={others.map(({ VendorId, Name }) => ({ value: VendorId, label: Name }))}
            grant={(vendorId) => setVisible(vendorId, biller.Code, true)}
          />
        )
      }
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
        <Withdraw vendorId={props.vendorId} vendorName={name} billerCode={props.biller.Code} />
      </Table.Td>
    </Table.Tr>
  );
}
