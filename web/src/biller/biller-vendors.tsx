import { useQuery } from '@tanstack/react-query';
import type { Biller } from '../api/answers.ts';
import { useVendorChoices, useVendors } from '../api/choices.ts';
import { live } from '../api/queries.ts';
import { SuspensionBadge } from '../parts/badges.tsx';
import { VendorLink } from '../parts/links.tsx';
import { Empty } from '../parts/states.tsx';
import { VisibilityPanel } from './visibility.tsx';

/** Which vendors may take payments for the biller. */
export function BillerVendors({ biller }: { readonly biller: Biller }) {
  const vendors = useVendors();
  return (
    <VisibilityPanel
      title="Vendors that see it"
      query={useQuery(live('GET /api/admin/billers/:billerCode/vendors', { params: { billerCode: biller.Code } }))}
      idsOf={({ VendorIds }) => VendorIds}
      choices={useVendorChoices()}
      grantLabel="Vendor to grant it to"
      pairOf={(vendorId) => ({ vendorId, billerCode: biller.Code })}
      show={(vendorId) => {
        const vendor = vendors.find(({ VendorId }) => VendorId === vendorId);
        const vendorName = vendor?.Name ?? vendorId;
        return {
          link: <VendorLink vendorId={vendorId}>{vendorName}</VendorLink>,
          note: vendor?.Code,
          badge: vendor && <SuspensionBadge of={vendor} />,
          vendorName,
        };
      }}
      empty={
        <Empty icon="vendor" title="None yet">
          Until it is granted to a vendor, no vendor sees the biller and it cannot be paid.
        </Empty>
      }
    />
  );
}
