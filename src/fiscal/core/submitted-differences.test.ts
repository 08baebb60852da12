import { describe, expect, test } from 'vitest';
import { creditNote, invoice, receiptOf } from '../../../test/support/receipts/receipts.ts';
import { moveDate } from '../../fdms/core/receipt-date.ts';
import { applyDefaults, withBuyer } from './apply-defaults.ts';
import { differences } from './receipt-difference.ts';
import { receiptText } from './receipt-text.ts';
import { restoreSubmitted, secondsAdvanced, submittedDifferences } from './submitted-differences.ts';

const line = { Type: 'Sale', Name: 'Thing', Quantity: 1, LineTotal: 1, TaxPercent: 15.5 };
const defaults = { cashier: 'Tendai', hsTaxed: '99001000', hsZeroRated: undefined, hsExempt: undefined };

test('a receipt that was sealed as it came keeps no differences', () => {
  const receipt = receiptOf(invoice(1, 'R-1', { Cashier: 'Rudo' }));
  expect(submittedDifferences(receipt, receipt)).toBeUndefined();
  expect(restoreSubmitted(receipt, undefined)).toBe(receipt);
  const uncoded = receiptOf(invoice(1, 'R-1', { ReceiptLines: [line] }));
  expect(submittedDifferences(uncoded, uncoded)).toBeUndefined();
});

test('exactly what defaults and the date policy changed is kept', () => {
  const submitted = receiptOf(invoice(1, 'R-1', { ReceiptLines: [{ ...line, HsCode: '8516' }, line, line] }));
  const filled = applyDefaults(submitted, defaults);
  const sealed = { ...filled, Date: moveDate(filled.Date, 5, 'Africa/Harare') };
  expect(submittedDifferences(submitted, sealed)).toEqual({
    Date: '2026-11-15T12:00:00',
    Cashier: null,
    LinesWithoutHsCode: [1, 2],
  });
});

describe('what the caller sent comes back from what was sealed', () => {
  test.each([
    ['a default cashier over none', {}],
    ['a default cashier over another', { Cashier: 'Rudo' }],
    ['a default cashier over the same', { Cashier: 'Tendai' }],
    ['filled HS codes', { ReceiptLines: [line, { ...line, HsCode: '8516' }, line] }],
    ['a date with an offset', { Date: '2026-11-15T10:00:00.123Z' }],
  ])('%s', (_name, changes) => {
    const submitted = receiptOf(invoice(1, 'R-1', changes));
    const filled = applyDefaults(submitted, defaults);
    const sealed = { ...filled, Date: moveDate(filled.Date, 61, 'Africa/Harare') };
    // Through JSON, as it is stored.
    const kept = JSON.parse(JSON.stringify(submittedDifferences(submitted, sealed)));
    const restored = restoreSubmitted(sealed, kept);
    expect(restored).toEqual(submitted);
    expect(differences(restored, submitted, 'Africa/Harare')).toEqual([]);
  });
});

test('how much later the sealed date is than the one that was sent', () => {
  const sealed = receiptText(receiptOf(invoice(1, 'R-1', { Date: '2026-11-15T12:01:01' })));
  expect(secondsAdvanced(sealed, { Date: '2026-11-15T12:00:00' })).toBe(61);
  expect([secondsAdvanced(sealed, undefined), secondsAdvanced(sealed, { Cashier: null })]).toEqual([0, 0]);
});

test('a buyer taken from the original does not count as sent, and one that was sent does', () => {
  const submitted = receiptOf(creditNote(1, 'R-2', 'R-1'));
  const sealed = withBuyer(submitted, receiptOf(invoice(1, 'R-1', { BuyerName: 'Tariro', BuyerTIN: '2000000009' })));
  expect(submittedDifferences(submitted, sealed)).toEqual({ WithoutBuyer: true });
  expect(restoreSubmitted(sealed, { WithoutBuyer: true })).toEqual(submitted);
  expect(submittedDifferences(sealed, sealed)).toBeUndefined();
});
