import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readReceiptDate } from '../../src/fdms/core/receipt-date.ts';
import { checkRules } from '../../src/fdms/core/rules/check-rules.ts';
import { creditNoteOf } from '../../src/fiscal/receipts/compose-credit-note.ts';
import { decimal, formatFixed, negate, signOf } from '../../src/kernel/decimal.ts';
import { bodyText, creditSums, type Draft, exampleDraft, newLine } from '../../web/src/receipt/compose.ts';
import { receiptOf } from '../support/receipts/receipts.ts';

const DATE = '2026-11-15T12:00:00';
const NAMES = ['Ground coffee', 'It’s "quoted" \\ text', 'Хлеб'];

/** What the service finds wrong with what the form has composed. */
function faultsOf(draft: Draft): string[] {
  return checkRules(receiptOf(bodyText(draft, 1001, DATE)), undefined).map(({ Field, Code }) => `${Field} ${Code}`);
}

const line = fc.record({
  Type: fc.constant('Sale' as const),
  Name: fc.constantFrom(...NAMES),
  HsCode: fc.constant('19059010'),
  Quantity: fc.integer({ min: 1, max: 9999 }).map(String),
  UnitPrice: fc
    .integer({ min: 1, max: 99_999_999 })
    .map((cents) => `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`),
  Tax: fc.constantFrom('15.5', '15', '0', 'exempt'),
});

describe('what Try it composes', () => {
  test('is right to the cent, whatever is typed', () => {
    fc.assert(
      fc.property(
        fc.array(line, { minLength: 1, maxLength: 8 }),
        fc.boolean(),
        fc.constantFrom('FiscalInvoice' as const, 'CreditNote' as const, 'DebitNote' as const),
        (lines, ReceiptLinesTaxInclusive, Type) => {
          const note = Type === 'FiscalInvoice' ? {} : { OriginalReference: 'INV-1', Notes: 'Returned' };
          const draft = {
            ...exampleDraft(['15.5', '0']),
            ...note,
            Type,
            ReceiptLinesTaxInclusive,
            Lines: lines.map(newLine),
          };
          expect(faultsOf(draft)).toEqual([]);
        },
      ),
      { numRuns: 200 },
    );
  });

  test('of a discount is a negative line', () => {
    const Lines = [
      newLine({ Name: 'Chair', HsCode: '9401', UnitPrice: '100', Quantity: '2', Tax: '15.5' }),
      newLine({ Type: 'Discount', Name: 'Loyalty', HsCode: '9401', UnitPrice: '20', Tax: '15.5' }),
    ];
    const draft = { ...exampleDraft(['15.5']), Lines };
    expect(faultsOf(draft)).toEqual([]);
    const Receipt = JSON.parse(bodyText(draft, 1001, DATE));
    expect(Receipt.ReceiptLines.map((one: { LineTotal: number }) => one.LineTotal)).toEqual([200, -20]);
  });

  test('what cannot be a number is left to the service to name', () => {
    const draft = { ...exampleDraft(['15.5']), Lines: [newLine({ Name: 'X', UnitPrice: 'abc', Quantity: '-1' })] };
    expect(faultsOf(draft)).toContain('ReceiptLines[0].Quantity RCPT023');
  });
});

test('what a credit note is said to come to is what is signed, whatever of the invoice it takes', () => {
  fc.assert(
    fc.property(
      fc.array(line, { minLength: 1, maxLength: 5 }),
      fc.array(fc.nat(9999), { minLength: 5, maxLength: 5 }),
      fc.boolean(),
      (lines, taken, ReceiptLinesTaxInclusive) => {
        const invoice = bodyText(
          { ...exampleDraft([]), ReceiptLinesTaxInclusive, Lines: lines.map(newLine) },
          1001,
          DATE,
        );
        const quantities = lines.map(({ Quantity }, index) => String((taken[index] ?? 0) % (Number(Quantity) + 1)));
        const ReceiptLines = quantities.map((one, index) => ({ Line: index + 1, Quantity: decimal(one) }));
        const { receipt, violations } = creditNoteOf(
          receiptOf(invoice),
          {
            Reference: 'CN',
            Notes: 'Returned',
            ReceiptLines: ReceiptLines.filter(({ Quantity }) => signOf(Quantity) > 0),
          },
          readReceiptDate(DATE),
        );
        expect(violations).toEqual([]);
        const { total } = creditSums(JSON.parse(invoice), quantities);
        expect(formatFixed(total, 2)).toBe(formatFixed(negate(receipt.TotalAmount), 2));
        if (receipt.ReceiptLines.length > 0) expect(checkRules(receipt, undefined)).toEqual([]);
      },
    ),
    { numRuns: 200 },
  );
});
