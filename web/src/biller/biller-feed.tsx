import { Text } from '@mantine/core';
import { useState } from 'react';
import type { Biller } from '../api/answers.ts';
import { money } from '../parts/format.ts';
import { List } from '../parts/list.tsx';
import { CurrencyChoice } from './currency-choice.tsx';

/** What every vendor that sees the biller may show publicly, newest first. */
export function BillerFeed({ biller }: { readonly biller: Biller }) {
  const [currency, setCurrency] = useState(biller.Currencies[0] ?? '');
  return (
    <List
      title="Feed"
      aside={
        <CurrencyChoice
          label="Currency of the feed"
          currencies={biller.Currencies}
          value={currency}
          onChange={setCurrency}
        />
      }
      of="GET /api/admin/billers/:billerCode/feed"
      items="Items"
      given={{ params: { billerCode: biller.Code }, query: { Currency: currency } }}
      limit={20}
      icon="payments"
      none={`Nothing paid in ${currency} yet`}
      keyOf={({ Date: at }) => at}
      columns={[
        { name: 'Member', cell: ({ MemberNumber }) => <b>{MemberNumber}</b> },
        { name: 'Paid', cell: ({ Date: at }, { moment }) => moment(at, true) },
        {
          name: 'Said with it',
          isText: true,
          cell: ({ MetaData }) => MetaData.map(({ Key, Value }) => `${Key}: ${Value}`).join(', '),
        },
        { name: 'Amount', cell: ({ Amount }) => <b>{money(Amount, currency)}</b>, isNumber: true },
      ]}
    >
      <Text c="dimmed" px="md" pb="sm">
        {biller.AllowFeed
          ? 'Vendors that see this biller get these payments, including those through other vendors.'
          : 'Vendors do not get it: the feed is switched off in the settings. Only operators see it here.'}
      </Text>
    </List>
  );
}
