import { Anchor, Button, Group, Select, Table, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { billersQuery, vendorBillersQuery } from '../api/billpay-queries.ts';
import type { Biller, Vendor } from '../api/billpay-shapes.ts';
import { send } from '../api/client.ts';
import { ConfirmButton } from '../parts/confirm.tsx';
import { Link } from '../parts/link.tsx';
import { tell, tellFailure } from '../parts/notify.ts';
import { Panel } from '../parts/panel.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { useMay } from '../shell/session.tsx';
import { BillerBadge } from './billers.tsx';

/** Shows a biller to a vendor, or hides it again; both lists of them are read anew. */
export function useVisibility() {
  const client = useQueryClient();
  return async (vendorId: string, billerCode: string, isVisible: boolean) => {
    const path = `/api/admin/vendors/${vendorId}/billers/${encodeURIComponent(billerCode)}`;
    await send(path, { method: isVisible ? 'PUT' : 'DELETE' });
    tell(
      isVisible ? `${billerCode} is granted. The vendor is told.` : `${billerCode} is withdrawn. The vendor is told.`,
    );
    await client.invalidateQueries({ queryKey: ['live'] });
  };
}

export function VendorBillers({ vendor }: { readonly vendor: Vendor }) {
  const visible = useQuery(vendorBillersQuery(vendor.VendorId));
  const { data: billers = [] } = useQuery(billersQuery);
  const mayGrant = useMay('operator');
  const codes = visible.data?.BillerCodes ?? [];
  const others = billers.filter(({ Code }) => !codes.includes(Code));
  return (
    <Panel title="Billers it sees" flush aside={mayGrant && visible.data && <Grant vendor={vendor} billers={others} />}>
      <Loaded query={visible}>
        {({ BillerCodes }) =>
          BillerCodes.length === 0 ? (
            <Empty icon="biller" title="None yet">
              Until it is granted one, the vendor sees no biller and can pay nothing.
            </Empty>
          ) : (
            <Table verticalSpacing="sm" horizontalSpacing="md">
              <Table.Tbody>
                {BillerCodes.map((code) => (
                  <BillerRow
                    key={code}
                    vendor={vendor}
                    code={code}
                    biller={billers.find((biller) => biller.Code === code)}
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

function BillerRow(props: { readonly vendor: Vendor; readonly code: string; readonly biller: Biller | undefined }) {
  const setVisible = useVisibility();
  const mayGrant = useMay('operator');
  return (
    <Table.Tr>
      <Table.Td>
        <Anchor
          component={Link}
          to="/billers/$billerCode"
          params={{ billerCode: props.code }}
          fw={600}
          size="sm"
          className="wrap-anywhere"
        >
          {props.biller?.Name ?? props.code}
        </Anchor>
        <Text size="xs" c="dimmed">
          {props.code}
        </Text>
      </Table.Td>
      <Table.Td visibleFrom="sm">{props.biller && <BillerBadge biller={props.biller} />}</Table.Td>
      <Table.Td ta="right">
        {mayGrant && (
          <ConfirmButton
            label="Withdraw"
            title="Withdraw the biller"
            danger
            look={{ size: 'xs' }}
            doIt={() => setVisible(props.vendor.VendorId, props.code, false)}
          >
            {props.vendor.Name} can take no more payments for {props.code}, and is told so. Payments made stay as they
            are.
          </ConfirmButton>
        )}
      </Table.Td>
    </Table.Tr>
  );
}

function Grant({ vendor, billers }: { readonly vendor: Vendor; readonly billers: readonly Biller[] }) {
  const setVisible = useVisibility();
  const [code, setCode] = useState<string | null>(null);
  if (billers.length === 0) return null;
  const grant = async () => {
    if (code === null) return;
    await setVisible(vendor.VendorId, code, true);
    setCode(null);
  };
  return (
    <Group gap="xs">
      <Select
        size="xs"
        aria-label="Biller to grant"
        placeholder="Another biller"
        searchable
        data={billers.map(({ Code, Name }) => ({ value: Code, label: Name }))}
        value={code}
        onChange={setCode}
      />
      <Button size="xs" disabled={code === null} onClick={() => void grant().catch(tellFailure)}>
        Grant
      </Button>
    </Group>
  );
}
