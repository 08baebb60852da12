import { Text } from '@mantine/core';
import { createRootRoute, createRoute, createRouter } from '@tanstack/react-router';
import { AlertsPage } from './alert/alerts.tsx';
import { BillerPage, NewBillerPage } from './biller/biller.tsx';
import { BillersPage } from './biller/billers.tsx';
import { DevicePage } from './device/device.tsx';
import { DevicesPage } from './device/devices.tsx';
import { RegisterDevicePage } from './device/register-device.tsx';
import { RegisterListPage } from './device/register-list.tsx';
import { SetHeadPage } from './device/set-head.tsx';
import { AuditPage } from './operator/audit.tsx';
import { OperatorsPage } from './operator/operators.tsx';
import { SettingsPage } from './operator/settings.tsx';
import { OverviewPage } from './overview/overview.tsx';
import { TextLink } from './parts/links.tsx';
import { Page, Panel } from './parts/panel.tsx';
import { Empty, Failure } from './parts/states.tsx';
import { InvoicePage } from './payment/invoice.tsx';
import { PaymentPage } from './payment/payment.tsx';
import { PaymentsPage } from './payment/payments.tsx';
import { ReceiptPage } from './receipt/receipt.tsx';
import { ReceiptsPage } from './receipt/receipts.tsx';
import { TryItPage } from './receipt/try-it.tsx';
import { Frame } from './shell/frame.tsx';
import { TaxpayerPage } from './taxpayer/taxpayer.tsx';
import { TaxpayersPage } from './taxpayer/taxpayers.tsx';
import { TokensPage } from './taxpayer/tokens.tsx';
import { VendorPage } from './vendor/vendor.tsx';
import { VendorsPage } from './vendor/vendors.tsx';
import { WebhookPage } from './webhook/webhook.tsx';
import { WebhooksPage } from './webhook/webhooks.tsx';

const root = createRootRoute({ component: Frame, notFoundComponent: NotThere, errorComponent: Broken });

const page = (path: string, component: () => React.ReactNode) =>
  createRoute({ getParentRoute: () => root, path, component, validateSearch: textOnly });

/** What is in an address is text: a reference of digits must not become a number. */
function textOnly(search: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(Object.entries(search).map(([key, value]) => [key, String(value)]));
}

const routeTree = root.addChildren([
  page('/', OverviewPage),
  page('/devices', DevicesPage),
  page('/devices/register', RegisterDevicePage),
  page('/devices/register-list', RegisterListPage),
  page('/devices/$deviceId', DevicePage),
  page('/devices/$deviceId/head', SetHeadPage),
  page('/receipts', ReceiptsPage),
  page('/receipts/$deviceId/$globalCounter', ReceiptPage),
  page('/alerts', AlertsPage),
  page('/try', TryItPage),
  page('/payments', PaymentsPage),
  page('/payments/$billPayReference', PaymentPage),
  page('/invoices/$reference', InvoicePage),
  page('/billers', BillersPage),
  page('/billers/new', NewBillerPage),
  page('/billers/$billerCode', BillerPage),
  page('/vendors', VendorsPage),
  page('/vendors/$vendorId', VendorPage),
  page('/webhooks', WebhooksPage),
  page('/webhooks/$deliveryId', WebhookPage),
  page('/taxpayers', TaxpayersPage),
  page('/taxpayers/$taxpayerId', TaxpayerPage),
  page('/tokens', TokensPage),
  page('/operators', OperatorsPage),
  page('/audit', AuditPage),
  page('/settings', SettingsPage),
]);

export const router = createRouter({
  routeTree,
  basepath: '/console',
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== '');
    return given.length === 0 ? '' : `?${new URLSearchParams(given.map(([key, value]) => [key, String(value)]))}`;
  },
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
