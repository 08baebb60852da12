import type { DayReport } from '../../contract/fiscal/day.ts';
import { type Decimal, ZERO } from '../../kernel/decimal.ts';
import { amount, percent } from '../shared/shown.ts';
import { printFacts, tablePrinter } from '../shared/table.ts';
import type { Terminal } from '../shared/terminal.ts';

type Sums = DayReport['Currencies'][number];

const CLOSINGS = {
  Accepted: 'accepted by the authority',
  Manual: 'by a person at the authority',
  Pending: 'not confirmed by the authority yet',
  Failed: 'failed: the day continues',
} as const;

/** An X or Z report as it is printed: the seller, the day, then the sums of each currency. */
export function printDayReport(terminal: Terminal, report: DayReport): void {
  const { Seller: seller } = report;
  printFacts(terminal, [
    [`${report.Kind} report`, `fiscal day ${report.FiscalDayNumber}, ${report.State}`],
    ['Seller', `${seller.TaxpayerName}, TIN ${seller.TIN}`],
    ['VAT number', seller.VatNumber ?? 'not registered for VAT'],
    ['Branch', seller.BranchName ?? undefined],
    ['Address', seller.BranchAddress === null ? undefined : addressText(seller.BranchAddress)],
    ['Device', `${report.AuthorityDeviceId} (${report.DeviceSerialNumber})`],
    ['Opened', report.Opened.replace('T', ' ')],
    ['Closed', report.Closed?.replace('T', ' ')],
    ['Closing', report.Closing === null ? undefined : CLOSINGS[report.Closing]],
    ['Receipts', String(report.ReceiptCount)],
    ['First receipt', receiptText(report.FirstReceipt)],
    ['Last receipt', receiptText(report.LastReceipt)],
  ]);
  if (report.Currencies.length === 0) terminal.print('Nothing was sold.');
  for (const currency of report.Currencies) printCurrency(terminal, currency);
}

/** Numbered as on the receipt itself. */
function receiptText(receipt: DayReport['FirstReceipt']): string | undefined {
  return receipt === null ? undefined : `${receipt.FiscalDayCounter}/${receipt.GlobalCounter} ${receipt.Reference}`;
}

function printCurrency(terminal: Terminal, sums: Sums): void {
  const amountAt = (lines: Sums['Taxes'], { TaxId, TaxPercent }: Sums['Taxes'][number]) =>
    lines.find((line) => line.TaxId === TaxId && percent(line.TaxPercent) === percent(TaxPercent))?.Amount ?? ZERO;
  const rows = sums.NetSales.map((line) => ({
    name: `${line.TaxName}, ${percent(line.TaxPercent)}`,
    net: line.Amount,
    tax: amountAt(sums.Taxes, line),
    gross: amountAt(sums.GrossSales, line),
  }));
  const total = { name: 'Total', net: sums.TotalNet, tax: sums.TotalTax, gross: sums.TotalGross };
  terminal.print('');
  tablePrinter<typeof total>(terminal, [
    { title: sums.Currency, value: (row) => row.name },
    { title: 'NET', value: (row) => amount(row.net), isNumber: true },
    { title: 'TAX', value: (row) => amount(row.tax), isNumber: true },
    { title: 'GROSS', value: (row) => amount(row.gross), isNumber: true },
  ])([...rows, total]);
  terminal.print('');
  tablePrinter<Sums['Documents'][number]>(terminal, [
    { title: 'DOCUMENTS', value: (row) => row.Type },
    { title: 'QUANTITY', value: (row) => String(row.Quantity), isNumber: true },
    { title: 'AMOUNT', value: (row) => amount(row.Amount), isNumber: true },
  ])([...sums.Documents, { Type: 'Total', ...sums.TotalDocuments }]);
  const amounts = (title: string, lines: readonly (readonly [string, Decimal])[]) => {
    terminal.print('');
    tablePrinter<(typeof lines)[number]>(terminal, [
      { title, value: ([name]) => name },
      { title: 'AMOUNT', value: ([, value]) => amount(value), isNumber: true },
    ])(lines);
  };
  amounts(
    'BALANCE',
    sums.Balances.map((line) => [line.MoneyType, line.Amount] as const),
  );
  if (sums.OtherCounters.length === 0) return;
  amounts(
    'OTHER COUNTER',
    sums.OtherCounters.map((line) => [line.Name, line.Amount] as const),
  );
}

function addressText(address: object): string {
  const parts = ['houseNo', 'street', 'city', 'district', 'province'].map((key): unknown => Reflect.get(address, key));
  return parts.filter((part) => typeof part === 'string').join(', ');
}
