/** X and Z report on 48 columns, specification §10.4 and §10.5, and what the till should hold. */
import type { Decimal } from '../../../kernel/decimal.ts';
import type { CurrencyReport, TaxLine } from '../../core/day-report.ts';
import { type Measure, padRight } from './columns.ts';
import { BLANK, type PaperRow, rowMaker, withRules } from './paper-rows.ts';
import { groupedAmountText, longDateText, paymentName, plainText } from './print-text.ts';
import type { SellerFacts } from './printed-document.ts';
import { sellerParty } from './seller.ts';

export interface PrintedReport {
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

export function reportRows(report: PrintedReport, measure?: Measure): PaperRow[] {
  const maker = rowMaker(measure);
  const { centreRows, factRows } = maker;
  const seller = sellerParty(report.seller);
  const fact = (label: string, value: string) => factRows({ label: `${label}:`, value });
  return withRules([
    [{ kind: 'logo' }, ...centreRows(seller.name, true), ...seller.lines.flatMap((line) => centreRows(line))],
    centreRows(`${report.kind} REPORT`, true),
    [
      ...fact('Fiscal day No', String(report.fiscalDayNumber)),
      ...fact('Fiscal day opened', longDateText(report.opened)),
      ...(report.closed === undefined ? [] : fact('Fiscal day closed', longDateText(report.closed))),
      ...(report.closing === undefined ? [] : fact('Closing', CLOSINGS[report.closing])),
      ...fact('Device Serial No', plainText(report.serialNumber)),
      ...fact('Device ID', String(report.deviceId)),
      ...(report.first === undefined ? [] : fact('First receipt', receiptText(report.first))),
      ...(report.last === undefined ? [] : fact('Last receipt', receiptText(report.last))),
    ],
    centreRows('Daily totals', true),
    ...(report.currencies.length === 0
      ? [centreRows('No sales')]
      : report.currencies.map((one) => currencyRows(one, maker))),
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
