import { Box, Group, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Amount, AnswerAt, Device } from '../api/answers.ts';
import { live } from '../api/queries.ts';
import { DayBadge } from '../parts/badges.tsx';
import { WithNote } from '../parts/data-table.tsx';
import { count, duration, percent, plainMoney, typeName, words } from '../parts/format.ts';
import { OuterLink } from '../parts/links.tsx';
import { List } from '../parts/list.tsx';
import { Panel } from '../parts/panel.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { useTimes } from '../parts/use-times.ts';

type DayReport = AnswerAt<'GET /api/admin/devices/:authorityDeviceId/days/:fiscalDayNumber/report'>;

/** From the opening of the day to the latest moment it may be open, with now and the next window on it. */
export function DayTimeline({ device }: { readonly device: Device }) {
  const { moment, clockTime } = useTimes();
  const { OpenedAt, EndsAt, OpensAt, State, Number: day } = device.FiscalDay;
  if (OpenedAt === null || EndsAt === null) {
    return (
      <Panel title="Fiscal day">
        <Text c="dimmed">
          {day === 0 ? 'No day has been opened yet.' : `Day ${day} is closed.`}{' '}
          {device.State === 'GivenUp'
            ? 'No other is opened.'
            : OpensAt === null
              ? 'The next one opens as soon as nothing prevents it.'
              : `Nothing is sealed until the next one opens automatically on ${moment(OpensAt)}, or immediately with “Open the day”.`}
        </Text>
      </Panel>
    );
  }
  const [from, to] = [Date.parse(OpenedAt), Date.parse(EndsAt)];
  const now = Date.now();
  const place = (instant: number) => `${Math.min(100, Math.max(0, ((instant - from) / (to - from)) * 100))}%`;
  const windowStart = Date.parse(device.NextMaintenanceWindow.Start);
  const windowEnd = Date.parse(device.NextMaintenanceWindow.End);
  const leftSeconds = (to - now) / 1000;
  return (
    <Panel
      title={`Day ${day}`}
      aside={
        <Group gap="xs">
          <Text c="dimmed">{leftSeconds > 0 ? `${duration(leftSeconds)} until its maximum` : 'Past its maximum'}</Text>
          <DayBadge state={State} device={device} />
        </Group>
      }
    >
      <Box
        pos="relative"
        h={14}
        bg="var(--mantine-color-default-hover)"
        style={{ borderRadius: 7, overflow: 'hidden' }}
        aria-hidden="true"
      >
        <Box
          pos="absolute"
          left={0}
          top={0}
          bottom={0}
          w={place(now)}
          bg={leftSeconds < 3 * 3600 ? 'yellow.6' : 'seal.6'}
        />
        <Box
          pos="absolute"
          top={0}
          bottom={0}
          left={place(windowStart)}
          style={{
            right: `calc(100% - ${place(windowEnd)})`,
            background: 'repeating-linear-gradient(135deg, var(--mantine-color-gray-5) 0 3px, transparent 3px 7px)',
          }}
        />
      </Box>
      <Group justify="space-between" mt={-6} gap="xs" fz="xs" c="dimmed">
        <span>Opened {moment(OpenedAt)}</span>
        <span>
          Maintenance {clockTime(device.NextMaintenanceWindow.Start)}–{clockTime(device.NextMaintenanceWindow.End)}
        </span>
        <span>Maximum {moment(EndsAt)}</span>
      </Group>
    </Panel>
  );
}

export function CountersPanel({ device }: { readonly device: Device }) {
  const day = device.FiscalDay.Number;
  const report = useQuery({
    ...live('GET /api/admin/devices/:authorityDeviceId/days/:fiscalDayNumber/report', {
      params: { authorityDeviceId: device.AuthorityDeviceId, fiscalDayNumber: day },
    }),
    enabled: day > 0,
  });
  const path = `/api/admin/devices/${device.AuthorityDeviceId}/days/${day}/report`;
  return (
    <Panel title="Counters" aside={day > 0 && <ReportLinks path={path} />} flush>
      {day === 0 ? (
        <Empty icon="receipt" title="Nothing counted yet" />
      ) : (
        <Loaded query={report}>
          {(found) =>
            found.Currencies.length === 0 ? (
              <Empty icon="receipt" title="Nothing sealed in this day yet" />
            ) : (
              <Stack gap="md" pb="sm">
                <ReportFacts report={found} />
                {found.Currencies.map((counted) => (
                  <Table
                    key={counted.Currency}
                    className="figures"
                    horizontalSpacing="md"
                    verticalSpacing={6}
                    data={{
                      caption: `${found.Kind} report of day ${found.FiscalDayNumber}, ${counted.Currency}`,
                      head: [counted.Currency, 'With tax', 'Tax'],
                      body: counterRows(counted),
                    }}
                  />
                ))}
              </Stack>
            )
          }
        </Loaded>
      )}
    </Panel>
  );
}

