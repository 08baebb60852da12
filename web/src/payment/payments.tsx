import { useSearch } from '@tanstack/react-router';
import type { AnswerAt } from '../api/answers.ts';
import { useBillerChoices, useBillers, useVendorChoices } from '../api/choices.ts';
import type { Given } from '../api/client.ts';
import { useMay } from '../api/session.ts';
import { PAYMENT_STATES, PaymentBadge } from '../parts/billpay-badges.tsx';
import { type Column, WithNote } from '../parts/data-table.tsx';
import { Download } from '../parts/download.tsx';
import { money } from '../parts/format.ts';
import { PaymentLink } from '../parts/links.tsx';
import { ListPage } from '../parts/list.tsx';
import { DATE_RANGE, SearchForm } from '../parts/search-form.tsx';
import { useTimes } from '../parts/use-times.ts';

/**
 * What can be looked for, as it stands in the address: a search can be shared as a link. The box looks for how the vendor's
 * reference begins.
 */
type PaymentSearch = Omit<NonNullable<Given<'GET /api/admin/payments'>['query']>, 'Limit' | 'Cursor'>;

type FoundPayment = AnswerAt<'GET /api/admin/payments'>['Payments'][number];

/** Our own reference names one payment; there is nothing to search for. */
const OURS = /^P[0-9A-HJKMNP-TV-Z]{20}$/;

/** A payment in every list of them. */
export const PAYMENTS = {
  of: 'GET /api/admin/payments',
  items: 'Payments',
  icon: 'payments',
  none: 'No payment yet',
  keyOf: ({ Payment }: FoundPayment) => Payment.BillPayReference,
  columns: [
    {
      name: 'Payment',
      cell: ({ Payment: payment }) => (
        <WithNote note={payment.BillPayReference}>
          <PaymentLink reference={payment.BillPayReference}>{payment.VendorReference}</PaymentLink>
        </WithNote>
      ),
    },
    { name: 'Taken', cell: ({ Payment }, { moment }) => moment(Payment.CreatedAt, true) },
    {
      name: 'Biller',
      isText: true,
      cell: ({ Payment: payment }) => (
        <WithNote note={[payment.MemberNumber, payment.MemberName].filter(Boolean).join(', ')}>
          {payment.BillerCode}
        </WithNote>
      ),
    },
    {
      name: 'Vendor',
      of: 'GET /api/admin/vendors',
      cell: ({ VendorCode }) => VendorCode,
      isText: true,
      isLesser: true,
    },
    { name: 'Total', cell: ({ Payment }) => <b>{money(Payment.TotalAmount, Payment.Currency)}</b>, isNumber: true },
    { name: 'State', cell: ({ Payment }) => <PaymentBadge state={Payment.Status} /> },
  ] satisfies readonly Column<FoundPayment>[],
} as const;

export function PaymentsPage() {
  const search: PaymentSearch = useSearch({ strict: false });
  const { startOfDay } = useTimes();
  const filter = { ...search, From: startOfDay(search.From), To: startOfDay(search.To, 1) };
  return (
    <ListPage
      {...PAYMENTS}
      given={{ query: filter }}
      search={search}
      searchHint="No payment matches all of this. Enter the beginning of a reference, or a whole member number."
      title="Payments"
      lead="Newest first. New ones appear automatically."
      actions={<Download of="GET /api/admin/payments.csv" query={filter} />}
      hint={useMay('GET /api/admin/vendors') && 'A vendor with a token pays with POST /api/payment/pay.'}
    >
      <SearchBar search={search} />
    </ListPage>
  );
}

function SearchBar({ search }: { readonly search: PaymentSearch }) {
  const billers = useBillers();
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
