import { Anchor, Box, Group, Table, Text } from '@mantine/core';
import type { Overview } from '../api/shapes.ts';
import { StateBadge } from '../parts/badges.tsx';
import { PaymentBadge } from '../parts/billpay-badges.tsx';
import { count, money } from '../parts/format.ts';
import { Link } from '../parts/link.tsx';
import { Panel } from '../parts/panel.tsx';
import { useTimes } from '../parts/use-times.ts';
import { WideTable } from '../parts/wide-table.tsx';
import { TodayTotals } from './today-totals.tsx';

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
    <Panel
      title="Latest payments"
      flush
      aside={
        <Anchor component={Link} to="/payments" size="sm">
          All payments
        </Anchor>
      }
    >
      {InvoicesRejected + InvoicesWaiting > 0 && (
        <Group gap="xs" px="md" pb="xs">
          {InvoicesRejected > 0 && <StateBadge color="red">{`${invoices(InvoicesRejected)} rejected`}</StateBadge>}
          {InvoicesWaiting > 0 && <StateBadge color="blue">{`${invoices(InvoicesWaiting)} waiting`}</StateBadge>}
        </Group>
      )}
      <WideTable minWidth={340}>
        <Table.Tbody>
          {payments.map((payment) => (
            <Table.Tr key={payment.BillPayReference}>
              <Table.Td>
                <Anchor
                  component={Link}
                  to="/payments/$billPayReference"
                  params={{ billPayReference: payment.BillPayReference }}
                  size="sm"
                  fw={600}
                  className="wrap-anywhere"
                >
                  {payment.VendorReference}
                </Anchor>
                <Text size="xs" c="dimmed">
                  {payment.BillerCode}, {clockTime(payment.CreatedAt)}
                </Text>
              </Table.Td>
              <Table.Td ta="right" style={{ whiteSpace: 'nowrap' }}>
                {money(payment.TotalAmount, payment.Currency)}
                <Box hiddenFrom="sm" mt={4}>
                  <PaymentBadge state={payment.Status} />
                </Box>
              </Table.Td>
              <Table.Td ta="right" visibleFrom="sm">
                <PaymentBadge state={payment.Status} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </WideTable>
    </Panel>
  );
}
