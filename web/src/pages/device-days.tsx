import { Anchor, Box, Group, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { dayReportQuery, daysQuery } from '../api/queries.ts';
import type { Device } from '../api/shapes.ts';
import { DayBadge } from '../parts/badges.tsx';
import { count, duration, percent, plainMoney, typeName, words } from '../parts/format.ts';
import { Panel } from '../parts/panel.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { useTimes } from '../parts/use-times.ts';

/** From the opening of the day to the latest moment it may be open, with now and the next window on it. */
export function DayTimeline({ device }: { readonly device: Device }) {
  const { moment, clockTime } = useTimes();
  const { OpenedAt, EndsAt, OpensAt, State, Number: day } = device.FiscalDay;
  if (OpenedAt === null || EndsAt === null) {
    return (
      <Panel title="Fiscal day">
        <Text size="sm" c="dimmed">
          {day === 0 ? 'No day has been opened yet.' : `Day ${day} is closed.`}{' '}
          {OpensAt === null
            ? 'The next one opens as soon as nothing stands in its way.'
            : `Nothing is sealed until the next one opens automatically on ${moment(OpensAt)}, or at once with “Open the day”.`}
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
          <Text size="sm" c="dimmed">
            {leftSeconds > 0 ? `${duration(leftSeconds)} until its maximum` : 'Past its maximum'}
          </Text>
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
      <Group justify="space-between" mt={8} gap="xs">
        <Text size="xs" c="dimmed">
          Opened {moment(OpenedAt)}
        </Text>
        <Text size="xs" c="dimmed">
          Maintenance {clockTime(device.NextMaintenanceWindow.Start)}–{clockTime(device.NextMaintenanceWindow.End)}
        </Text>
        <Text size="xs" c="dimmed">
          Maximum {moment(EndsAt)}
        </Text>
      </Group>
    </Panel>
  );
}

export function CountersPanel({ device }: { readonly device: Device }) {
  const day = device.FiscalDay.Number;
  const report = useQuery(dayReportQuery(device.AuthorityDeviceId, day));
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
                {found.Currencies.map((currency) => (
                  <Table key={currency.Currency} horizontalSpacing="md" verticalSpacing={6}>
                    <Table.Caption fz="xs">{`${found.Kind} report of day ${found.FiscalDayNumber}, ${currency.Currency}`}</Table.Caption>
                    <Table.Thead>
                      <Table.Tr>
                        <Table.Th>{currency.Currency}</Table.Th>
                        <Table.Th ta="right">With tax</Table.Th>
                        <Table.Th ta="right">Tax</Table.Th>
                      </Table.Tr>
                    </Table.Thead>
                    <Table.Tbody>
                      {currency.GrossSales.map((line) => (
                        <Table.Tr key={`tax ${line.TaxId} ${String(line.TaxPercent)}`}>
                          <Table.Td>
                            {line.TaxName.includes('%') ? line.TaxName : `${line.TaxName} ${percent(line.TaxPercent)}`}
                          </Table.Td>
                          <Table.Td ta="right">{plainMoney(line.Amount, currency.Currency)}</Table.Td>
                          <Table.Td ta="right">
                            {plainMoney(
                              currency.Taxes.find((tax) => tax.TaxId === line.TaxId)?.Amount ?? 0,
                              currency.Currency,
                            )}
                          </Table.Td>
                        </Table.Tr>
                      ))}
                      <Table.Tr fw={650}>
                        <Table.Td>Total</Table.Td>
                        <Table.Td ta="right">{plainMoney(currency.TotalGross, currency.Currency)}</Table.Td>
                        <Table.Td ta="right">{plainMoney(currency.TotalTax, currency.Currency)}</Table.Td>
                      </Table.Tr>
                      {currency.Documents.filter((document) => document.Quantity > 0).map((document) => (
                        <Table.Tr key={document.Type} c="dimmed">
                          <Table.Td>
                            {count(document.Quantity)} × {typeName(document.Type)}
                          </Table.Td>
                          <Table.Td ta="right">{plainMoney(document.Amount, currency.Currency)}</Table.Td>
                          <Table.Td />
                        </Table.Tr>
                      ))}
                      {currency.Balances.map((balance) => (
                        <Table.Tr key={balance.MoneyType} c="dimmed">
                          <Table.Td>Paid by {words(balance.MoneyType).toLowerCase()}</Table.Td>
                          <Table.Td ta="right">{plainMoney(balance.Amount, currency.Currency)}</Table.Td>
                          <Table.Td />
                        </Table.Tr>
                      ))}
                      {currency.OtherCounters.map((other) => (
                        <Table.Tr key={other.Name} c="dimmed">
                          <Table.Td>{other.Name}</Table.Td>
                          <Table.Td ta="right">{plainMoney(other.Amount, currency.Currency)}</Table.Td>
                          <Table.Td />
                        </Table.Tr>
                      ))}
                    </Table.Tbody>
                  </Table>
                ))}
              </Stack>
            )
          }
        </Loaded>
      )}
    </Panel>
  );
}

/** The report as a till prints it. */
export function ReportLinks({ path }: { readonly path: string }) {
  return (
    <Group gap="sm">
      {(['pdf', 'text', 'json'] as const).map((format) => (
        <Anchor
          key={format}
          href={`${path}${format === 'json' ? '' : `?format=${format}`}`}
          target="_blank"
          rel="noreferrer"
          size="sm"
        >
          {format === 'text' ? 'Text' : format.toUpperCase()}
        </Anchor>
      ))}
    </Group>
  );
}

export function DaysPanel({ device }: { readonly device: Device }) {
  const { momentOfWall } = useTimes();
  const days = useQuery(daysQuery(device.AuthorityDeviceId));
  return (
    <Panel flush>
      <Loaded query={days}>
        {({ Days }) =>
          Days.length === 0 ? (
            <Empty icon="audit" title="No fiscal day yet" />
          ) : (
            <Table.ScrollContainer minWidth={640}>
              <Table verticalSpacing="sm" horizontalSpacing="md">
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>Day</Table.Th>
                    <Table.Th>State</Table.Th>
                    <Table.Th>Opened</Table.Th>
                    <Table.Th>Closed</Table.Th>
                    <Table.Th ta="right">Receipts</Table.Th>
                    <Table.Th>Report</Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {Days.map((day) => (
                    <Table.Tr key={day.FiscalDayNumber}>
                      <Table.Td fw={600}>{day.FiscalDayNumber}</Table.Td>
                      <Table.Td>
                        <DayBadge state={day.State} />
                        {day.CloseError !== null && (
                          <Text size="xs" c="red" maw={280}>
                            {day.CloseError}
                          </Text>
                        )}
                      </Table.Td>
                      <Table.Td>{momentOfWall(day.Opened, device.Zone)}</Table.Td>
                      <Table.Td>{day.Closed === null ? '–' : momentOfWall(day.Closed, device.Zone)}</Table.Td>
                      <Table.Td ta="right">{day.ReceiptCount === null ? '–' : count(day.ReceiptCount)}</Table.Td>
                      <Table.Td>
                        <ReportLinks
                          path={`/api/admin/devices/${device.AuthorityDeviceId}/days/${day.FiscalDayNumber}/report`}
                        />
                      </Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            </Table.ScrollContainer>
          )
        }
      </Loaded>
    </Panel>
  );
}
