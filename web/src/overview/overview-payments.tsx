import { Group } from '@mantine/core';
import type { Overview } from '../api/answers.ts';
import { StateBadge } from '../parts/badges.tsx';
import { PaymentBadge } from '../parts/billpay-badges.tsx';
import { DataTable, WithNote } from '../parts/data-table.tsx';
import { count, money } from '../parts/format.ts';
import { PaymentLink, TextLink } from '../parts/links.tsx';
import { Panel } from '../parts/panel.tsx';
import { useTimes } from '../parts/use-times.ts';
import { TodayTotals } from './overview-figures.tsx';

const invoices = (number: number) => `${count(number)} ${number === 1 ? 'invoice' : 'invoices'}`;

/** What was paid today, less what was reversed; nothing where no bill payments are taken. */
export function PaidToday({ overview }: { readonly overview: Overview }) {
  if (overview.BillPayments.LatestPayments.length === 0) return null;
  const totals = overview.Today.Payments.map(({ Payments, ...total }) => ({ ...total, count: Payments }));
  return <TodayTotals title="Paid today" totals={totals} noun="payment" />;
}

/** The newest bill payments and what hangs on them; nothing where none are taken. */
export function LatestPayments({ overview }: { readonly overview: Overview }) {
  const { clockTime } = useTimes();
  const { LatestPayments: payments, InvoicesRejected, InvoicesWaiting } = overview.BillPayments;
  if (payments.length === 0) return null;
  return (
    <Panel title="Latest payments" flush aside={<TextLink to="/payments">All payments</TextLink>}>
      {InvoicesRejected + InvoicesWaiting > 0 && (
        <Group gap="xs" px="md" pb="xs">
          {InvoicesRejected > 0 && <StateBadge color="red">{`${invoices(InvoicesRejected)} rejected`}</StateBadge>}
          {InvoicesWaiting > 0 && <StateBadge color="blue">{`${invoices(InvoicesWaiting)} waiting`}</StateBadge>}
        </Group>
      )}
      <DataTable
        rows={payments}
        keyOf={({ BillPayReference }) => BillPayReference}
        hasNoHead
        columns={[
          {
            name: 'Payment',
            cell: (payment) => (
              <WithNote note={`${payment.BillerCode}, ${clockTime(payment.CreatedAt)}`}>
                <PaymentLink reference={payment.BillPayReference}>{payment.VendorReference}</PaymentLink>
              </WithNote>
            ),
          },
          { name: 'Total', cell: ({ TotalAmount, Currency }) => money(TotalAmount, Currency), isNumber: true },
          { name: 'State', cell: ({ Status }) => <PaymentBadge state={Status} /> },
        ]}
      />
    </Panel>
  );
}
