import { Group, Stack, Switch, Text } from '@mantine/core';
import { useState } from 'react';
import type { AlertKind } from '../../../src/contract/shared/values.ts';
import type { Alert } from '../api/answers.ts';
import { call } from '../api/client.ts';
import { useList } from '../api/queries.ts';
import { useMay } from '../api/session.ts';
import { ActionButton } from '../parts/actions.tsx';
import { StateBadge } from '../parts/badges.tsx';
import { Listed } from '../parts/data-table.tsx';
import { words } from '../parts/format.ts';
import { DeviceLink, TextLink } from '../parts/links.tsx';
import { Page, Panel } from '../parts/panel.tsx';
import { Empty } from '../parts/states.tsx';
import { useTimes } from '../parts/use-times.ts';
import { BILLPAY_ADVICE, BillpayFix } from './billpay-alerts.tsx';

/** What to do, in a sentence; the message itself says what happened. */
const ADVICE: Readonly<Record<AlertKind, string>> = {
  ReceiptRefused: 'Open the receipt and decide: send it again, send it without the buyer, or give it up.',
  ReceiptRed: 'Ask the authority to close the day by hand, and find the cause, or it will happen again.',
  ReceiptUndeliverable: 'The receipts are kept as evidence. Settle them with the authority.',
  NoteHeldBack: 'Look at the device of the original: is it stopped or blocked?',
  DayCloseFailed: 'Remove the cause in the message, then close the day by hand on the page of the device.',
  DayNearMaximum: 'Remove what keeps the day from closing, then close it by hand.',
  DeviceRefused: 'Ask the authority to correct the device’s record. Tillseal keeps asking.',
  ConfigurationUnusable: 'Ask the authority to correct the device’s configuration. Tillseal asks for it every minute.',
  DeviceDiffers: 'Ask the authority whose device it is. If another taxpayer has it, block it here.',
  CertificateExpires: 'Find out why it could not be renewed: with an expired certificate nothing is sealed.',
  AnswerUnclear:
    'It is tried again automatically. If a receipt waits, look it up in the authority’s portal and decide on its page.',
  CertificateMissing: 'Nothing for the first day: it is asked for again, and everything is then checked.',
  SignatureInvalid: 'Verify the chain of the device, then ask the authority.',
  ClockWrong: 'Correct the clock of the machine (NTP). The alert clears automatically with the next ping.',
  DayOpenElsewhere: 'Someone else has opened a day for this device. Find out who uses its key.',
  RestoredFromBackup:
    'Nothing, as long as the authority can be reached: its answer releases the device or says why not.',
  AuthorityAhead:
    'Restore a newer backup, set the head of the chain on the page of the device, or continue with a new device.',
  CommitsWait: 'Bring the standby of the database back, or remove its name from synchronous_standby_names.',
  RowsLost:
    'Go back to the old database if it still exists; otherwise set the head of the chain on the page of the device.',
  TillBehind:
    'Look at the till: does it reach this service, and what does “tillseal outbox FILE” on it say of its first sale?',
  EndpointPaused: 'Mend the receiver at the address, send it a test event, then resume the endpoint.',
  DeviceStopped: 'Remove the cause in the message. Other alerts of this device say more about it.',
  ReportDue:
    'Report it to the authority: “tillseal outages” lists it, and “tillseal outages report NUMBER” has the text.',
  DevicesIncomplete: 'Register the missing devices, then say on the overview that all are here.',
  ...BILLPAY_ADVICE,
};

export function AlertsPage() {
  const [isAll, setAll] = useState(false);
  const alerts = useList(['live', 'alerts'], 'GET /api/admin/alerts', 'Alerts', {
    query: isAll ? { IncludeCleared: true } : {},
  });
  return (
    <Page
      title="Alerts"
      lead="What needs a person. Most are resolved automatically when their cause is gone."
      actions={
        <Switch label="Show resolved" checked={isAll} onChange={(event) => setAll(event.currentTarget.checked)} />
      }
    >
      <Panel flush>
        <Listed
          pages={alerts}
          empty={
            <Empty icon="check" title="Nothing needs you">
              When the authority refuses a receipt, a day does not close or a certificate is about to expire, you see it
              here.
            </Empty>
          }
        >
          {(items) => items.map((alert) => <AlertLine key={alert.Number} alert={alert} isLong />)}
        </Listed>
      </Panel>
    </Page>
  );
}

export function AlertLine({ alert, isLong = false }: { readonly alert: Alert; readonly isLong?: boolean }) {
  const { moment } = useTimes();
  const mayAct = useMay('operator');
  const isOpen = alert.ClearedAt === null;
  return (
    <Group px="md" py="sm" gap="sm" align="flex-start" wrap="nowrap" className="ruled">
      <Stack gap={4} style={{ flex: 1, minWidth: 0 }}>
        <Group gap="xs">
          <StateBadge color={isOpen ? (alert.AcknowledgedAt === null ? 'red' : 'yellow') : 'gray'}>
            {words(alert.Kind)}
          </StateBadge>
          <Text size="xs" c="dimmed">
            {moment(alert.RaisedAt)}
          </Text>
        </Group>
        <Text className="wrap-anywhere" lineClamp={isLong ? undefined : 3}>
          {alert.Message}
        </Text>
        {isLong && isOpen && <Text c="dimmed">{ADVICE[alert.Kind]}</Text>}
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
      {mayAct && isOpen && alert.AcknowledgedAt === null && (
        <ActionButton
          label="Acknowledge"
          look={{ size: 'xs' }}
          doIt={() => call('POST /api/admin/alerts/:alertId/acknowledge', { params: { alertId: alert.Number } })}
        />
      )}
    </Group>
  );
}

function Fix({ alert }: { readonly alert: Alert }) {
  if (alert.Kind in BILLPAY_ADVICE) return <BillpayFix alert={alert} />;
  if (alert.Kind.startsWith('Receipt') || alert.Kind === 'NoteHeldBack') {
    return (
      <TextLink to="/receipts" search={{ Reference: alert.Subject }}>
        See receipt {alert.Subject}
      </TextLink>
    );
  }
  if (alert.AuthorityDeviceId === null) return null;
  return <DeviceLink deviceId={alert.AuthorityDeviceId}>See device {alert.AuthorityDeviceId}</DeviceLink>;
}
