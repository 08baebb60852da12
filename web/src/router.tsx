import { Text } from '@mantine/core';
import { createRootRoute, createRoute, createRouter } from '@tanstack/react-router';
import { AlertsPage } from './pages/alerts.tsx';
import { AuditPage } from './pages/audit.tsx';
import { BillerPage, NewBillerPage } from './pages/biller.tsx';
import { BillersPage } from './pages/billers.tsx';
import { DevicePage } from './pages/device.tsx';
import { DevicesPage } from './pages/devices.tsx';
import { InvoicePage } from './pages/invoice.tsx';
import { OperatorsPage } from './pages/operators.tsx';
import { OverviewPage } from './pages/overview.tsx';
import { PaymentPage } from './pages/payment.tsx';
import { PaymentsPage } from './pages/payments.tsx';
import { ReceiptPage } from './pages/receipt.tsx';
import { ReceiptsPage } from './pages/receipts.tsx';
import { RegisterDevicePage } from './pages/register-device.tsx';
import { SettingsPage } from './pages/settings.tsx';
import { TaxpayerPage } from './pages/taxpayer.tsx';
import { TaxpayersPage } from './pages/taxpayers.tsx';
import { TokensPage } from './pages/tokens.tsx';
import { TryItPage } from './pages/try-it.tsx';
import { VendorPage } from './pages/vendor.tsx';
import { VendorsPage } from './pages/vendors.tsx';
import { WebhookPage } from './pages/webhook.tsx';
import { WebhooksPage } from './pages/webhooks.tsx';
import { TextLink } from './parts/links.tsx';
import { Page, Panel } from './parts/panel.tsx';
import { Empty, Failure } from './parts/states.tsx';
import { Frame } from './shell/frame.tsx';

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
  page('/devices/$deviceId', DevicePage),
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
      <Text size="sm" c="dimmed">
        Everything here can also be done with the API, or with the command line.
      </Text>
    </Page>
  );
}
