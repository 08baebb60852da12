import { Group, Table, Text } from '@mantine/core';
import { useState } from 'react';
import type { Biller } from '../api/billpay-shapes.ts';
import { useList } from '../api/queries.ts';
import { CurrencyChoice } from '../parts/currency-choice.tsx';
import { money } from '../parts/format.ts';
import { More } from '../parts/more.tsx';
import { Panel } from '../parts/panel.tsx';
import { Empty, Failure, Waiting } from '../parts/states.tsx';
import { useTimes } from '../parts/use-times.ts';
import { WideTable } from '../parts/wide-table.tsx';

/** What every vendor that sees the biller may show to everybody, newest first. */
export function BillerFeed({ biller }: { readonly biller: Biller }) {
  const { moment } = useTimes();
  const [currency, setCurrency] = useState(biller.Currencies[0] ?? '');
  const feed = useList(
    ['live', 'biller', biller.Code, 'feed'],
    'GET /api/admin/billers/:billerCode/feed',
    'Items',
    { params: { billerCode: biller.Code }, query: { Currency: currency } },
    20,
  );
  return (
    <Panel
      title="Feed"
      flush
      aside={
        <CurrencyChoice
          label="Currency of the feed"
          currencies={biller.Currencies}
          value={currency}
          onChange={setCurrency}
        />
      }
    >
      <Text size="sm" c="dimmed" px="md" pb="sm">
        {biller.AllowFeed
          ? 'Vendors that see this biller get these payments, of all vendors.'
          : 'Vendors do not get it: the feed is switched off in the settings. Only operators see it here.'}
      </Text>
      {feed.error !== null && <Failure error={feed.error} onRetry={() => void feed.refetch()} />}
      {feed.items === undefined ? (
        feed.error === null && <Waiting />
      ) : feed.items.length === 0 ? (
        <Empty icon="payments" title={`Nothing paid in ${currency} yet`} />
      ) : (
        <WideTable minWidth={560}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Member</Table.Th>
              <Table.Th visibleFrom="sm">Paid</Table.Th>
              <Table.Th visibleFrom="sm">Said with it</Table.Th>
              <Table.Th ta="right">Amount</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {feed.items.map((item) => (
              <Table.Tr key={item.Date}>
                <Table.Td>
                  <Text size="sm" fw={600} className="wrap-anywhere">
                    {item.MemberNumber}
                  </Text>
                  <Text size="xs" c="dimmed" hiddenFrom="sm">
                    {moment(item.Date)}
                  </Text>
                </Table.Td>
                <Table.Td visibleFrom="sm" style={{ whiteSpace: 'nowrap' }}>
                  {moment(item.Date, true)}
                </Table.Td>
                <Table.Td visibleFrom="sm">
                  <Group gap="xs">
                    {item.MetaData.map(({ Key, Value }) => (
                      <Text key={Key} size="sm" className="wrap-anywhere">
                        <Text span c="dimmed" size="sm">
                          {Key}:
                        </Text>{' '}
                        {Value}
                      </Text>
                    ))}
                  </Group>
                </Table.Td>
                <Table.Td ta="right" style={{ whiteSpace: 'nowrap' }} fw={600}>
                  {money(item.Amount, currency)}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </WideTable>
      )}
      <More {...feed} />
    </Panel>
  );
}
