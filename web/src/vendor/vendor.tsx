import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { Vendor } from '../api/answers.ts';
import { live } from '../api/queries.ts';
import { SuspensionBadge } from '../parts/badges.tsx';
import { LinkButton } from '../parts/links.tsx';
import { List } from '../parts/list.tsx';
import { PageTabs } from '../parts/page-tabs.tsx';
import { Page } from '../parts/panel.tsx';
import { Loaded } from '../parts/states.tsx';
import { TokenList } from '../parts/tokens.tsx';
import { useTimes } from '../parts/use-times.ts';
import { PAYMENTS } from '../payment/payments.tsx';
import { usePeopleTab } from '../people/people-list.tsx';
import { ActAs } from '../shell/acting-for.tsx';
import { VendorBillers } from './vendor-billers.tsx';
import { VendorDeliveries } from './vendor-deliveries.tsx';
import { VendorSettings } from './vendor-settings.tsx';

export function VendorPage() {
  const { dateOnly } = useTimes();
  const { vendorId = '' } = useParams({ strict: false });
  const vendor = useQuery(live('GET /api/admin/vendors/:vendorId', { params: { vendorId } }));
  const found = vendor.data;
  return (
    <Page
      title={found?.Name ?? 'Vendor'}
      back={{ to: '/vendors', label: 'Vendors' }}
      badges={found && <SuspensionBadge of={found} />}
      lead={found && `${found.Code}, added ${dateOnly(found.CreatedAt)}`}
      actions={
        <>
          <ActAs kind="vendor" id={vendorId} />
          <LinkButton to="/endpoints" search={{ VendorId: vendorId }}>
            Endpoints
          </LinkButton>
        </>
      }
    >
      <Loaded query={vendor} rows={8}>
        {(detail) => <VendorTabs vendor={detail} />}
      </Loaded>
    </Page>
  );
}

function VendorTabs({ vendor }: { readonly vendor: Vendor }) {
  return (
    <PageTabs
      tabs={[
        { name: 'Settings', content: <VendorSettings vendor={vendor} />, isKept: true },
        { name: 'Billers', of: 'GET /api/admin/vendors/:vendorId/billers', content: <VendorBillers vendor={vendor} /> },
        {
          name: 'Tokens',
          of: 'GET /api/admin/tokens',
          content: <TokenList title="Tokens" owner={{ VendorId: vendor.VendorId }} />,
        },
        usePeopleTab({ VendorId: vendor.VendorId }),
        { name: 'Payments', of: 'GET /api/admin/payments', content: <VendorPayments vendor={vendor} /> },
        { name: 'Callback', of: 'GET /api/admin/webhook-deliveries', content: <VendorDeliveries vendor={vendor} /> },
      ]}
    />
  );
}

function VendorPayments({ vendor: { VendorId } }: { readonly vendor: Vendor }) {
  return <List {...PAYMENTS} given={{ query: { VendorId } }} limit={20} />;
}
