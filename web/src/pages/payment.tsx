import { Alert, Anchor, Box, Grid, Group, Stack, Table, Text, Timeline } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { decimal, formatDecimal, multiply } from '../../../src/kernel/decimal.ts';
import { paymentQuery } from '../api/billpay-queries.ts';
import type { PaymentDetail } from '../api/billpay-shapes.ts';
import { PaymentBadge, paymentStateName } from '../parts/billpay-badges.tsx';
import { BillerLink, VendorLink } from '../parts/billpay-links.tsx';
import { Copy } from '../parts/copy.tsx';
import { money, words } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import { Link } from '../parts/link.tsx';
import { Facts, Page, Panel } from '../parts/panel.tsx';
import { Loaded } from '../parts/states.tsx';
import { useTimes } from '../parts/use-times.ts';
import { ReversePayment, SettlePayment } from './payment-actions.tsx';
import { PaymentInvoices } from './payment-invoice.tsx';

export function PaymentPage() {
  const { billPayReference = '' } = useParams({ strict: false });
  const payment = useQuery({
    ...paymentQuery(billPayReference),
    refetchInterval: ({ state }) => (state.data?.Status === 'BeingPaid' ? 3000 : false),
  });
  const found = payment.data;
  return (
    <Page
      title={found?.VendorReference ?? 'Payment'}
      back={{ to: '/payments', label: 'Payments' }}
      lead={
        found && (
          <Group gap="xs">
            <PaymentBadge state={found.Status} />
            <span>
              {money(found.TotalAmount, found.Currency)} to {found.BillerCode} by {found.VendorCode}
            </span>
          </Group>
        )
      }
      actions={found && <ReversePayment payment={found} />}
    >
      <Loaded query={payment} rows={10}>
        {(detail) => (
          <Grid gap="md">
            <Grid.Col span={{ base: 12, md: 6 }}>
              <Stack gap="md">
                <WhatToDo payment={detail} />
                <Amounts payment={detail} />
                <History payment={detail} />
              </Stack>
            </Grid.Col>
            <Grid.Col span={{ base: 12, md: 6 }}>
              <Stack gap="md">
                <PaymentInvoices payment={detail} />
                <Details payment={detail} />
              </Stack>
            </Grid.Col>
          </Grid>
        )}
      </Loaded>
    </Page>
  );
}

/** In words, what is open and what the operator can do about it. */
function WhatToDo({ payment }: { readonly payment: PaymentDetail }) {
  if (payment.Status === 'Flagged') {
    return (
      <Alert color="yellow" variant="light" icon={<Icon name="alert" />} title="The biller is in doubt">
        <Stack gap="sm">
          <Text size="sm" className="wrap-anywhere">
            {payment.Narration} Ask the biller whether it has the money, then say what became of it.
          </Text>
          <SettlePayment payment={payment} />
        </Stack>
      </Alert>
    );
  }
  if (payment.Status === 'BeingPaid') {
    return (
      <Alert color="blue" variant="light" icon={<Icon name="alert" />} title="The biller has not decided">
        <Stack gap="sm">
          <Text size="sm">
            It is asked again and again, and the payment settles by itself. Say by hand what became of it only if the
            biller has told you.
          </Text>
          <SettlePayment payment={payment} />
        </Stack>
      </Alert>
    );
  }
  if (payment.Status === 'Failed') {
    return (
      <Alert color="red" variant="light" icon={<Icon name="alert" />} title="Not paid">
        <Text size="sm" className="wrap-anywhere">
          {payment.Narration ?? 'The biller gave no reason.'} The vendor may try again under a new reference.
        </Text>
      </Alert>
    );
  }
  return null;
}

function Amounts({ payment }: { readonly payment: PaymentDetail }) {
  const { Currency: currency } = payment;
  const row = (name: string, amount: PaymentDetail['Amount'], note?: string) => (
    <Table.Tr key={name}>
      <Table.Td>
        {name}
        {note !== undefined && (
          <Text size="xs" c="dimmed">
            {note}
          </Text>
        )}
      </Table.Td>
      <Table.Td ta="right" style={{ whiteSpace: 'nowrap' }}>
        {money(amount, currency)}
      </Table.Td>
    </Table.Tr>
  );
  return (
    <Panel title="Amount" flush>
      <Table horizontalSpacing="md" verticalSpacing={8}>
        <Table.Tbody>
          {payment.Products.length === 0
            ? row('To the biller', payment.Amount)
            : payment.Products.map((product) =>
                row(
                  product.Name,
                  formatDecimal(multiply(decimal(String(product.Price)), decimal(String(product.Quantity)))),
                  `${product.Quantity} × ${money(product.Price, currency)}, ${product.Code}`,
                ),
              )}
          {row('Fee', payment.Fee)}
          <Table.Tr fw={650}>
            <Table.Td>What the member paid</Table.Td>
            <Table.Td ta="right" style={{ whiteSpace: 'nowrap' }}>
              {money(payment.TotalAmount, currency)}
            </Table.Td>
          </Table.Tr>
        </Table.Tbody>
      </Table>
    </Panel>
  );
}

const COLORS: Readonly<Record<string, string>> = { Failed: 'red', Flagged: 'yellow', BeingPaid: 'blue' };

function History({ payment }: { readonly payment: PaymentDetail }) {
  const { moment } = useTimes();
  return (
    <Panel title="What happened">
      <Timeline active={payment.Transitions.length - 1} bulletSize={16} lineWidth={2}>
        {payment.Transitions.map((transition) => (
          <Timeline.Item
            key={`${transition.To} ${transition.At}`}
            color={COLORS[transition.To] ?? 'seal'}
            title={
              <Text fw={600} size="sm">
                {paymentStateName(transition.To)}
              </Text>
            }
          >
            <Text size="sm" c="dimmed" className="wrap-anywhere">
              {moment(transition.At, true)}: {transition.Cause}
            </Text>
          </Timeline.Item>
        ))}
      </Timeline>
    </Panel>
  );
}

function Details({ payment }: { readonly payment: PaymentDetail }) {
  return (
    <Panel title="Payment">
      <Facts
        facts={[
          [
            'Our reference',
            <Group key="ours" gap={4} wrap="nowrap">
              <span className="mono wrap-anywhere">{payment.BillPayReference}</span>
              <Copy value={payment.BillPayReference} label="Copy our reference" />
            </Group>,
          ],
          ['Biller', <BillerLink key="biller" code={payment.BillerCode} />],
          ['Vendor', <VendorLink key="vendor" vendorId={payment.VendorId} name={payment.VendorCode} />],
          [
            'Member',
            <Box key="member" component="span">
              {payment.MemberName === null ? '' : `${payment.MemberName}, `}
              <Anchor component={Link} to="/payments" search={{ MemberNumber: payment.MemberNumber }} size="sm">
                {payment.MemberNumber}
              </Anchor>
            </Box>,
          ],
          ['Paid by', words(payment.PaymentType)],
          ...(payment.Narration === null ? [] : [['Narration', payment.Narration] as const]),
          ...payment.MetaData.map(({ Key, Value }) => [Key, Value] as const),
        ]}
      />
    </Panel>
  );
}
