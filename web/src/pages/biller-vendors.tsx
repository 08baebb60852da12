import { useQuery } from '@tanstack/react-query';
import { billerVendorsQuery, vendorsQuery } from '../api/billpay-queries.ts';
import type { Biller } from '../api/billpay-shapes.ts';
import { SuspensionBadge } from '../parts/badges.tsx';
import { DataTable, WithNote } from '../parts/data-table.tsx';
import { VendorLink } from '../parts/links.tsx';
import { Panel } from '../parts/panel.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { Grant, Withdraw } from './visibility.tsx';

/** Which vendors may take payments for the biller. */
export function BillerVendors({ biller }: { readonly biller: Biller }) {
  const viewers = useQuery(billerVendorsQuery(biller.Code));
  const { data: vendors = [] } = useQuery(vendorsQuery);
  const seeing = viewers.data?.VendorIds ?? [];
  const others = vendors.filter(({ VendorId }) => !seeing.includes(VendorId));
  return (
    <Panel
      title="Vendors that see it"
      flush
      aside={
        viewers.data && (
          <Grant
            label="Vendor to grant it to"
            choices={others.map(({ VendorId, Name }) => ({ value: VendorId, label: Name }))}
            pairOf={(vendorId) => ({ vendorId, billerCode: biller.Code })}
          />
        )
      }
    >
      <Loaded query={viewers}>
        {({ VendorIds }) =>
          VendorIds.length === 0 ? (
            <Empty icon="vendor" title="None yet">
              Until it is granted to a vendor, no vendor sees the biller and it cannot be paid.
            </Empty>
          ) : (
            <DataTable
              rows={VendorIds.map((id) => ({ id, vendor: vendors.find(({ VendorId }) => VendorId === id) }))}
              keyOf={({ id }) => id}
              hasNoHead
              columns={[
                {
                  name: 'Vendor',
                  cell: ({ id, vendor }) => (
                    <WithNote note={vendor?.Code}>
                      <VendorLink vendorId={id} fw={600}>
                        {vendor?.Name ?? id}
                      </VendorLink>
                    </WithNote>
                  ),
                },
                { name: 'State', cell: ({ vendor }) => vendor && <SuspensionBadge of={vendor} /> },
                {
                  name: '',
                  cell: ({ id, vendor }) => (
                    <Withdraw vendorId={id} vendorName={vendor?.Name ?? id} billerCode={biller.Code} />
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
