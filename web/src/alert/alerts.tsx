import { Group, Stack, Switch, Text } from '@mantine/core';
import { useState } from 'react';
import { adviceOn, factsOf } from '../../../src/contract/shared/kinds.ts';
import type { Alert } from '../api/answers.ts';
import { ActionButton } from '../parts/actions.tsx';
import { StateBadge } from '../parts/badges.tsx';
import { words } from '../parts/format.ts';
import { DeviceLink, EndpointLink, InvoiceLink, PaymentLink, TextLink, VendorLink } from '../parts/links.tsx';
import { ListPage } from '../parts/list.tsx';
import { useTimes } from '../parts/use-times.ts';
import { ReportBadge } from './outage.tsx';

/** An alert in every list of them. */
const ALERTS = {
  of: 'GET /api/admin/alerts',
  items: 'Alerts',
  icon: 'check',
  none: 'Nothing needs you',
  keyOf: (alert: Alert) => alert.Number,
} as const;

export function AlertsPage() {
  const [isAll, setAll] = useState(false);
  return (
    <ListPage
      {...ALERTS}
      given={{ query: isAll ? { IncludeCleared: true } : {} }}
      title="Alerts"
      lead="What needs a person. Most are resolved automatically when their cause is gone."
      actions={
        <>
          <TextLink to="/endpoints">Who is told</TextLink>
          <Switch label="Show resolved" checked={isAll} onChange={(event) => setAll(event.currentTarget.checked)} />
        </>
      }
      hint="When the authority refuses a receipt, a day does not close or a certificate is about to expire, you see it here."
      line={(alert) => <AlertLine alert={alert} isLong />}
    />
  );
}

export function AlertLine({ alert, isLong = false }: { readonly alert: Alert; readonly isLong?: boolean }) {
  const { moment } = useTimes();
  const isOpen = alert.ClearedAt === null;
  return (
    <Group px="md" py="sm" gap="sm" align="flex-start" wrap="nowrap" className="ruled">
      <Stack gap={4} style={{ flex: 1, minWidth: 0 }}>
        <Group gap="xs">
          <StateBadge color={isOpen ? (alert.AcknowledgedAt === null ? 'red' : 'yellow') : 'gray'}>
            {words(alert.Kind)}
          </StateBadge>
          {alert.Outage && <ReportBadge outage={alert.Outage} />}
          <Text size="xs" c="dimmed">
            {moment(alert.RaisedAt)}
          </Text>
        </Group>
        <Text className="wrap-anywhere" lineClamp={isLong ? undefined : 3}>
          {alert.Message}
        </Text>
        {isLong && isOpen && <Text c="dimmed">{adviceOn(alert.Kind)}</Text>}
        <Group gap="md">
          <Fix alert={alert} />
          {alert.AcknowledgedBy !== null && (
            <Text size="xs" c="dimmed">
              Acknowledged by {alert.AcknowledgedBy}
            </Text>
          )}
          {alert.ClearedAt !== null && (
            <Text size="xs" c="dimmed">
              Resolved {moment(alert.ClearedAt)}
            </Text>
          )}
        </Group>
      </Stack>
      {isOpen && alert.AcknowledgedAt === null && (
        <ActionButton
          label="Acknowledge"
          look={{ size: 'xs' }}
          of="POST /api/admin/alerts/:alertId/acknowledge"
          given={{ params: { alertId: alert.Number } }}
        />
      )}
    </Group>
  );
}

function Fix({ alert }: { readonly alert: Alert }) {
  const about = factsOf(alert.Kind)?.about;
  if (about === 'vendor') return <BillpayFix alert={alert} />;
  if (alert.Kind.startsWith('Receipt') || alert.Kind === 'NoteHeldBack') {
    const isRed = alert.Kind === 'ReceiptRed';
    const red = { State: 'Red', AuthorityDeviceId: String(alert.AuthorityDeviceId) } as const;
    return (
      <TextLink to="/receipts" search={isRed ? red : { Reference: alert.Subject }}>
        {isRed ? 'See red' : 'See receipt'} {alert.Subject}
      </TextLink>
    );
  }
  if (about === 'endpoint') return <EndpointLink endpointId={alert.Subject}>See the endpoint</EndpointLink>;
  if (alert.AuthorityDeviceId === null) return null;
  if (alert.Outage !== null) {
    return (
      <TextLink to="/alerts/$alertId" params={{ alertId: alert.Number }}>
        See the outage
      </TextLink>
    );
  }
  return <DeviceLink deviceId={alert.AuthorityDeviceId}>See device {alert.AuthorityDeviceId}</DeviceLink>;
}

/** Where it can be put right; nothing for what is not about bill payments. */
function BillpayFix({ alert }: { readonly alert: Alert }) {
  const { Kind, Subject, VendorId } = alert;
  if (Kind === 'PaymentFlagged') return <PaymentLink reference={Subject}>See the payment</PaymentLink>;
  if (Kind === 'WebhookExhausted' && VendorId !== null) {
    return (
      <VendorLink vendorId={VendorId} tab="Callback">
        See the vendor’s callback
      </VendorLink>
    );
  }
  return <InvoiceLink reference={Subject}>See invoice {Subject}</InvoiceLink>;
}