function counterRows(counted: DayReport['Currencies'][number]): ReactNode[][] {
  const amount = (value: Amount) => plainMoney(value, counted.Currency);
  const taxOf = (taxId: number) => counted.Taxes.find((tax) => tax.TaxId === taxId)?.Amount ?? 0;
  return [
    ...counted.GrossSales.map(({ TaxId, TaxName, TaxPercent, Amount }) => [
      TaxName.includes('%') ? TaxName : `${TaxName} ${percent(TaxPercent)}`,
      amount(Amount),
      amount(taxOf(TaxId)),
    ]),
    ['Total', counted.TotalGross, counted.TotalTax].map((value, column) => (
      <b key={value}>{column === 0 ? value : amount(value)}</b>
    )),
    ...counted.Documents.filter(({ Quantity }) => Quantity > 0).map(({ Quantity, Type, Amount }) => [
      `${count(Quantity)} × ${typeName(Type)}`,
      amount(Amount),
    ]),
    ...counted.Balances.map(({ MoneyType, Amount }) => [`Paid by ${words(MoneyType).toLowerCase()}`, amount(Amount)]),
    ...counted.OtherCounters.map(({ Name, Amount }) => [Name, amount(Amount)]),
  ];
}

const CLOSINGS = {
  Accepted: 'The authority accepted its closing.',
  Manual: 'A person at the authority closed it.',
  Pending: 'The authority has not confirmed its closing yet.',
  Failed: 'Its closing failed: the day continues.',
} as const;

function ReportFacts({ report }: { readonly report: DayReport }) {
  const { FirstReceipt: first, LastReceipt: last, Closing } = report;
  return (
    <Text size="xs" c="dimmed" px="md" pt="sm" className="wrap-anywhere">
      {first && last && `From ${first.FiscalDayCounter}/${first.GlobalCounter} ${first.Reference} `}
      {first && last && `to ${last.FiscalDayCounter}/${last.GlobalCounter} ${last.Reference}. `}
      {Closing !== null && CLOSINGS[Closing]}
    </Text>
  );
}

const FORMATS = { PDF: '?format=pdf', Text: '?format=text', JSON: '' } as const;

/** The report as a till prints it. */
function ReportLinks({ path }: { readonly path: string }) {
  return (
    <Group gap="sm">
      {Object.entries(FORMATS).map(([name, search]) => (
        <OuterLink key={name} href={`${path}${search}`}>
          {name}
        </OuterLink>
      ))}
    </Group>
  );
}

export function DaysPanel({ device: { AuthorityDeviceId, Zone } }: { readonly device: Device }) {
  return (
    <List
      of="GET /api/admin/devices/:authorityDeviceId/days"
      items="Days"
      given={{ params: { authorityDeviceId: AuthorityDeviceId } }}
      icon="audit"
      none="No fiscal day yet"
      keyOf={({ FiscalDayNumber }) => FiscalDayNumber}
      columns={[
        {
          name: 'Day',
          cell: ({ FiscalDayNumber, CloseError }) => (
            <WithNote note={CloseError}>
              <b>{FiscalDayNumber}</b>
            </WithNote>
          ),
        },
        { name: 'State', cell: ({ State }) => <DayBadge state={State} /> },
        { name: 'Opened', cell: ({ Opened }, { momentOfWall }) => momentOfWall(Opened, Zone) },
        {
          name: 'Closed',
          cell: ({ Closed }, { momentOfWall }) => (Closed === null ? '–' : momentOfWall(Closed, Zone)),
        },
        {
          name: 'Receipts',
          isNumber: true,
          cell: ({ ReceiptCount }) => (ReceiptCount === null ? '–' : count(ReceiptCount)),
        },
        {
          name: 'Report',
          cell: ({ FiscalDayNumber }) => (
            <ReportLinks path={`/api/admin/devices/${AuthorityDeviceId}/days/${FiscalDayNumber}/report`} />
          ),
        },
      ]}
    />
  );
}
