import type { JsonView } from './json-view.ts';
import { percentText } from './receipt-view.ts';
import { printFacts, tablePrinter } from './table.ts';
import type { Terminal } from './terminal.ts';

/** An X or Z report as it is printed: the seller, the day, then the sums of each currency. */
export function printDayReport(terminal: Terminal, report: JsonView): void {
  const seller = report.object('Seller');
  printFacts(terminal, [
    [`${report.text('Kind')} report`, `fiscal day ${report.text('FiscalDayNumber')}, ${report.text('State')}`],
    ['Seller', seller && `${seller.text('TaxpayerName')}, TIN ${seller.text('TIN')}`],
    ['VAT number', seller?.optional('VatNumber') ?? 'not registered for VAT'],
    ['Branch', seller?.optional('BranchName')],
    ['Address', seller?.object('BranchAddress') && addressText(seller.object('BranchAddress'))],
    ['Device', `${report.text('AuthorityDeviceId')} (${report.text('DeviceSerialNumber')})`],
    ['Opened', report.text('Opened').replace('T', ' ')],
    ['Closed', report.optional('Closed')?.replace('T', ' ')],
    ['Receipts', report.text('ReceiptCount')],
  ]);
  const currencies = report.list('Currencies');
  if (currencies.length === 0) terminal.print('Nothing was sold.');
  for (const currency of currencies) printCurrency(terminal, currency);
}

function printCurrency(terminal: Terminal, sums: JsonView): void {
  const tax = new Map(sums.list('Taxes').map((line) => [keyOf(line), line.amount('Amount')]));
  const gross = new Map(sums.list('GrossSales').map((line) => [keyOf(line), line.amount('Amount')]));
  const rows = sums.list('NetSales').map((line) => ({
    name: `${line.text('TaxName')}, ${percentText(line)}`,
    net: line.amount('Amount'),
    tax: tax.get(keyOf(line)) ?? '0.00',
    gross: gross.get(keyOf(line)) ?? '0.00',
  }));
  const total = { net: sums.amount('TotalNet'), tax: sums.amount('TotalTax'), gross: sums.amount('TotalGross') };
  terminal.print('');
  tablePrinter<(typeof rows)[number]>(terminal, [
    { title: sums.text('Currency'), value: (row) => row.name },
    { title: 'NET', value: (row) => row.net, isNumber: true },
    { title: 'TAX', value: (row) => row.tax, isNumber: true },
    { title: 'GROSS', value: (row) => row.gross, isNumber: true },
  ])([...rows, { name: 'Total', ...total }]);
  terminal.print('');
  const documents = sums.list('Documents').map((line) => documentRow(line.text('Type'), line));
  const all = sums.object('TotalDocuments');
  tablePrinter<ReturnType<typeof documentRow>>(terminal, [
    { title: 'DOCUMENTS', value: (row) => row.type },
    { title: 'QUANTITY', value: (row) => row.quantity, isNumber: true },
    { title: 'AMOUNT', value: (row) => row.amount, isNumber: true },
  ])([...documents, ...(all === undefined ? [] : [documentRow('Total', all)])]);
  terminal.print('');
  tablePrinter<JsonView>(terminal, [
    { title: 'BALANCE', value: (line) => line.text('MoneyType') },
    { title: 'AMOUNT', value: (line) => line.amount('Amount'), isNumber: true },
  ])(sums.list('Balances'));
  const others = sums.list('OtherCounters');
  if (others.length === 0) return;
  terminal.print('');
  tablePrinter<JsonView>(terminal, [
    { title: 'OTHER COUNTER', value: (line) => line.text('Name') },
    { title: 'AMOUNT', value: (line) => line.amount('Amount'), isNumber: true },
  ])(others);
}

function documentRow(type: string, line: JsonView) {
  return { type, quantity: line.text('Quantity'), amount: line.amount('Amount') };
}

function keyOf(line: JsonView): string {
  return `${line.text('TaxId')} ${line.text('TaxPercent')}`;
}

function addressText(address: JsonView | undefined): string | undefined {
  const parts = ['houseNo', 'street', 'city', 'district', 'province'].map((key) => address?.optional(key));
  return parts.filter((part) => part !== undefined).join(', ');
}
