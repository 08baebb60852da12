import { describe, expect, test } from 'vitest';
import type { ReceiptDraft } from '../../contract/fiscal/receipt-body.ts';
import { decimal, formatDecimal } from '../../kernel/decimal.ts';
import { completeReceipt } from './complete-receipt.ts';

const exact = (holder: object, key: string) => decimal(String(Reflect.get(holder, key)));

function completed(changes: object) {
  const draft = {
    AuthorityDeviceId: 1,
    Type: 'FiscalInvoice',
    Currency: 'USD',
    Reference: 'A-1',
    Date: '2026-11-15T12:00:00',
    ReceiptLinesTaxInclusive: true,
    ReceiptLines: [{ Type: 'Sale', Name: 'Flour', UnitPrice: 1.1, Quantity: 3, TaxPercent: 0 }],
    Payments: [{ Type: 'Cash' }],
    ...changes,
  } as unknown as ReceiptDraft;
  const { receipt, violations } = completeReceipt(draft, exact, new Date('2026-11-15T10:00:00Z'));
  return {
    total: formatDecimal(receipt.TotalAmount),
    lines: receipt.ReceiptLines.map(({ LineTotal }) => formatDecimal(LineTotal)),
    payments: receipt.Payments.map(({ Amount }) => formatDecimal(Amount)),
    taxes: receipt.Taxes.map(({ TaxAmount }) => formatDecimal(TaxAmount)),
    violations: violations.map(({ Field, Code }) => `${Field} ${Code}`),
  };
}

const line = (more: object) => ({ Type: 'Sale', Name: 'Flour', Quantity: 1, TaxPercent: 0, ...more });

test('line totals, taxes, the total and the one open payment are computed', () => {
  expect(completed({})).toEqual({ total: '3.3', lines: ['3.3'], payments: ['3.3'], taxes: ['0'], violations: [] });
});

test('what was given stays as it is, also where it is wrong', () => {
  const ReceiptLines = [line({ UnitPrice: 2, LineTotal: 5 })];
  const given = { ReceiptLines, TotalAmount: 7, Taxes: [], Payments: [{ Type: 'Cash', Amount: 1 }] };
  expect(completed(given)).toEqual({ total: '7', lines: ['5'], payments: ['1'], taxes: [], violations: [] });
});

test('a line with neither price nor total is named, and nothing else is said then', () => {
  const ReceiptLines = [line({ LineTotal: 2 }), line({}), line({ LineTotal: null, UnitPrice: null })];
  expect(completed({ ReceiptLines, Payments: [{ Type: 'Cash', Amount: 9 }, { Type: 'Card' }] }).violations).toEqual([
    'ReceiptLines[1].LineTotal Required',
    'ReceiptLines[2].LineTotal Required',
  ]);
});

describe('the open payment', () => {
  const of = (total: number, ...amounts: (number | null)[]) =>
    completed({
      ReceiptLines: [line({ LineTotal: total })],
      Payments: amounts.map((Amount) => ({ Type: 'Cash', Amount })),
    });

  test('gets what the others leave, wherever it stands', () => {
    expect(of(10, 4, null, 1)).toMatchObject({ payments: ['4', '5', '1'], violations: [] });
    expect(of(10, 10, null)).toMatchObject({ payments: ['10', '0'], violations: [] });
    expect(of(-10, -4, null)).toMatchObject({ payments: ['-4', '-6'], violations: [] });
    expect(of(0, null)).toMatchObject({ payments: ['0'], violations: [] });
  });

  test('is refused where the others exceed the total, of a note as well', () => {
    expect(of(10, 11, null).violations).toEqual(['Payments[1].Amount RCPT039']);
    expect(of(-10, -11, null).violations).toEqual(['Payments[1].Amount RCPT039']);
    expect(of(10, 11).violations).toEqual([]);
  });

  test('is one: a second one is named', () => {
    expect(of(10, null, 4, null, null)).toMatchObject({
      payments: ['6', '4', '0', '0'],
      violations: ['Payments[2].Amount Required', 'Payments[3].Amount Required'],
    });
  });
});
