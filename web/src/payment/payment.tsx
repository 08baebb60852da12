import { Grid, Stack, Table } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Navigate, useParams } from '@tanstack/react-router';
import { decimal, formatDecimal, multiply } from '../../../src/kernel/decimal.ts';
import type { PaymentDetail } from '../api/answers.ts';
import { live } from '../api/queries.ts';
import { PaymentBadge, paymentStateName } from '../parts/billpay-badges.tsx';
import { Copyable } from '../parts/copy.tsx';
import { WithNote } from '../parts/data-table.tsx';
import { money, words } from '../parts/format.ts';
import { BillerLink, TextLink, VendorLink } from '../parts/links.tsx';
import { Notice } from '../parts/notice.tsx';
import { Facts, Page, Panel } from '../parts/panel.tsx';
import { Loaded } from '../parts/states.tsx';
import { Steps } from '../parts/steps.tsx';
import { useTimes } from '../parts/use-times.ts';
import { ReversePayment, SettlePayment } from './payment-actions.tsx';
import { PaymentInvoices } from './payment-invoice.tsx';

export function PaymentPage() {
  const { billPayReference = '' } = useParams({ strict: false });
  const payment = useQuery({
    ...live('GET /api/admin/payments/:billPayReference', { params: { billPayReference } }),
    refetchInterval: ({ state }) => (state.data?.Status === 'BeingPaid' ? 3000 : false),
  });
  const found = payment.data;
  return (
    <Page
      title={found?.VendorReference ?? 'Payment'}
      back={{ to: '/payments', label: 'Payments' }}
      badges={found && <PaymentBadge state={found.Status} />}
      lead={found && `${money(found.TotalAmount, found.Currency)} to ${found.BillerCode} by ${found.VendorCode}`}
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
  const settle = <SettlePayment payment={payment} />;
  if (payment.Status === 'Flagged') {
    return (
      <Notice color="yellow" title="The biller is not sure" actions={settle}>
        {payment.Narration} Ask the biller whether it has the money, then settle the payment.
      </Notice>
    );
  }
  if (payment.Status === 'BeingPaid') {
    return (
      <Notice color="blue" title="The biller has not decided" actions={settle}>
        It is asked repeatedly, and the payment settles automatically. Settle it by hand only if the biller has told you
        the result.
      </Notice>
    );
  }
  if (payment.Status !== 'Failed') return null;
  return (
    <Notice color="red" title="Not paid">
      {payment.Narration ?? 'The biller gave no reason.'} The vendor may try again under a new reference.
    </Notice>
  );
}

function Amounts({ payment }: { readonly payment: PaymentDetail }) {
  const { Currency: currency, Products } = payment;
  const products = Products.map(({ Code, Name, Quantity, Price }) => [
    <WithNote key={Code} note={`${Quantity} × ${money(Price, currency)}, ${Code}`}>
      {Name}
    </WithNote>,
    money(formatDecimal(multiply(decimal(String(Price)), decimal(String(Quantity)))), currency),
  ]);
  return (
    <Panel title="Amount" flush>
      <Table
        className="figures"
        horizontalSpacing="md"
        verticalSpacing={8}
        data={{
          body: [
            ...(products.length === 0 ? [['To the biller', money(payment.Amount, currency)]] : products),
            ['Fee', money(payment.Fee, currency)],
            [<b key="name">What the member paid</b>, <b key="total">{money(payment.TotalAmount, currency)}</b>],
          ],
        }}
      />
    </Panel>
  );
}

const COLORS: Readonly<Record<string, string>> = { Failed: 'red', Flagged: 'yellow', BeingPaid: 'blue' };

function History({ payment }: { readonly payment: PaymentDetail }) {
  const { moment } = useTimes();
  return (
    <Panel title="What happened">
      <Steps
        steps={payment.Transitions.map(({ To, At, Cause }) => ({
          key: `${To} ${At}`,
          title: paymentStateName(To),
          color: COLORS[To] ?? 'seal',
          body: `${moment(At, true)}: ${Cause}`,
        }))}
      />
    </Panel>
  );
}

function Details({ payment }: { readonly payment: PaymentDetail }) {
  return (
    <Panel title="Payment">
      <Facts
        facts={{
          'Our reference': <Copyable value={payment.BillPayReference} label="reference" />,
          'Vendor’s reference': <Copyable value={payment.VendorReference} label="vendor’s reference" />,
          Biller: <BillerLink code={payment.BillerCode} />,
          Vendor: <VendorLink vendorId={payment.VendorId}>{payment.VendorCode}</VendorLink>,
          Member: (
            <>
              {payment.MemberName === null ? '' : `${payment.MemberName}, `}
              <TextLink to="/payments" search={{ MemberNumber: payment.MemberNumber }}>
                {payment.MemberNumber}
              </TextLink>
            </>
          ),
          'Paid by': words(payment.PaymentType),
          Narration: payment.Narration,
          ...Object.fromEntries(payment.MetaData.map(({ Key, Value }) => [Key, Value])),
        }}
      />
    </Panel>
  );
}

/** An automatic invoice is shown with its payment; a link with only its reference leads there. */
export function InvoicePage() {
  const { reference = '' } = useParams({ strict: false });
  const invoice = useQuery(live('GET /api/admin/invoices/:reference', { params: { reference } }));
  return (
    <Page title={reference} back={{ to: '/payments', label: 'Payments' }}>
      <Loaded query={invoice}>
        {({ BillPayReference }) => <Navigate to={`/payments/${BillPayReference}`} replace />}
      </Loaded>
    </Page>
  );
}
