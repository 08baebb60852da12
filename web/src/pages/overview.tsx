import { Anchor, Box, Grid, Group, Paper, SimpleGrid, Stack, Table, Text } from '@mantine/core';
import { lazy, type ReactNode, Suspense } from 'react';
import type { Deadline, Overview } from '../api/shapes.ts';
import { SubmissionBadge } from '../parts/badges.tsx';
import { count, duration, money, typeName } from '../parts/format.ts';
import { Link } from '../parts/link.tsx';
import { Page, Panel } from '../parts/panel.tsx';
import { Empty, Waiting } from '../parts/states.tsx';
import { useTimes } from '../parts/use-times.ts';
import { WideTable } from '../parts/wide-table.tsx';
import { useLive } from '../shell/live.tsx';
import { AlertLine } from './alerts.tsx';
import { LatestPayments, PaidToday } from './overview-payments.tsx';
import { TodayTotals } from './today-totals.tsx';

const OverviewChart = lazy(() => import('./overview-chart.tsx'));

export function OverviewPage() {
  const { overview } = useLive();
  return (
    <Page title="Overview" lead={overview && `Today in ${overview.Today.Zone.replace('_', ' ')}, as it happens`}>
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
            <Latest overview={overview} />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Stack gap="md">
            <SealedToday overview={overview} />
            <PaidToday overview={overview} />
            <DayStates overview={overview} />
            <LatestPayments overview={overview} />
          </Stack>
        </Grid.Col>
      </Grid>
    </Stack>
  );
}

function Figures({ overview }: { readonly overview: Overview }) {
  const { Authority, Backlog, Devices, Alerts } = overview;
  const devices = Object.values(Devices.DayStates).reduce((sum, one) => sum + one, 0);
  const open = (Devices.DayStates['Opened'] ?? 0) + (Devices.DayStates['CloseFailed'] ?? 0);
  const isLate = Backlog.OldestSeconds > 60;
  const authority = {
    Up: { label: 'Answering', color: 'seal' },
    Trying: { label: 'Trying again', color: 'yellow' },
    Down: { label: 'Not answering', color: 'red' },
  }[Authority.State];
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }} spacing="md">
      <Figure
        name="Tax authority"
        value={authority.label}
        color={authority.color}
        note={Authority.Reason ?? 'Receipts are submitted at once'}
      />
      <Figure
        name="Waiting receipts"
        value={count(Backlog.Receipts)}
        color={isLate ? 'yellow' : 'seal'}
        note={Backlog.Receipts === 0 ? 'Nothing waits' : `The oldest for ${duration(Backlog.OldestSeconds)}`}
        to="/receipts?State=Pending"
      />
      <Figure
        name="Open days"
        value={`${count(open)} of ${count(devices)}`}
        color={Devices.Stopped + Devices.Blocked > 0 ? 'red' : 'seal'}
        note={
          Devices.Stopped + Devices.Blocked > 0
            ? `${Devices.Stopped} stopped, ${Devices.Blocked} blocked`
            : 'None stopped, none blocked'
        }
        to="/devices"
      />
      <Figure
        name="Open alerts"
        value={count(Alerts.Unacknowledged)}
        color={Alerts.Unacknowledged > 0 ? 'red' : 'seal'}
        note={Alerts.Unacknowledged > 0 ? 'Somebody should look' : 'Nothing needs you'}
        to="/alerts"
      />
    </SimpleGrid>
  );
}

function Figure(props: {
  readonly name: string;
  readonly value: string;
  readonly note: string;
  readonly color: string;
  readonly to?: string;
}) {
  const content = (
    <>
      <Group gap={8} wrap="nowrap" align="center">
        <Box w={8} h={8} bg={`${props.color}.6`} style={{ borderRadius: 8, flexShrink: 0 }} />
        <Text size="sm" c="dimmed" lh={1.25}>
          {props.name}
        </Text>
      </Group>
      <Text fz={{ base: 20, sm: 26 }} fw={650} lh={1.25} mt={4}>
        {props.value}
      </Text>
      <Text size="xs" c="dimmed" lineClamp={2}>
        {props.note}
      </Text>
    </>
  );
  const box = { withBorder: true, radius: 'lg', px: 'md', py: 'sm' } as const;
  if (props.to === undefined) return <Paper {...box}>{content}</Paper>;
  const [to = '/', search] = props.to.split('?');
  return (
    <Paper
      {...box}
      component={Link}
      to={to}
      search={search === undefined ? {} : Object.fromEntries(new URLSearchParams(search))}
      c="inherit"
      style={{ textDecoration: 'none' }}
    >
      {content}
    </Paper>
  );
}

function LastHour({ overview }: { readonly overview: Overview }) {
  const total = overview.ReceiptsPerMinute.Counts.reduce((sum, one) => sum + one, 0);
  return (
    <Text size="sm" c="dimmed">
      {count(total)} in the last hour
    </Text>
  );
}

