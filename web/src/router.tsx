import { Text } from '@mantine/core';
import { createRootRoute, createRoute, createRouter } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { addressOf } from '../../src/contract/shared/address.ts';
import type { TenantRole } from '../../src/contract/shared/values.ts';
import { AlertsPage } from './alert/alerts.tsx';
import { OutagePage } from './alert/outage.tsx';
import { filledIn } from './api/client.ts';
import { usePerson } from './api/session.ts';
import { BillerPage, NewBillerPage } from './biller/biller.tsx';
import { BillersPage } from './biller/billers.tsx';
import { DevicePage } from './device/device.tsx';
import { DevicesPage } from './device/devices.tsx';
import { RegisterDevicePage } from './device/register-device.tsx';
import { RegisterListPage } from './device/register-list.tsx';
import { EndpointPage } from './endpoint/endpoint.tsx';
import { EndpointsPage } from './endpoint/endpoints.tsx';
import { AuditPage } from './operator/audit.tsx';
import { PeoplePage } from './operator/people.tsx';
import { SettingsPage } from './operator/settings.tsx';
import { TokensPage } from './operator/tokens.tsx';
import { OverviewPage } from './overview/overview.tsx';
import type { IconName } from './parts/icons.tsx';
import { TextLink } from './parts/links.tsx';
import { Page, Panel } from './parts/panel.tsx';
import { Empty, Failure } from './parts/states.tsx';
import { InvoicePage } from './payment/invoice.tsx';
import { PaymentPage } from './payment/payment.tsx';
import { PaymentsPage } from './payment/payments.tsx';
import { ReceiptPage } from './receipt/receipt.tsx';
import { ReceiptsPage } from './receipt/receipts.tsx';
import { TryItPage } from './receipt/try-it.tsx';
import { Frame, type Section, type SectionGroup } from './shell/frame.tsx';
import { TaxpayerPage } from './taxpayer/taxpayer.tsx';
import { TaxpayersPage } from './taxpayer/taxpayers.tsx';
import { VendorPage } from './vendor/vendor.tsx';
import { VendorsPage } from './vendor/vendors.tsx';

/** What is in an address is text: a reference of digits must not become a number. */
function textOnly(search: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(Object.entries(search).map(([key, value]) => [key, String(value)]));
}

/** A page and where it is; with a label and an icon it has a place in the navigation, for whom it is. */
const page = (
  path: string,
  component: () => ReactNode,
  label?: string,
  icon?: IconName,
  access: Section['access'] = 'viewer',
) => ({
  route: createRoute({ getParentRoute: () => root, path, component, validateSearch: textOnly }),
  sections: label && icon ? [{ to: path, label, icon, access }] : [],
});

const ofTenants = (role: TenantRole) => ({ taxpayer: role, vendor: role, biller: role, practice: role });

/** Every page of the console, in the order of the navigation. */
const GROUPS = [
  {
    title: 'Receipts',
    pages: [
      page('/', Home, 'Overview', 'overview'),
      page('/devices', DevicesPage, 'Devices', 'device'),
      page('/devices/register', RegisterDevicePage),
      page('/devices/register-list', RegisterListPage),
      page('/devices/$deviceId', DevicePage),
      page('/receipts', ReceiptsPage, 'Receipts', 'receipt'),
      page('/receipts/$deviceId/$globalCounter', ReceiptPage),
      page('/alerts', AlertsPage, 'Alerts', 'alert'),
      page('/alerts/$alertId', OutagePage),
      page('/try', TryItPage, 'Try it', 'try'),
    ],
  },
  {
    title: 'Bill payments',
    pages: [
      page('/payments', PaymentsPage, 'Payments', 'payments'),
      page('/payments/$billPayReference', PaymentPage),
      page('/invoices/$reference', InvoicePage),
      page('/billers', BillersPage, 'Billers', 'biller'),
      page('/billers/new', NewBillerPage),
      page('/billers/$billerCode', BillerPage),
      page('/vendors', VendorsPage, 'Vendors', 'vendor'),
      page('/vendors/$vendorId', VendorPage),
    ],
  },
  {
    title: 'Administration',
    pages: [
      page('/taxpayers', TaxpayersPage, 'Taxpayers', 'taxpayer'),
      page('/taxpayers/$taxpayerId', TaxpayerPage),
      page('/tokens', TokensPage, 'Tokens', 'token', 'admin'),
      page('/endpoints', EndpointsPage, 'Endpoints', 'endpoint'),
      page('/endpoints/$endpointId', EndpointPage),
      page('/people', PeoplePage, 'People', 'operator', { installation: 'admin', ...ofTenants('owner') }),
      page('/audit', AuditPage, 'Audit log', 'audit'),
      page('/settings', SettingsPage, 'Settings', 'settings', { installation: 'viewer', ...ofTenants('viewer') }),
    ],
  },
];

const groups: readonly SectionGroup[] = GROUPS.map(({ title, pages }) => ({
  title,
  sections: pages.flatMap(({ sections }) => sections),
}));

const root = createRootRoute({
  component: () => <Frame groups={groups} />,
  notFoundComponent: NotThere,
  errorComponent: Broken,
});

export const router = createRouter({
  routeTree: root.addChildren(GROUPS.flatMap(({ pages }) => pages.map(({ route }) => route))),
  basepath: '/console',
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => addressOf('', {}, filledIn(search)),
});

function NotThere() {
  return (
    <Page title="Nothing here">
      <Panel>
        <Empty icon="search" title="There is no page at this address">
          <TextLink to="/">To the overview</TextLink>
        </Empty>
      </Panel>
    </Page>
  );
}

function Broken(props: { readonly error: unknown }) {
  const error = props.error instanceof Error ? props.error : new Error(String(props.error));
  return (
    <Page title="This page failed">
      <Failure error={error} onRetry={() => window.location.reload()} />
      <Text c="dimmed">Everything here can also be done with the API, or with the command line.</Text>
    </Page>
  );
}

/** The overview is of the whole installation. */
function Home() {
  return usePerson().Tenant.Kind === 'installation' ? <OverviewPage /> : <SettingsPage />;
}
