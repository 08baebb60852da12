import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { Vendor } from '../api/answers.ts';
import { live } from '../api/queries.ts';
import { useMay } from '../api/session.ts';
import { SuspensionBadge } from '../parts/badges.tsx';
import { Link } from '../parts/link.tsx';
import { List } from '../parts/list.tsx';
import { PageTabs } from '../parts/page-tabs.tsx';
import { Page } from '../parts/panel.tsx';
import { Loaded } from '../parts/states.tsx';
import { TokensPanel } from '../parts/tokens.tsx';
import { useTimes } from '../parts/use-times.ts';
import { PAYMENTS } from '../payment/payments.tsx';
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
        <Button component={Link} to="/endpoints" search={{ VendorId: vendorId }} variant="default">
          Endpoints
        </Button>
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
        { name: 'Billers', content: <VendorBillers vendor={vendor} /> },
        useMay('admin') && { name: 'Tokens', content: <TokensPanel owner={{ VendorId: vendor.VendorId }} /> },
        { name: 'Payments', content: <VendorPayments vendor={vendor} /> },
        { name: 'Callback', content: <VendorDeliveries vendor={vendor} /> },
      ]}
    />
  );
}

function VendorPayments({ vendor: { VendorId } }: { readonly vendor: Vendor }) {
  return <List {...PAYMENTS} given={{ query: { VendorId } }} limit={20} />;
}
