import { Box, Group, Paper, SimpleGrid, Stack, Text } from '@mantine/core';
import type { Amount, Overview } from '../api/answers.ts';
import { count, count as countText, duration, money } from '../parts/format.ts';
import { Link, useMayOpen } from '../parts/links.tsx';
import { Panel } from '../parts/panel.tsx';

const LATE_SECONDS = 60;
const AUTHORITY = {
  Up: { value: 'Answering', color: 'seal' },
  Trying: { value: 'Trying again', color: 'yellow' },
  Down: { value: 'Not answering', color: 'red' },
} as const;

/** What they are made of; who has only a part of everything is not told of the authority. */
type Figured = Pick<Overview, 'Backlog' | 'Devices' | 'Alerts'> & Partial<Pick<Overview, 'Authority'>>;

export function Figures({ overview }: { readonly overview: Figured }) {
  const { Authority, Backlog, Devices, Alerts } = overview;
  const devices = Object.values(Devices.DayStates).reduce((sum, one) => sum + one, 0);
  const closeFailed = Devices.DayStates['CloseFailed'] ?? 0;
  const open = (Devices.DayStates['Opened'] ?? 0) + closeFailed;
  const isHindered = Devices.Stopped + Devices.Blocked + Devices.Red + closeFailed > 0;
  return (
    <SimpleGrid cols={Authority ? { base: 2, md: 4 } : { base: 1, xs: 3 }} spacing="md">
      {Authority && (
        <Figure name="Tax authority" {...AUTHORITY[Authority.State]} note={Authority.Reason ?? answering(overview)} />
      )}
      <Figure
        name="Waiting receipts"
        value={count(Backlog.Receipts)}
        color={Backlog.BehindStop > 0 ? 'red' : Backlog.OldestSeconds > LATE_SECONDS ? 'yellow' : 'seal'}
        note={waiting(overview)}
        to="/receipts?State=Pending"
      />
      <Figure
        name="Open days"
        value={`${count(open)} of ${count(devices)}`}
        color={isHindered ? 'red' : 'seal'}
        note={isHindered ? hindrances(overview) : 'None stopped, on hold, red or failed to close'}
        to={Devices.Stopped > 0 ? '/devices?IsStopped=true' : '/devices'}
      />
      <Figure
        name="Open alerts"
        value={count(Alerts.Unacknowledged)}
        color={Alerts.Unacknowledged > 0 ? 'red' : 'seal'}
        note={Alerts.Unacknowledged > 0 ? 'Needs attention' : 'Nothing needs you'}
        to="/alerts"
      />
    </SimpleGrid>
  );
}

/** What an authority that answers means for what waits: the tiles beside it must not contradict it. */
function answering({ Devices, Backlog }: Figured): string {
  if (Devices.Stopped > 0) {
    return Devices.Stopped === 1
      ? 'It refused a receipt of one device'
      : `It refused receipts of ${count(Devices.Stopped)} devices`;
  }
  return Backlog.OldestSeconds > LATE_SECONDS ? 'Catching up with receipts' : 'Receipts are submitted immediately';
}

function waiting({ Backlog }: Figured): string {
  if (Backlog.Receipts === 0) return 'Nothing waits';
  const oldest = `The oldest for ${duration(Backlog.OldestSeconds)}`;
  return Backlog.BehindStop === 0 ? oldest : `${oldest}; ${count(Backlog.BehindStop)} on stopped devices`;
}

/** What keeps devices from working, the gravest first. */
function hindrances({ Devices }: Figured): string {
  const kinds = [
    [Devices.Stopped, 'stopped'],
    [Devices.Blocked, 'on hold'],
    [Devices.Red, 'with a red receipt'],
    [Devices.DayStates['CloseFailed'] ?? 0, 'failed to close'],
  ] as const;
  return kinds
    .filter(([devices]) => devices > 0)
    .map(([devices, what]) => `${count(devices)} ${what}`)
    .join(', ');
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
        <Text c="dimmed" lh={1.25}>
          {props.name}
        </Text>
      </Group>
      <Text fz={{ base: 20, lg: 26 }} fw={650} lh={1.25} mt={4}>
        {props.value}
      </Text>
      <Text size="xs" c="dimmed" lineClamp={3}>
        {props.note}
      </Text>
    </>
  );
  const box = { withBorder: true, radius: 'lg', px: 'md', py: 'sm' } as const;
  const [to = '/', search] = (props.to ?? '/').split('?');
  const isOpen = useMayOpen(to);
  if (props.to === undefined || !isOpen) return <Paper {...box}>{content}</Paper>;
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

/** What today comes to, by currency. */
export function TodayTotals(props: {
  readonly title: string;
  readonly noun: 'receipt' | 'payment';
  readonly totals: readonly { readonly Currency: string; readonly count: number; readonly Total: Amount }[];
}) {
  return (
    <Panel title={props.title}>
      {props.totals.length === 0 ? (
        <Text c="dimmed">Nothing yet today.</Text>
      ) : (
        <Stack gap="xs">
          {props.totals.map(({ Currency, count, Total }) => (
            <Group key={Currency} justify="space-between" align="baseline">
              <Text c="dimmed">
                {countText(count)} {props.noun}
                {count === 1 ? '' : 's'}
              </Text>
              <Text fw={650} fz="lg">
                {money(Total, Currency)}
              </Text>
            </Group>
          ))}
        </Stack>
      )}
    </Panel>
  );
}
