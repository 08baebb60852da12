import { Text } from '@mantine/core';
import { useState } from 'react';
import type { Biller } from '../api/answers.ts';
import { useList } from '../api/queries.ts';
import { PagedTable } from '../parts/data-table.tsx';
import { money } from '../parts/format.ts';
import { Panel } from '../parts/panel.tsx';
import { Empty } from '../parts/states.tsx';
import { useTimes } from '../parts/use-times.ts';
import { CurrencyChoice } from './currency-choice.tsx';

/** What every vendor that sees the biller may show publicly, newest first. */
export function BillerFeed({ biller }: { readonly biller: Biller }) {
  const { moment } = useTimes();
  const [currency, setCurrency] = useState(biller.Currencies[0] ?? '');
  const feed = useList(
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
      <Text c="dimmed" px="md" pb="sm">
        {biller.AllowFeed
          ? 'Vendors that see this biller get these payments, including those through other vendors.'
          : 'Vendors do not get it: the feed is switched off in the settings. Only operators see it here.'}
      </Text>
      <PagedTable
        pages={feed}
        empty={<Empty icon="payments" title={`Nothing paid in ${currency} yet`} />}
        keyOf={({ Date: at }) => at}
        columns={[
          { name: 'Member', cell: ({ MemberNumber }) => <b>{MemberNumber}</b> },
          { name: 'Paid', cell: ({ Date: at }) => moment(at, true) },
          {
            name: 'Said with it',
            isText: true,
            cell: ({ MetaData }) => MetaData.map(({ Key, Value }) => `${Key}: ${Value}`).join(', '),
          },
          { name: 'Amount', cell: ({ Amount }) => <b>{money(Amount, currency)}</b>, isNumber: true },
        ]}
      />
    </Panel>
  );
}
