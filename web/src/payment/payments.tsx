import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { AnswerAt } from '../api/answers.ts';
import { billersQuery, useBillerChoices, useVendorChoices } from '../api/choices.ts';
import type { Given } from '../api/client.ts';
import { useList } from '../api/queries.ts';
import { PAYMENT_STATES, PaymentBadge } from '../parts/billpay-badges.tsx';
import { PagedTable, type Pages, WithNote } from '../parts/data-table.tsx';
import { DownloadCsv } from '../parts/download-csv.tsx';
import { money } from '../parts/format.ts';
import { PaymentLink } from '../parts/links.tsx';
import { Page, Panel } from '../parts/panel.tsx';
import { DATE_RANGE, NothingFound, SearchForm } from '../parts/search-form.tsx';
import { useTimes } from '../parts/use-times.ts';

/**
 * What can be looked for, as it stands in the address: a search can be shared as a link. The box looks for how the vendor's
 * reference begins.
 */
type PaymentSearch = Omit<NonNullable<Given<'GET /api/admin/payments'>['query']>, 'Limit' | 'Cursor'>;

type FoundPayment = AnswerAt<'GET /api/admin/payments'>['Payments'][number];

/** Our own reference names one payment; there is nothing to search for. */
const OURS = /^P[0-9A-HJKMNP-TV-Z]{20}$/;

export function PaymentsPage() {
  const search: PaymentSearch = useSearch({ strict: false });
  const { startOfDay } = useTimes();
  const filter = { ...search, From: startOfDay(search.From), To: startOfDay(search.To, 1) };
  const payments = useList(['live', 'payments'], 'GET /api/admin/payments', 'Payments', { query: filter });
  return (
    <Page
      title="Payments"
      lead="Newest first, of all vendors. New ones appear automatically."
      actions={<DownloadCsv path="/api/admin/payments.csv" filter={filter} />}
    >
      <SearchBar search={search} />
      <Panel flush>
        <PaymentTable
          payments={payments}
          empty={
            <NothingFound
              icon="payments"
              search={search}
              to="/payments"
              hint="No payment matches all of this. Enter the beginning of a reference, or a whole member number."
              title="No payment yet"
            >
              A vendor with a token pays with POST /api/payment/pay.
            </NothingFound>
          }
        />
      </Panel>
    </Page>
  );
}

function SearchBar({ search }: { readonly search: PaymentSearch }) {
  const { data: billers = [] } = useQuery(billersQuery);
  const currencies = [...new Set(billers.flatMap((biller) => biller.Currencies))].toSorted();
  return (
    <SearchForm
      to="/payments"
      label="Search payments"
      quick="Reference of the vendor, or ours"
      quickFields={['VendorReferenceStarts', 'VendorReference']}
      readQuick={(text): PaymentSearch => ({ VendorReferenceStarts: text })}
      shortcut={(text) => (OURS.test(text) ? `/payments/${text}` : undefined)}
      search={search}
      filters={[
        { name: 'MemberNumber', label: 'Member number' },
        { name: 'BillerCode', label: 'Biller', choices: useBillerChoices() },
        { name: 'VendorId', label: 'Vendor', choices: useVendorChoices() },
        { name: 'Status', label: 'State', choices: PAYMENT_STATES },
        { name: 'Currency', label: 'Currency', choices: currencies.map((code) => ({ value: code, label: code })) },
        ...DATE_RANGE,
      ]}
    />
  );
}

export function PaymentTable(props: { readonly payments: Pages<FoundPayment>; readonly empty: ReactNode }) {
  const { moment } = useTimes();
  return (
    <PagedTable
      pages={props.payments}
      empty={props.empty}
      keyOf={({ Payment }) => Payment.BillPayReference}
      columns={[
        {
          name: 'Payment',
          cell: ({ Payment: payment }) => (
            <WithNote note={payment.BillPayReference}>
              <PaymentLink reference={payment.BillPayReference}>{payment.VendorReference}</PaymentLink>
            </WithNote>
          ),
        },
        { name: 'Taken', cell: ({ Payment }) => moment(Payment.CreatedAt, true) },
        {
          name: 'Biller',
          isText: true,
          cell: ({ Payment: payment }) => (
            <WithNote note={[payment.MemberNumber, payment.MemberName].filter(Boolean).join(', ')}>
              {payment.BillerCode}
            </WithNote>
          ),
        },
        { name: 'Vendor', cell: ({ VendorCode }) => VendorCode, isText: true, isLesser: true },
        { name: 'Total', cell: ({ Payment }) => <b>{money(Payment.TotalAmount, Payment.Currency)}</b>, isNumber: true },
        { name: 'State', cell: ({ Payment }) => <PaymentBadge state={Payment.Status} /> },
      ]}
    />
  );
}
