/** Reports on 48 columns: X and Z, specification §10.4 and §10.5, with what the till should hold; and others in their style. */
import type { Decimal } from '../../../kernel/decimal.ts';
import type { CurrencyReport, TaxLine } from '../../core/day-report.ts';
import { type Measure, padRight } from './columns.ts';
import { BLANK, type PaperRow, rowMaker, withRules } from './paper-rows.ts';
import { groupedAmountText, longDateText, paymentName, plainText } from './print-text.ts';
import type { Fact, SellerFacts } from './printed-document.ts';
import { sellerParty } from './seller.ts';

export interface PrintedReport {
  readonly seller: SellerFacts;
  readonly title: string;
  readonly facts: readonly Fact[];
  readonly parts: readonly ReportPart[];
}

/** What stands under a heading of its own: sums by currency, or plain lines. */
export interface ReportPart {
  readonly heading: string;
  readonly currencies?: readonly CurrencyReport[];
  readonly lines?: readonly Fact[];
}

/** What a till prints of a day. */
export interface ReportedDay {
  readonly kind: 'X' | 'Z';
  readonly seller: SellerFacts;
  readonly deviceId: number;
  readonly serialNumber: string;
  readonly fiscalDayNumber: number;
  /** Device local, as is `closed`. */
  readonly opened: string;
  readonly closed: string | undefined;
  /** What became of the closing; undefined while the day is not being closed. */
  readonly closing: keyof typeof CLOSINGS | undefined;
  readonly first: ReportedReceipt | undefined;
  readonly last: ReportedReceipt | undefined;
  readonly currencies: readonly CurrencyReport[];
}

interface ReportedReceipt {
  readonly fiscalDayCounter: number;
  readonly globalCounter: number;
  readonly reference: string;
}

const CLOSINGS = {
  Accepted: 'accepted by the authority',
  Manual: 'by a person at the authority',
  Pending: 'not confirmed yet',
  Failed: 'failed',
} as const;

type RowMaker = ReturnType<typeof rowMaker>;

export function dayReport(day: ReportedDay): PrintedReport {
  const facts = {
    'Fiscal day No': String(day.fiscalDayNumber),
    'Fiscal day opened': longDateText(day.opened),
    'Fiscal day closed': day.closed && longDateText(day.closed),
    Closing: day.closing && CLOSINGS[day.closing],
    'Device Serial No': plainText(day.serialNumber),
    'Device ID': String(day.deviceId),
    'First receipt': day.first && receiptText(day.first),
    'Last receipt': day.last && receiptText(day.last),
  };
  return {
    seller: day.seller,
    title: `${day.kind} REPORT`,
    facts: Object.entries(facts).flatMap(([label, value]) => (value === undefined ? [] : [{ label, value }])),
    parts: [{ heading: 'Daily totals', currencies: day.currencies }],
  };
}

export function reportRows({ title, facts, parts, ...report }: PrintedReport, measure?: Measure): PaperRow[] {
  const maker = rowMaker(measure);
  const { centreRows, factRows } = maker;
  const seller = sellerParty(report.seller);
  return withRules([
    [{ kind: 'logo' }, ...centreRows(seller.name, true), ...seller.lines.flatMap((line) => centreRows(line))],
    centreRows(title, true),
    facts.flatMap(({ label, value }) => factRows({ label: `${label}:`, value })),
    ...parts.flatMap(({ heading, currencies, lines = [] }) => [
      centreRows(heading, true),
      lines.flatMap((line) => factRows(line)),
      ...(currencies?.length === 0 ? [centreRows('No sales')] : []),
      ...(currencies ?? []).map((one) => currencyRows(one, maker)),
    ]),
  ]);
}

/** Numbered as on the receipt itself. */
function receiptText({ fiscalDayCounter, globalCounter, reference }: ReportedReceipt): string {
  return `${fiscalDayCounter}/${globalCounter} ${plainText(reference)}`;
}

function currencyRows(report: CurrencyReport, { centreRows, factRows, leftRows }: RowMaker): PaperRow[] {
  const amountRows = (label: string, amount: Decimal) => factRows({ label, value: groupedAmountText(amount) });
  const sums = (heading: string, word: string, lines: readonly TaxLine[], last: string, total: Decimal) => [
    BLANK,
    ...leftRows(heading, true),
    ...lines.flatMap((line) => amountRows(`  ${word}, ${plainText(line.taxName)}`, line.amount)),
    ...amountRows(last, total),
  ];
  return [
    ...centreRows(report.currency, true),
    ...sums('Total net sales', 'Net', report.net, 'Total net amount', report.totalNet),
    ...(report.tax.length === 0 ? [] : sums('Total taxes', 'Tax', report.tax, 'Total tax amount', report.totalTax)),
    ...sums('Total gross sales', 'Total', report.gross, 'Total gross amount', report.totalGross),
    BLANK,
    ...documentRows('Documents', 'Quantity', 'Amount', true),
    ...report.documents.flatMap((one) =>
      documentRows(`  ${DOCUMENT_NAMES[one.type]}`, String(one.quantity), groupedAmountText(one.amount)),
    ),
    ...documentRows(
      'Total documents',
      String(report.totalDocuments.quantity),
      groupedAmountText(report.totalDocuments.amount),
    ),
    BLANK,
    ...leftRows('Payments', true),
    ...report.balances.flatMap((one) => amountRows(`  ${paymentName(one.moneyType)}`, one.amount)),
    ...(report.others.length === 0 ? [] : [BLANK, ...leftRows('Other counters', true)]),
    ...report.others.flatMap((one) => amountRows(`  ${plainText(one.name)}`, one.amount)),
  ];
}

const DOCUMENT_NAMES = { FiscalInvoice: 'Invoices', CreditNote: 'Credit notes', DebitNote: 'Debit notes' } as const;
const QUANTITY_ENDS_AT = 27;

function documentRows(name: string, quantity: string, amount: string, isBold = false): PaperRow[] {
  const label = padRight(name, QUANTITY_ENDS_AT - quantity.length) + quantity;
  return [{ kind: 'text', left: label, right: amount, isBold }];
}
