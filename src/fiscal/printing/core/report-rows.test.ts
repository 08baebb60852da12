import { describe, expect, test } from 'vitest';
import { printInput } from '../../../../test/support/printing/print-input.ts';
import { invoice } from '../../../../test/support/receipts/receipts.ts';
import { decimal } from '../../../kernel/decimal.ts';
import type { CurrencyReport } from '../../core/day-report.ts';
import { rowsText } from '../render-text.ts';
import { dayReport, type ReportedDay, reportRows } from './report-rows.ts';

const tax = (taxName: string, taxPercent: string | null, amount: string) => ({
  taxId: 1,
  taxName,
  taxPercent: taxPercent === null ? null : decimal(taxPercent),
  amount: decimal(amount),
});

const dollars: CurrencyReport = {
  currency: 'USD',
  net: [tax('Standard rated 15.5%', '15.5', '1000000'), tax('Exempt', null, '5')],
  totalNet: decimal('1000005'),
  tax: [tax('Standard rated 15.5%', '15.5', '155000')],
  totalTax: decimal('155000'),
  gross: [tax('Standard rated 15.5%', '15.5', '1155000'), tax('Exempt', null, '5')],
  totalGross: decimal('1155005'),
  documents: [
    { type: 'FiscalInvoice', quantity: 12, amount: decimal('1155105') },
    { type: 'CreditNote', quantity: 1, amount: decimal('-100') },
    { type: 'DebitNote', quantity: 0, amount: decimal('0') },
  ],
  totalDocuments: { quantity: 13, amount: decimal('1155005') },
  balances: [{ moneyType: 'MobileWallet', amount: decimal('1155005') }],
  others: [{ name: 'PayoutByTax 15 %', amount: decimal('-12.5') }],
};

const report: ReportedDay = {
  kind: 'Z',
  seller: printInput(invoice(1001, 'INV-1')).seller,
  deviceId: 1001,
  serialNumber: 'SN-1001',
  fiscalDayNumber: 12,
  opened: '2023-04-03 06:01:00',
  closed: '2023-04-03 18:01:59',
  closing: 'Accepted',
  first: { fiscalDayCounter: 1, globalCounter: 4711, reference: 'INV-000148' },
  last: { fiscalDayCounter: 13, globalCounter: 4723, reference: 'INV-000160' },
  currencies: [dollars],
};
const textOf = (day: ReportedDay) => rowsText(reportRows(dayReport(day)));
const fact = (label: string, value: string) => `${label}${' '.repeat(48 - label.length - value.length)}${value}\n`;
const text = textOf(report);

describe('a Z report shows', () => {
  test.each([
    ['its title', ' Z REPORT '],
    ['the seller', 'Baobab Trading (Pvt) Ltd'],
    ['the day', fact('Fiscal day No:', '12')],
    ['when it was opened', fact('Fiscal day opened:', '03/04/2023 06:01')],
    ['when it was closed', fact('Fiscal day closed:', '03/04/2023 18:01')],
    ['that the authority accepted the closing', fact('Closing:', 'accepted by the authority')],
    ['its first receipt', fact('First receipt:', '1/4711 INV-000148')],
    ['its last receipt', fact('Last receipt:', '13/4723 INV-000160')],
    ['the serial number', fact('Device Serial No:', 'SN-1001')],
    ['the device', fact('Device ID:', '1001')],
    ['the totals', ' Daily totals '],
    ['net by tax', fact('  Net, Standard rated 15.5%', '1,000,000.00') + fact('  Net, Exempt', '5.00')],
    ['net in total', fact('Total net amount', '1,000,005.00')],
    ['tax', fact('  Tax, Standard rated 15.5%', '155,000.00') + fact('Total tax amount', '155,000.00')],
    ['gross', fact('  Total, Exempt', '5.00') + fact('Total gross amount', '1,155,005.00')],
    ['invoices', '  Invoices               12         1,155,105.00\n'],
    ['credit notes', '  Credit notes            1              -100.00\n'],
    ['debit notes', '  Debit notes             0                 0.00\n'],
    ['documents in total', 'Total documents          13         1,155,005.00\n'],
    ['payments', fact('  Mobile wallet', '1,155,005.00')],
    ['counters of other kinds', fact('  PayoutByTax 15 %', '-12.50')],
  ])('%s', (_element, expected) => {
    expect(text).toContain(expected);
  });
});

test('an X report is one without an end', () => {
  const open = textOf({ ...report, kind: 'X', closed: undefined, closing: undefined });
  expect(open).toContain(' X REPORT ');
  expect(open).not.toContain('closed');
});

test('a closing that failed, waits or was made by a person says so', () => {
  const closingOf = (closing: ReportedDay['closing']) => textOf({ ...report, closing });
  expect(closingOf('Failed')).toContain(fact('Closing:', 'failed'));
  expect(closingOf('Pending')).toContain(fact('Closing:', 'not confirmed yet'));
  expect(closingOf('Manual')).toContain(fact('Closing:', 'by a person at the authority'));
});

test('a day without receipts names none', () => {
  expect(textOf({ ...report, first: undefined, last: undefined })).not.toContain('receipt');
});

test('without tax above 0 % there is no block of taxes, and without sales a word instead', () => {
  expect(textOf({ ...report, currencies: [{ ...dollars, tax: [] }] })).not.toContain('Total taxes');
  expect(textOf({ ...report, currencies: [] })).toContain(' No sales ');
});
