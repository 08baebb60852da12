import { Group, Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { vendorQuery } from '../api/billpay-queries.ts';
import type { Vendor } from '../api/billpay-shapes.ts';
import { useList } from '../api/queries.ts';
import { Page, Panel } from '../parts/panel.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { useTimes } from '../parts/use-times.ts';
import { useMay } from '../shell/session.tsx';
import { PaymentTable } from './payments.tsx';
import { VendorBillers } from './vendor-billers.tsx';
import { VendorSettings } from './vendor-settings.tsx';
import { VendorTokens } from './vendor-tokens.tsx';
import { VendorBadge } from './vendors.tsx';
import { DeliveryTable } from './webhooks.tsx';

export function VendorPage() {
  const { dateOnly } = useTimes();
  const { vendorId = '' } = useParams({ strict: false });
  const vendor = useQuery(vendorQuery(vendorId));
  const found = vendor.data;
  return (
    <Page
      title={found?.Name ?? 'Vendor'}
      back={{ to: '/vendors', label: 'Vendors' }}
      lead={
        found && (
          <Group gap="xs">
            <VendorBadge vendor={found} />
            <span>
              {found.Code}, since {dateOnly(found.CreatedAt)}
            </span>
          </Group>
        )
      }
    >
      <Loaded query={vendor} rows={8}>
        {(detail) => <VendorTabs vendor={detail} />}
      </Loaded>
    </Page>
  );
}

function VendorTabs({ vendor }: { readonly vendor: Vendor }) {
  const mayIssue = useMay('admin');
  return (
    <Tabs defaultValue="settings" keepMounted={false}>
      <Tabs.List mb="md" className="one-line-tabs">
        <Tabs.Tab value="settings">Settings</Tabs.Tab>
        <Tabs.Tab value="billers">Billers</Tabs.Tab>
        {mayIssue && <Tabs.Tab value="tokens">Tokens</Tabs.Tab>}
        <Tabs.Tab value="payments">Payments</Tabs.Tab>
        <Tabs.Tab value="webhooks">Webhooks</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="settings">
        <VendorSettings vendor={vendor} />
      </Tabs.Panel>
      <Tabs.Panel value="billers">
        <VendorBillers vendor={vendor} />
      </Tabs.Panel>
      {mayIssue && (
        <Tabs.Panel value="tokens">
          <VendorTokens vendor={vendor} />
        </Tabs.Panel>
      )}
      <Tabs.Panel value="payments">
        <VendorPayments vendor={vendor} />
      </Tabs.Panel>
      <Tabs.Panel value="webhooks">
        <VendorDeliveries vendor={vendor} />
      </Tabs.Panel>
    </Tabs>
  );
}

function VendorPayments({ vendor }: { readonly vendor: Vendor }) {
  const payments = useList(
    ['live', 'payments'],
    'GET /api/admin/payments',
    'Payments',
    { query: { VendorId: vendor.VendorId } },
    20,
  );
  return (
    <Panel flush>
      <PaymentTable payments={payments} empty={<Empty icon="payments" title="No payment yet" />} />
    </Panel>
  );
}

function VendorDeliveries({ vendor }: { readonly vendor: Vendor }) {
  const deliveries = useList(
    ['live', 'deliveries'],
    'GET /api/admin/webhook-deliveries',
    'Deliveries',
    { query: { VendorId: vendor.VendorId } },
    20,
  );
  return (
    <Panel flush>
      <DeliveryTable
        deliveries={deliveries}
        empty={
          <Empty icon="webhook" title="Nothing was sent yet">
            {vendor.CallbackUrl === null && 'The vendor has no webhook URL, so it is not told of changes.'}
          </Empty>
        }
      />
    </Panel>
  );
}
