import { Text } from '@mantine/core';
import { createRootRoute, createRoute, createRouter } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { addressOf } from '../../src/contract/shared/address.ts';
import { AlertsPage } from './alert/alerts.tsx';
import { OutagePage } from './alert/outage.tsx';
import type { Address } from './api/answers.ts';
import { filledIn } from './api/client.ts';
import { useMay } from './api/session.ts';
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
import { OwnOverview } from './overview/own-overview.tsx';
import type { IconName } from './parts/icons.tsx';
import { TextLink } from './parts/links.tsx';
import { Page, Panel } from './parts/panel.tsx';
import { Empty, Failure } from './parts/states.tsx';
import { InvoicePage, PaymentPage } from './payment/payment.tsx';
import { PaymentsPage } from './payment/payments.tsx';
import { PracticePage } from './practice/practice.tsx';
import { PracticesPage } from './practice/practices.tsx';
import { ReceiptPage } from './receipt/receipt.tsx';
import { ReceiptsPage } from './receipt/receipts.tsx';
import { TryItPage } from './receipt/try-it.tsx';
import { Frame, type SectionGroup } from './shell/frame.tsx';
import { MonthPage } from './taxpayer/month.tsx';
import { TaxpayerPage } from './taxpayer/taxpayer.tsx';
import { TaxpayersPage } from './taxpayer/taxpayers.tsx';
import { VendorPage } from './vendor/vendor.tsx';
import { VendorsPage } from './vendor/vendors.tsx';

/** What is in an address is text: a reference of digits must not become a number. */
function textOnly(search: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(Object.entries(search).map(([key, value]) => [key, String(value)]));
}

/**
 * A page, where it is, and the operation that fills it: who may not use that has no such page. With a label and an icon it has a place in the
 * navigation; one of a single thing only for the people whose thing it is.
 */
const page = (path: string, Component: () => ReactNode, of?: Address, label?: string, icon?: IconName) => ({
  route: createRoute({
    getParentRoute: () => root,
    path,
    component: () => (useMay(of) ? <Component /> : <NotThere />),
    validateSearch: textOnly,
    staticData: { of },
  }),
  sections: label && icon ? [{ to: path, label, icon, of }] : [],
});

/** Every page of the console, in the order of the navigation. */
const GROUPS = [
  { title: '', pages: [page('/', Home, undefined, 'Overview', 'overview')] },
  {
    title: 'Receipts',
    pages: [
      page('/devices', DevicesPage, 'GET /api/admin/devices', 'Devices', 'device'),
      page('/devices/register', RegisterDevicePage, 'POST /api/admin/devices'),
      page('/devices/register-list', RegisterListPage, 'POST /api/admin/devices'),
      page('/devices/$deviceId', DevicePage, 'GET /api/admin/devices/:authorityDeviceId'),
      page('/receipts', ReceiptsPage, 'GET /api/admin/receipts', 'Receipts', 'receipt'),
      page('/receipts/$deviceId/$globalCounter', ReceiptPage, 'GET /api/admin/receipts'),
      page('/months', MonthPage, 'GET /api/admin/taxpayers/:taxpayerId/months/:month', 'Sales and VAT', 'month'),
      page('/alerts', AlertsPage, 'GET /api/admin/alerts', 'Alerts', 'alert'),
      page('/alerts/$alertId', OutagePage, 'GET /api/admin/alerts/:alertId'),
      page('/try', TryItPage, 'POST /api/admin/devices', 'Try it', 'try'),
    ],
  },
  {
    title: 'Bill payments',
    pages: [
      page('/payments', PaymentsPage, 'GET /api/admin/payments', 'Payments', 'payments'),
      page('/payments/$billPayReference', PaymentPage, 'GET /api/admin/payments/:billPayReference'),
      page('/invoices/$reference', InvoicePage, 'GET /api/admin/invoices/:reference'),
      page('/billers', BillersPage, 'GET /api/admin/billers', 'Billers', 'biller'),
      page('/billers/new', NewBillerPage, 'POST /api/admin/billers'),
      page('/billers/$billerCode', BillerPage, 'GET /api/admin/billers/:billerCode', 'Biller', 'biller'),
      page('/vendors', VendorsPage, 'GET /api/admin/vendors', 'Vendors', 'vendor'),
      page('/vendors/$vendorId', VendorPage, 'GET /api/admin/vendors/:vendorId', 'Vendor', 'vendor'),
    ],
  },
  {
    title: 'Administration',
    pages: [
      page('/taxpayers', TaxpayersPage, 'GET /api/admin/taxpayers', 'Taxpayers', 'taxpayer'),
      page('/taxpayers/$taxpayerId', TaxpayerPage, 'GET /api/admin/taxpayers/:taxpayerId', 'Company', 'taxpayer'),
      page('/tokens', TokensPage, 'GET /api/admin/tokens', 'Tokens', 'token'),
      page('/endpoints', EndpointsPage, 'GET /api/admin/endpoints', 'Endpoints', 'endpoint'),
      page('/endpoints/$endpointId', EndpointPage, 'GET /api/admin/endpoints/:endpointId'),
      // Of all taxpayers: the owner of one sees those that act for it among its people.
      page('/practices', PracticesPage, 'GET /api/admin/overview', 'Practices', 'practice'),
      page('/practices/$practiceId', PracticePage, 'GET /api/admin/overview'),
      page('/people', PeoplePage, 'GET /api/admin/people', 'People', 'operator'),
      page('/audit', AuditPage, 'GET /api/admin/audit', 'Audit log', 'audit'),
      page('/settings', SettingsPage, undefined, 'Settings', 'settings'),
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

function Home() {
  return useMay('GET /api/admin/overview') ? <OverviewPage /> : <OwnOverview />;
}
