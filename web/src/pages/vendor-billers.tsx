import { useQuery } from '@tanstack/react-query';
import { billersQuery, vendorBillersQuery } from '../api/billpay-queries.ts';
import type { Vendor } from '../api/billpay-shapes.ts';
import { DataTable, WithNote } from '../parts/data-table.tsx';
import { BillerLink } from '../parts/links.tsx';
import { Panel } from '../parts/panel.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { BillerBadge } from './billers.tsx';
import { Grant, Withdraw } from './visibility.tsx';

export function VendorBillers({ vendor }: { readonly vendor: Vendor }) {
  const visible = useQuery(vendorBillersQuery(vendor.VendorId));
  const { data: billers = [] } = useQuery(billersQuery);
  const codes = visible.data?.BillerCodes ?? [];
  const others = billers.filter(({ Code }) => !codes.includes(Code));
  return (
    <Panel
      title="Billers it sees"
      flush
      aside={
        visible.data && (
          <Grant
            label="Biller to grant"
            choices={others.map(({ Code, Name }) => ({ value: Code, label: Name }))}
            pairOf={(billerCode) => ({ vendorId: vendor.VendorId, billerCode })}
          />
        )
      }
    >
      <Loaded query={visible}>
        {({ BillerCodes }) =>
          BillerCodes.length === 0 ? (
            <Empty icon="biller" title="None yet">
              Until a biller is granted to it, the vendor sees none and cannot pay.
            </Empty>
          ) : (
            <DataTable
              rows={BillerCodes.map((code) => ({ code, biller: billers.find((biller) => biller.Code === code) }))}
              keyOf={({ code }) => code}
              hasNoHead
              columns={[
                {
                  name: 'Biller',
                  cell: ({ code, biller }) => (
                    <WithNote note={code}>
                      <BillerLink code={code} fw={600}>
                        {biller?.Name}
                      </BillerLink>
                    </WithNote>
                  ),
                },
                { name: 'State', cell: ({ biller }) => biller && <BillerBadge biller={biller} /> },
                {
                  name: '',
                  cell: ({ code }) => (
                    <Withdraw vendorId={vendor.VendorId} vendorName={vendor.Name} billerCode={code} />
                  ),
                },
              ]}
            />
          )
        }
      </Loaded>
    </Panel>
  );
}
