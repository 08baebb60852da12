import { useSearch } from '@tanstack/react-router';
import type { SubmissionState } from '../../../src/contract/fiscal/receipt.ts';
import { useTaxpayerChoices, useTaxpayerName } from '../api/choices.ts';
import { SubmissionBadge } from '../parts/badges.tsx';
import { WithNote } from '../parts/data-table.tsx';
import { Download } from '../parts/download.tsx';
import { money, typeName } from '../parts/format.ts';
import { ReceiptLink, TextLink } from '../parts/links.tsx';
import { ListPage } from '../parts/list.tsx';
import { DATE_RANGE, SearchForm } from '../parts/search-form.tsx';
import type { Times } from '../parts/times.ts';
import { useTimes } from '../parts/use-times.ts';

const MARKED_RED = 'Red';

/** What can be looked for, as it stands in the address: a search can be shared as a link. */
type ReceiptSearch = {
  /** Exactly this one; the box looks for how it begins. */
  readonly Reference?: string;
  readonly ReferenceStarts?: string;
  readonly VerificationCode?: string;
  readonly Buyer?: string;
  readonly Amount?: string;
  readonly From?: string;
  readonly To?: string;
  readonly State?: SubmissionState | typeof MARKED_RED | '';
  readonly AuthorityDeviceId?: string;
  readonly TaxpayerId?: string;
};

const STATES: { value: SubmissionState | typeof MARKED_RED; label: string }[] = [
  { value: 'Submitted', label: 'Submitted' },
  { value: 'Pending', label: 'Waiting' },
  { value: 'Refused', label: 'Refused' },
  { value: 'Undeliverable', label: 'Undeliverable' },
  { value: MARKED_RED, label: 'Marked red' },
];

function filterOf({ From, To, State, AuthorityDeviceId: device, ...rest }: ReceiptSearch, { startOfDay }: Times) {
  return {
    ...rest,
    ...(State === MARKED_RED ? { RemarkColour: State } : { State: State || undefined }),
    AuthorityDeviceId: device ? Number(device) : undefined,
    SealedFrom: startOfDay(From),
    SealedTo: startOfDay(To, 1),
  };
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
  const nameOf = useTaxpayerName();
  const filter = filterOf(search, useTimes());
  return (
    <ListPage
      of="GET /api/admin/receipts"
      items="Receipts"
      given={{ query: filter }}
      search={search}
      searchHint="No receipt matches all of this. Enter the beginning of a reference or a name."
      icon="receipt"
      title="Receipts"
      lead="Newest first. New ones appear automatically."
      actions={<Download of="GET /api/admin/receipts.csv" query={filter} />}
      none="No receipt yet"
      hint={<TextLink to="/try">Sign the first one</TextLink>}
      keyOf={({ Receipt }) => `${Receipt.AuthorityDeviceId} ${Receipt.GlobalCounter}`}
      columns={[
        {
          name: 'Receipt',
          cell: ({ Receipt: receipt }) => (
            <WithNote note={typeName(receipt.Type)}>
              <ReceiptLink deviceId={receipt.AuthorityDeviceId} globalCounter={receipt.GlobalCounter}>
                {receipt.Reference}
              </ReceiptLink>
            </WithNote>
          ),
        },
        { name: 'Sealed', cell: ({ SealedAt }, { moment }) => moment(SealedAt, true) },
        {
          name: 'Device',
          isText: true,
          cell: ({ Receipt, TaxpayerId }) => <WithNote note={nameOf(TaxpayerId)}>{Receipt.AuthorityDeviceId}</WithNote>,
        },
        {
          name: 'Buyer',
          cell: ({ Receipt }) => Receipt.BuyerName ?? Receipt.BuyerTIN,
          isText: true,
          isLesser: true,
        },
        {
          name: 'Total',
          isNumber: true,
          cell: ({ Receipt }) => <b>{money(Receipt.TotalAmount, Receipt.Currency)}</b>,
        },
        {
          name: 'State',
          cell: ({ State, WorstColour }) => <SubmissionBadge state={State} colour={WorstColour} />,
        },
      ]}
    >
      <SearchBar search={search} />
    </ListPage>
  );
}

function SearchBar({ search }: { readonly search: ReceiptSearch }) {
  return (
    <SearchForm
      to="/receipts"
      label="Search receipts"
      quick="Reference, verification code or QR content"
      quickFields={['ReferenceStarts', 'Reference', 'VerificationCode']}
      readQuick={readQuick}
      search={search}
      filters={[
        ...DATE_RANGE,
        { name: 'Amount', label: 'Amount', hint: 'Exactly', kind: 'number' },
        { name: 'Buyer', label: 'Buyer', hint: 'TIN or name' },
        { name: 'State', label: 'State', choices: STATES },
        { name: 'AuthorityDeviceId', label: 'Device', kind: 'number' },
        { name: 'TaxpayerId', label: 'Taxpayer', choices: useTaxpayerChoices() },
      ]}
    />
  );
}
