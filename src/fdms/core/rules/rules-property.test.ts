import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toJson } from '../../../../test/support/exact-number.ts';
import { runs } from '../../../../test/support/property-runs.ts';

import { arbitraryReceipt } from '../../../../test/support/receipts/arbitrary-receipt.ts';
import { MUTATIONS } from '../../../../test/support/receipts/mutations.ts';
import { receiptOf } from '../../../../test/support/receipts/receipts.ts';

import { ReceiptBody } from '../../../contract/fiscal/receipt-body.ts';
import { receiptText } from '../../../fiscal/core/receipt-text.ts';
import { bodyShape } from '../../../platform/http/shape.ts';
import { parseExactJson } from '../../../platform/json/exact-json.ts';
import { checkRules } from './check-rules.ts';

const shape = bodyShape(ReceiptBody);

test('a valid receipt breaks no rule and no shape, by a second implementation of the tax rules', () => {
  fc.assert(
    fc.property(arbitraryReceipt(), (receipt) => {
      expect(shape(parseExactJson(Buffer.from(toJson(receipt))))).toEqual([]);
      expect(checkRules(receiptOf(receipt), undefined)).toEqual([]);
    }),
    runs(2000),
  );
});

test('the echo of a valid receipt reads back as the same receipt', () => {
  fc.assert(
    fc.property(arbitraryReceipt(), (wire) => {
      const receipt = receiptOf(wire);
      expect(shape(parseExactJson(Buffer.from(receiptText(receipt))))).toEqual([]);
      expect(receiptOf(receiptText(receipt))).toEqual(receipt);
    }),
    runs(500),
  );
});

describe('one change that breaks a rule is refused with its code at its field', () => {
  test.each(MUTATIONS)('$name: $code', ({ code, field, fits, change }) => {
    fc.assert(
      fc.property(arbitraryReceipt(), (receipt) => {
        fc.pre(fits(receipt));
        const changed = structuredClone(receipt);
        change(changed);
        const violations = checkRules(receiptOf(changed), undefined);
        expect(violations.map((violation) => `${violation.Field} ${violation.Code}`)).toContain(`${field} ${code}`);
      }),
      runs(40),
    );
  });
});
