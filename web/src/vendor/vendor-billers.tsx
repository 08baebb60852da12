import { useQuery } from '@tanstack/react-query';
import type { Vendor } from '../api/answers.ts';
import { useBillerChoices, useBillers } from '../api/choices.ts';
import { live } from '../api/queries.ts';
import { VisibilityPanel } from '../biller/visibility.tsx';
import { BillerBadge } from '../parts/billpay-badges.tsx';
import { BillerLink } from '../parts/links.tsx';
import { Empty } from '../parts/states.tsx';

export function VendorBillers({ vendor }: { readonly vendor: Vendor }) {
  const billers = useBillers();
  return (
    <VisibilityPanel
      title="Billers it sees"
      query={useQuery(live('GET /api/admin/vendors/:vendorId/billers', { params: { vendorId: vendor.VendorId } }))}
      idsOf={({ BillerCodes }) => BillerCodes}
      choices={useBillerChoices()}
      grantLabel="Biller to grant"
      pairOf={(billerCode) => ({ vendorId: vendor.VendorId, billerCode })}
      show={(code) => {
        const biller = billers.find(({ Code }) => Code === code);
        return {
          link: <BillerLink code={code}>{biller?.Name}</BillerLink>,
          note: code,
          badge: biller && <BillerBadge biller={biller} />,
          vendorName: vendor.Name,
        };
      }}
      empty={
        <Empty icon="biller" title="None yet">
          Until a biller is granted to it, the vendor sees none and cannot pay.
        </Empty>
      }
    />
  );
}
