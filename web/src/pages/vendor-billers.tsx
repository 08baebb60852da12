import { Anchor, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { billersQuery, vendorBillersQuery } from '../api/billpay-queries.ts';
import type { Biller, Vendor } from '../api/billpay-shapes.ts';
import { Link } from '../parts/link.tsx';
import { Panel } from '../parts/panel.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { useMay } from '../shell/session.tsx';
import { BillerBadge } from './billers.tsx';
import { Grant, useVisibility, Withdraw } from './visibility.tsx';

export function VendorBillers({ vendor }: { readonly vendor: Vendor }) {
  const visible = useQuery(vendorBillersQuery(vendor.VendorId));
  const { data: billers = [] } = useQuery(billersQuery);
  const mayGrant = useMay('operator');
  const setVisible = useVisibility();
  const codes = visible.data?.BillerCodes ?? [];
  const others = billers.filter(({ Code }) => !codes.includes(Code));
  return (
    <Panel
      title="Billers it sees"
      flush
      aside={
        mayGrant &&
        visible.data && (
          <Grant
            label="Biller to grant"
            placeholder="Another biller"
            choices={others.map(({ Code, Name }) => ({ value: Code, label: Name }))}
            grant={(code) => setVisible(vendor.VendorId, code, true)}
          />
        )
      }
    >
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
        <Withdraw vendorId={props.vendor.VendorId} vendorName={props.vendor.Name} billerCode={props.code} />
      </Table.Td>
    </Table.Tr>
  );
}
