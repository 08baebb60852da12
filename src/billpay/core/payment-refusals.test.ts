import { expect, test } from 'vitest';
import {
  billerSilent,
  conflict,
  invalidPayment,
  memberRefused,
  notReversible,
  reversalRefused,
} from './payment-refusals.ts';

const violation = { Field: 'Amount', Code: 'TooLarge', Message: 'is too large' };
const differences = (length: number) =>
  Array.from({ length }, (_, at) => ({ field: `F${at}`, recorded: `old${at}`, sent: `new${at}` }));

test.each([
  [[violation], /^One thing /],
  [[violation, violation], /^2 things /],
])('what must be corrected is counted and listed: %#', (errors, counted) => {
  expect(invalidPayment(errors)).toEqual({
    code: 'InvalidRequest',
    detail: expect.stringMatching(counted),
    errors,
  });
});

test.each([
  ['of a member', memberRefused('It moved.').errors?.[0]?.Message],
  ['of a reversal', reversalRefused('It moved.').detail],
])('the refusal %s gives the reason of the biller', (_what, text) => {
  expect(text).toContain('It moved.');
});

test('each refusal has its code', () => {
  expect(memberRefused('')).toMatchObject({ errors: [{ Field: 'MemberNumber', Code: 'MemberRefused' }] });
  expect(billerSilent(7)).toMatchObject({ code: 'Unavailable', retryAfterSeconds: 7 });
  expect(notReversible('Failed')).toMatchObject({ code: 'NotReversible', detail: expect.stringContaining('Failed') });
  expect(reversalRefused('')).toMatchObject({ code: 'NotReversible' });
});

test.each([
  [5, ': F0, F1, F2, F3, F4. '],
  [6, ': F0, F1, F2, F3, F4 and 1 more. '],
])('a conflict of %i fields is summed up as %s', (count, shown) => {
  expect(conflict('V-1', differences(count)).detail).toContain(shown);
});

test('a conflict lists both values, of the first hundred fields, and where to read the payment', () => {
  const { code, detail, errors } = conflict('V 1', differences(101));
  expect([code, errors?.length]).toEqual(['ReferenceConflict', 100]);
  expect(detail).toContain('vendorReference=V%201.');
  expect(errors?.[0]).toEqual({
    Field: 'F0',
    Code: 'ReferenceConflict',
    Message: expect.stringMatching(/old0.*new0/),
  });
});