function Attention({ overview }: { readonly overview: Overview }) {
  return (
    <Panel title="Needs attention" aside={<PageLink to="/alerts">All alerts</PageLink>} flush>
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
  return (
    <Group px="md" py="sm" justify="space-between" className="ruled">
      <Text size="sm">
        {children}: <DeviceLink deviceId={deadline.AuthorityDeviceId} />
      </Text>
      <Text size="sm" c="dimmed">
        {moment(deadline.At)}
      </Text>
    </Group>
  );
}

export function DeviceLink({ deviceId }: { readonly deviceId: number }) {
  return (
    <Anchor component={Link} to="/devices/$deviceId" params={{ deviceId: String(deviceId) }} size="sm">
      Device {deviceId}
    </Anchor>
  );
}

function PageLink({ to, children }: { readonly to: string; readonly children: ReactNode }) {
  return (
    <Anchor component={Link} to={to} size="sm">
      {children}
    </Anchor>
  );
}

function Latest({ overview }: { readonly overview: Overview }) {
  const { clockTime } = useTimes();
  return (
    <Panel title="Latest receipts" aside={<PageLink to="/receipts">All receipts</PageLink>} flush>
      {overview.LatestReceipts.length === 0 ? (
        <Empty icon="receipt" title="No receipt yet">
          Sign the first one: <PageLink to="/try">Try it</PageLink>
        </Empty>
      ) : (
        <WideTable minWidth={460}>
          <Table.Tbody>
            {overview.LatestReceipts.map((receipt) => (
              <Table.Tr key={`${receipt.AuthorityDeviceId} ${receipt.GlobalCounter}`}>
                <Table.Td>
                  <Anchor
                    component={Link}
                    className="wrap-anywhere"
                    to="/receipts/$deviceId/$globalCounter"
                    params={{
                      deviceId: String(receipt.AuthorityDeviceId),
                      globalCounter: String(receipt.GlobalCounter),
                    }}
                    size="sm"
                    fw={600}
                  >
                    {receipt.Reference}
                  </Anchor>
                  <Text size="xs" c="dimmed">
                    {typeName(receipt.Type)}, device {receipt.AuthorityDeviceId}
                  </Text>
                </Table.Td>
                <Table.Td ta="right" style={{ whiteSpace: 'nowrap' }}>
                  {money(receipt.TotalAmount, receipt.Currency)}
                  <Box hiddenFrom="sm" mt={4}>
                    <SubmissionBadge state={receipt.State} colour={receipt.WorstColour} />
                  </Box>
                </Table.Td>
                <Table.Td c="dimmed" visibleFrom="sm">
                  {clockTime(receipt.SealedAt)}
                </Table.Td>
                <Table.Td ta="right" visibleFrom="sm">
                  <SubmissionBadge state={receipt.State} colour={receipt.WorstColour} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </WideTable>
      )}
    </Panel>
  );
}

function SealedToday({ overview }: { readonly overview: Overview }) {
  const totals = overview.Today.Totals.map(({ Receipts, ...total }) => ({ ...total, count: Receipts }));
  return <TodayTotals title="Sealed today" totals={totals} noun="receipt" />;
}

const DAY_COLORS: Readonly<Record<string, string>> = {
  Opened: 'seal.6',
  Opening: 'blue.5',
  Closing: 'blue.5',
  CloseInitiated: 'blue.5',
  CloseFailed: 'red.6',
  Closed: 'gray.5',
};
const DAY_NAMES: Readonly<Record<string, string>> = {
  Opened: 'Open',
  CloseFailed: 'Close failed',
  CloseInitiated: 'Being closed',
};

function DayStates({ overview }: { readonly overview: Overview }) {
  const states = Object.entries(overview.Devices.DayStates).toSorted(([, one], [, other]) => other - one);
  const all = states.reduce((sum, [, devices]) => sum + devices, 0);
  return (
    <Panel title="Fiscal days">
      {all === 0 ? (
        <Text size="sm" c="dimmed">
          No device yet. <PageLink to="/devices/register">Register the first</PageLink>
        </Text>
      ) : (
        <Stack gap="sm">
          <Group gap={3} wrap="nowrap" h={10} aria-hidden="true">
            {states.map(([state, devices]) => (
              <Box
                key={state}
                h={10}
                bg={DAY_COLORS[state]}
                style={{ flexGrow: devices, borderRadius: 4, minWidth: 6 }}
              />
            ))}
          </Group>
          {states.map(([state, devices]) => (
            <Group key={state} justify="space-between">
              <Group gap={8}>
                <Box w={8} h={8} bg={DAY_COLORS[state]} style={{ borderRadius: 2 }} />
                <Text size="sm">{DAY_NAMES[state] ?? state}</Text>
              </Group>
              <Text size="sm" fw={600}>
                {count(devices)}
              </Text>
            </Group>
          ))}
        </Stack>
      )}
    </Panel>
  );
}
