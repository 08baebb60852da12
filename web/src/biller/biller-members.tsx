import type { Biller } from '../api/answers.ts';
import { count, money } from '../parts/format.ts';
import { List } from '../parts/list.tsx';

/** Who has paid, whoever paid last first. */
export function BillerMembers({ biller }: { readonly biller: Biller }) {
  return (
    <List
      of="GET /api/admin/billers/:billerCode/members"
      items="Members"
      given={{ params: { billerCode: biller.Code } }}
      icon="operator"
      none="Nobody has paid yet"
      keyOf={({ MemberNumber }) => MemberNumber}
      columns={[
        { name: 'Member', cell: ({ MemberNumber }) => <b>{MemberNumber}</b> },
        { name: 'Payments', cell: ({ Payments }) => count(Payments), isNumber: true },
        { name: 'Last paid', cell: ({ LastPaidAt }, { moment }) => moment(LastPaidAt) },
        {
          name: 'Paid in all',
          cell: ({ Totals }) => <b>{Totals.map(({ Currency, Amount }) => money(Amount, Currency)).join(', ')}</b>,
          isNumber: true,
        },
      ]}
    />
  );
}
