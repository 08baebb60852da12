import { Anchor, Box, Select, Table, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { billersQuery, vendorsQuery } from '../api/billpay-queries.ts';
import type { FoundPayment } from '../api/billpay-shapes.ts';
import { usePages } from '../api/queries.ts';
import { PAYMENT_STATES, PaymentBadge } from '../parts/billpay-badges.tsx';
import { money } from '../parts/format.ts';
import { Link } from '../parts/link.tsx';
import { More } from '../parts/more.tsx';
import { Page, Panel } from '../parts/panel.tsx';
import { DateRange, isSearched, SearchForm } from '../parts/search-form.tsx';
import { Empty, Failure, Waiting } from '../parts/states.tsx';
import { useTimes } from '../parts/use-times.ts';
import { WideTable } from '../parts/wide-table.tsx';
import { DownloadCsv } from './download-csv.tsx';

/** What can be looked for, as it stands in the address: a search can be sent to somebody. */
type PaymentSearch = {
  /** Exactly this one; the box looks for how it begins. */
  readonly VendorReference?: string;
  readonly VendorReferenceStarts?: string;
  readonly MemberNumber?: string;
  readonly BillerCode?: string;
  readonly VendorId?: string;
  readonly Status?: string;
  readonly Currency?: string;
  readonly From?: string;
  readonly To?: string;
};

/** Our own reference names one payment; there is nothing to search for. */
const OURS = /^P[0-9A-HJKMNP-TV-Z]{20}$/;

export function PaymentsPage() {
  const search: PaymentSearch = useSearch({ strict: false });
  const { startOfDay } = useTimes();
  const filter = { ...search, From: startOfDay(search.From), To: startOfDay(search.To, 1) };
  const payments = usePages<FoundPayment>(['live', 'payments'], '/api/admin/payments', 'Payments', filter);
  const isFiltered = isSearched(search);
  return (
    <Page
      title="Payments"
      lead="Newest first, of all vendors. New ones appear automatically."
      actions={<DownloadCsv path="/api/admin/payments.csv" filter={filter} />}
    >
      <SearchBar search={search} />
      <Panel flush>
        {payments.error !== null && <Failure error={payments.error} onRetry={() => void payments.refetch()} />}
        {payments.items === undefined ? (
          payments.error === null && <Waiting rows={6} />
        ) : payments.items.length === 0 ? (
          <Empty icon="payments" title={isFiltered ? 'Nothing found' : 'No payment yet'}>
            {isFiltered ? (
              <>
                No payment has all of this. References are found by how they begin, member numbers only whole.{' '}
                <Anchor component={Link} to="/payments" size="sm">
                  Show all
                </Anchor>
              </>
            ) : (
              'A vendor with a token pays with POST /api/payment/pay.'
            )}
          </Empty>
        ) : (
          <PaymentTable payments={payments.items} />
        )}
        <More {...payments} />
      </Panel>
    </Page>
  );
}

function SearchBar({ search }: { readonly search: PaymentSearch }) {
  const { data: vendors = [] } = useQuery(vendorsQuery);
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
      columns={4}
    >
      {(draft, set) => (
        <>
          <TextInput
            label="Member number"
            value={draft.MemberNumber ?? ''}
            onChange={(event) => set({ MemberNumber: event.currentTarget.value })}
          />
          <Select
            label="Biller"
            placeholder="Any"
            clearable
            searchable
            data={billers.map(({ Code, Name }) => ({ value: Code, label: Name }))}
            value={draft.BillerCode ?? null}
            onChange={(value) => set({ BillerCode: value ?? '' })}
          />
          <Select
            label="Vendor"
            placeholder="Any"
            clearable
            searchable
            data={vendors.map(({ VendorId, Name }) => ({ value: VendorId, label: Name }))}
            value={draft.VendorId ?? null}
            onChange={(value) => set({ VendorId: value ?? '' })}
          />
          <Select
            label="State"
            placeholder="Any"
            clearable
            data={PAYMENT_STATES}
            value={draft.Status ?? null}
            onChange={(value) => set({ Status: value ?? '' })}
          />
          <Select
            label="Currency"
            placeholder="Any"
            clearable
            data={currencies}
            value={draft.Currency ?? null}
            onChange={(value) => set({ Currency: value ?? '' })}
          />
          <DateRange from={draft.From} to={draft.To} onChange={set} />
        </>
      )}
    </SearchForm>
  );
}

export function PaymentTable({ payments }: { readonly payments: readonly FoundPayment[] }) {
  const { moment } = useTimes();
  return (
    <WideTable minWidth={680}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Payment</Table.Th>
          <Table.Th visibleFrom="sm">Taken</Table.Th>
          <Table.Th visibleFrom="sm">Biller</Table.Th>
          <Table.Th visibleFrom="md">Vendor</Table.Th>
          <Table.Th ta="right">Total</Table.Th>
          <Table.Th visibleFrom="sm">State</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {payments.map(({ VendorCode, Payment: payment }) => (
          <Table.Tr key={payment.BillPayReference}>
            <Table.Td>
              <Anchor
                component={Link}
                to="/payments/$billPayReference"
                params={{ billPayReference: payment.BillPayReference }}
                fw={600}
                size="sm"
                className="wrap-anywhere"
              >
                {payment.VendorReference}
              </Anchor>
              <Text size="xs" c="dimmed" visibleFrom="sm">
                {payment.BillPayReference}
              </Text>
              <Text size="xs" c="dimmed" hiddenFrom="sm">
                {payment.BillerCode}, {moment(payment.CreatedAt)}
              </Text>
            </Table.Td>
            <Table.Td visibleFrom="sm" style={{ whiteSpace: 'nowrap' }}>
              {moment(payment.CreatedAt, true)}
            </Table.Td>
            <Table.Td visibleFrom="sm" maw={220}>
              <Text size="sm" truncate>
                {payment.BillerCode}
              </Text>
              <Text size="xs" c="dimmed" truncate>
                {payment.MemberName === null ? payment.MemberNumber : `${payment.MemberNumber}, ${payment.MemberName}`}
              </Text>
            </Table.Td>
            <Table.Td visibleFrom="md">{VendorCode}</Table.Td>
            <Table.Td ta="right" style={{ whiteSpace: 'nowrap' }} fw={600}>
              {money(payment.TotalAmount, payment.Currency)}
              <Box hiddenFrom="sm" mt={4}>
                <PaymentBadge state={payment.Status} />
              </Box>
            </Table.Td>
            <Table.Td visibleFrom="sm">
              <PaymentBadge state={payment.Status} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </WideTable>
  );
}
