import { Anchor, Box, NumberInput, Select, Table, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { taxpayersQuery, usePages, useTaxpayerName } from '../api/queries.ts';
import type { FoundReceipt } from '../api/shapes.ts';
import { SubmissionBadge } from '../parts/badges.tsx';
import { money, typeName } from '../parts/format.ts';
import { Link } from '../parts/link.tsx';
import { More } from '../parts/more.tsx';
import { Page, Panel } from '../parts/panel.tsx';
import { DateRange, isSearched, SearchForm } from '../parts/search-form.tsx';
import { Empty, Failure, Waiting } from '../parts/states.tsx';
import type { Times } from '../parts/times.ts';
import { useTimes } from '../parts/use-times.ts';
import { WideTable } from '../parts/wide-table.tsx';
import { DownloadCsv } from './download-csv.tsx';

/** What can be looked for, as it stands in the address: a search can be sent to somebody. */
type ReceiptSearch = {
  /** Exactly this one; the box looks for how it begins. */
  readonly Reference?: string;
  readonly ReferenceStarts?: string;
  readonly VerificationCode?: string;
  readonly Buyer?: string;
  readonly Amount?: string;
  readonly From?: string;
  readonly To?: string;
  readonly State?: string;
  readonly AuthorityDeviceId?: string;
  readonly TaxpayerId?: string;
};

const MARKED_RED = 'Red';
const STATES = [
  { value: 'Submitted', label: 'Submitted' },
  { value: 'Pending', label: 'Waiting' },
  { value: 'Refused', label: 'Refused' },
  { value: 'Undeliverable', label: 'Undeliverable' },
  { value: MARKED_RED, label: 'Marked red' },
];

function filterOf({ From, To, State, ...rest }: ReceiptSearch, { startOfDay }: Times) {
  const state = State === MARKED_RED ? { RemarkColour: State } : { State };
  return { ...rest, ...state, SealedFrom: startOfDay(From), SealedTo: startOfDay(To, 1) };
}

const CODE = /^([0-9A-F]{16}|[0-9A-F]{4}(-[0-9A-F]{4}){3})$/i;

/** One box for what people paste: a printed code, the address behind a QR code, or a reference. */
function readQuick(text: string): ReceiptSearch {
  const qr = /\/\d{28}([0-9A-F]{16})$/i.exec(text)?.[1];
  if (qr !== undefined) return { VerificationCode: qr.toUpperCase() };
  return CODE.test(text) ? { VerificationCode: text.toUpperCase() } : { ReferenceStarts: text };
}

export function ReceiptsPage() {
  const search: ReceiptSearch = useSearch({ strict: false });
  const filter = filterOf(search, useTimes());
  const receipts = usePages<FoundReceipt>(['live', 'receipts'], '/api/admin/receipts', 'Receipts', filter);
  const isFiltered = isSearched(search);
  return (
    <Page
      title="Receipts"
      lead="Newest first. New ones appear automatically."
      actions={<DownloadCsv path="/api/admin/receipts.csv" filter={filter} />}
    >
      <SearchBar search={search} />
      <Panel flush>
        {receipts.error !== null && <Failure error={receipts.error} onRetry={() => void receipts.refetch()} />}
        {receipts.items === undefined ? (
          receipts.error === null && <Waiting rows={6} />
        ) : receipts.items.length === 0 ? (
          <Empty icon="receipt" title={isFiltered ? 'Nothing found' : 'No receipt yet'}>
            {isFiltered ? (
              <>
                No receipt has all of this. References and names are found by how they begin.{' '}
                <Anchor component={Link} to="/receipts" size="sm">
                  Show all
                </Anchor>
              </>
            ) : (
              <Anchor component={Link} to="/try" size="sm">
                Sign the first one
              </Anchor>
            )}
          </Empty>
        ) : (
          <ReceiptTable receipts={receipts.items} />
        )}
        <More {...receipts} />
      </Panel>
    </Page>
  );
}

function SearchBar({ search }: { readonly search: ReceiptSearch }) {
  const { data: taxpayers = [] } = useQuery(taxpayersQuery);
  return (
    <SearchForm
      to="/receipts"
      label="Search receipts"
      quick="Reference, verification code or QR content"
      quickFields={['ReferenceStarts', 'Reference', 'VerificationCode']}
      readQuick={readQuick}
      search={search}
      columns={6}
    >
      {(draft, set) => (
        <>
          <DateRange from={draft.From} to={draft.To} onChange={set} />
          <NumberInput
            label="Amount"
            placeholder="Exactly"
            hideControls
            decimalScale={2}
            value={draft.Amount ?? ''}
            onChange={(value) => set({ Amount: String(value) })}
          />
          <TextInput
            label="Buyer"
            placeholder="TIN or name"
            value={draft.Buyer ?? ''}
            onChange={(event) => set({ Buyer: event.currentTarget.value })}
          />
          <Select
            label="State"
            placeholder="Any"
            clearable
            data={STATES}
            value={draft.State ?? null}
            onChange={(value) => set({ State: value ?? '' })}
          />
          {taxpayers.length > 1 ? (
            <Select
              label="Taxpayer"
              placeholder="All"
              clearable
              searchable
              data={taxpayers.map(({ TaxpayerId, Name }) => ({ value: TaxpayerId, label: Name }))}
              value={draft.TaxpayerId ?? null}
              onChange={(value) => set({ TaxpayerId: value ?? '' })}
            />
          ) : (
            <NumberInput
              label="Device"
              placeholder="All"
              hideControls
              allowDecimal={false}
              value={draft.AuthorityDeviceId ?? ''}
              onChange={(value) => set({ AuthorityDeviceId: String(value) })}
            />
          )}
        </>
      )}
    </SearchForm>
  );
}

function ReceiptTable({ receipts }: { readonly receipts: readonly FoundReceipt[] }) {
  const { moment } = useTimes();
  const nameOf = useTaxpayerName();
  return (
    <WideTable minWidth={680}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Receipt</Table.Th>
          <Table.Th visibleFrom="sm">Sealed</Table.Th>
          <Table.Th visibleFrom="sm">Device</Table.Th>
          <Table.Th visibleFrom="md">Buyer</Table.Th>
          <Table.Th ta="right">Total</Table.Th>
          <Table.Th visibleFrom="sm">State</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {receipts.map(({ Receipt: receipt, SealedAt, State, WorstColour, TaxpayerId }) => (
          <Table.Tr key={`${receipt.AuthorityDeviceId} ${receipt.GlobalCounter}`}>
            <Table.Td>
              <Anchor
                component={Link}
                className="wrap-anywhere"
                to="/receipts/$deviceId/$globalCounter"
                params={{ deviceId: String(receipt.AuthorityDeviceId), globalCounter: String(receipt.GlobalCounter) }}
                fw={600}
                size="sm"
              >
                {receipt.Reference}
              </Anchor>
              <Text size="xs" c="dimmed">
                {typeName(receipt.Type)}
              </Text>
              <Text size="xs" c="dimmed" hiddenFrom="sm">
                {moment(SealedAt)}
              </Text>
            </Table.Td>
            <Table.Td style={{ whiteSpace: 'nowrap' }} visibleFrom="sm">
              {moment(SealedAt, true)}
            </Table.Td>
            <Table.Td visibleFrom="sm">
              {receipt.AuthorityDeviceId}
              <Text size="xs" c="dimmed" truncate maw={180}>
                {nameOf(TaxpayerId)}
              </Text>
            </Table.Td>
            <Table.Td maw={180} visibleFrom="md">
              <Text size="sm" truncate>
                {receipt.BuyerName ?? receipt.BuyerTIN ?? ''}
              </Text>
            </Table.Td>
            <Table.Td ta="right" style={{ whiteSpace: 'nowrap' }} fw={600}>
              {money(receipt.TotalAmount, receipt.Currency)}
              <Box hiddenFrom="sm" mt={4}>
                <SubmissionBadge state={State} colour={WorstColour} />
              </Box>
            </Table.Td>
            <Table.Td visibleFrom="sm">
              <SubmissionBadge state={State} colour={WorstColour} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </WideTable>
  );
}
