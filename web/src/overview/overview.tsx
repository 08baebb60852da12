import { Box, Grid, Group, Stack, Text } from '@mantine/core';
import { lazy, type ReactNode, Suspense } from 'react';
import type { Deadline } from '../../../src/contract/console/overview.ts';
import { AlertLine } from '../alert/alerts.tsx';
import type { Overview } from '../api/answers.ts';
import { dayLook, SubmissionBadge } from '../parts/badges.tsx';
import { DataTable, WithNote } from '../parts/data-table.tsx';
import { count, money, typeName } from '../parts/format.ts';
import { DeviceLink, ReceiptLink, TextLink } from '../parts/links.tsx';
import { Page, Panel } from '../parts/panel.tsx';
import { Empty, Waiting } from '../parts/states.tsx';
import { useTimes } from '../parts/use-times.ts';
import { useLive } from '../shell/live.tsx';
import { Figures, TodayTotals } from './overview-figures.tsx';
import { LatestPayments, PaidToday } from './overview-payments.tsx';

const OverviewChart = lazy(() => import('./overview-chart.tsx'));

export function OverviewPage() {
  const { overview } = useLive();
  return (
    <Page title="Overview" lead="Today, as it happens">
      {overview === undefined ? <Waiting rows={8} /> : <Glance overview={overview} />}
    </Page>
  );
}

function Glance({ overview }: { readonly overview: Overview }) {
  const warnings = overview.CertificatesExpiring.length + overview.DaysNearMaximum.length;
  return (
    <Stack gap="md">
      <Figures overview={overview} />
      <Panel title="Receipts per minute" aside={<LastHour overview={overview} />}>
        <Suspense fallback={<Box h={190} />}>
          <OverviewChart overview={overview} />
        </Suspense>
      </Panel>
      <Grid gap="md">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Stack gap="md">
            {(overview.Alerts.Newest.length > 0 || warnings > 0) && <Attention overview={overview} />}
            <LatestReceipts receipts={overview.LatestReceipts} />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Stack gap="md">
            <SealedToday overview={overview} />
            <PaidToday overview={overview} />
            <DayStates devices={overview.Devices} />
            <LatestPayments overview={overview} />
          </Stack>
        </Grid.Col>
      </Grid>
    </Stack>
  );
}

function LastHour({ overview }: { readonly overview: Overview }) {
  const total = overview.ReceiptsPerMinute.Counts.reduce((sum, one) => sum + one, 0);
  return <Text c="dimmed">{count(total)} in the last hour</Text>;
}

export function Attention({
  overview,
}: {
  readonly overview: Pick<Overview, 'Alerts' | 'DaysNearMaximum' | 'CertificatesExpiring'>;
}) {
  return (
    <Panel title="Needs attention" aside={<TextLink to="/alerts">All alerts</TextLink>} flush>
      {overview.Alerts.Newest.map((alert) => (
        <AlertLine key={alert.Number} alert={alert} />
      ))}
      {overview.DaysNearMaximum.map((day) => (
        <DeadlineLine key={`day ${day.AuthorityDeviceId}`} deadline={day}>
          Fiscal day reaches its maximum length
        </DeadlineLine>
      ))}
      {overview.CertificatesExpiring.map((certificate) => (
        <DeadlineLine key={`certificate ${certificate.AuthorityDeviceId}`} deadline={certificate}>
          Certificate expires
        </DeadlineLine>
      ))}
    </Panel>
  );
}

function DeadlineLine({ deadline, children }: { readonly deadline: Deadline; readonly children: ReactNode }) {
  const { moment } = useTimes();
  const { AuthorityDeviceId: deviceId, At } = deadline;
  return (
    <Group px="md" py="sm" justify="space-between" className="ruled">
      <Text>
        {children}: <DeviceLink deviceId={deviceId}>Device {deviceId}</DeviceLink>
      </Text>
      <Text c="dimmed">{moment(At)}</Text>
    </Group>
  );
}

export function LatestReceipts({
  receipts,
}: {
  readonly receipts: readonly Omit<Overview['LatestReceipts'][number], 'Zone'>[];
}) {
  const { clockTime } = useTimes();
  return (
    <Panel title="Latest receipts" aside={<TextLink to="/receipts">All receipts</TextLink>} flush>
      {receipts.length === 0 ? (
        <Empty icon="receipt" title="No receipt yet">
          Sign the first one: <TextLink to="/try">Try it</TextLink>
        </Empty>
      ) : (
        <DataTable
          rows={receipts}
          keyOf={(receipt) => `${receipt.AuthorityDeviceId} ${receipt.GlobalCounter}`}
          hasNoHead
          columns={[
            {
              name: 'Receipt',
              cell: (receipt) => (
                <WithNote
                  note={`${typeName(receipt.Type)}, device ${receipt.AuthorityDeviceId}, ${clockTime(receipt.SealedAt)}`}
                >
                  <ReceiptLink deviceId={receipt.AuthorityDeviceId} globalCounter={receipt.GlobalCounter}>
                    {receipt.Reference}
                  </ReceiptLink>
                </WithNote>
              ),
            },
            { name: 'Total', cell: ({ TotalAmount, Currency }) => money(TotalAmount, Currency), isNumber: true },
            {
              name: 'State',
              cell: ({ State, WorstColour }) => <SubmissionBadge state={State} colour={WorstColour} />,
            },
          ]}
        />
      )}
    </Panel>
  );
}

function SealedToday({ overview }: { readonly overview: Overview }) {
  const totals = overview.Today.Totals.map(({ Receipts, ...total }) => ({ ...total, count: Receipts }));
  return <TodayTotals title="Sealed today" totals={totals} noun="receipt" />;
}

/** The days that are well, and in red those of stopped devices, the most frequent first. */
function dayLines({ DayStates: states, StoppedDayStates: stopped }: Overview['Devices']) {
  const lines = Object.entries(states).flatMap(([state, devices]) => {
    const { label: name, color } = dayLook(state);
    const stoppedDevices = stopped[state] ?? 0;
    return [
      { key: state, name, color: `${color}.6`, devices: devices - stoppedDevices, isStopped: false },
      { key: `${state} stopped`, name: `${name}, stopped`, color: 'red.6', devices: stoppedDevices, isStopped: true },
    ];
  });
  return lines.filter((line) => line.devices > 0).toSorted((one, other) => other.devices - one.devices);
}

export function DayStates({ devices }: { readonly devices: Overview['Devices'] }) {
  const lines = dayLines(devices);
  return (
    <Panel title="Fiscal days">
      {lines.length === 0 ? (
        <Text c="dimmed">
          No device yet. <TextLink to="/devices/register">Register the first</TextLink>
        </Text>
      ) : (
        <Stack gap="sm">
          <Group gap={3} wrap="nowrap" h={10} aria-hidden="true">
            {lines.map(({ key, color, devices }) => (
              <Box key={key} h={10} bg={color} style={{ flexGrow: devices, borderRadius: 4, minWidth: 6 }} />
            ))}
          </Group>
          {lines.map(({ key, name, color, devices, isStopped }) => (
            <Group key={key} justify="space-between">
              <Group gap={8}>
                <Box w={8} h={8} bg={color} style={{ borderRadius: 2 }} />
                {isStopped ? (
                  <TextLink to="/devices" search={{ IsStopped: 'true' }}>
                    {name}
                  </TextLink>
                ) : (
                  <Text>{name}</Text>
                )}
              </Group>
              <Text fw={600}>{count(devices)}</Text>
            </Group>
          ))}
        </Stack>
      )}
    </Panel>
  );
}
