import { expect, test } from 'vitest';
import { PAYMENT_STATES } from '../../contract/billpay/payment.ts';
import { mayBecome } from './payment-state.ts';

test('of all ways from one state to another there are these and no other', () => {
  const ways = PAYMENT_STATES.flatMap((from) =>
    PAYMENT_STATES.filter((to) => mayBecome(from, to)).map((to) => `${from} → ${to}`),
  );
  expect(ways.toSorted()).toEqual([
    'Authorised → BeingPaid',
    'Authorised → Paid',
    'BeingPaid → Failed',
    'BeingPaid → Flagged',
    'BeingPaid → Paid',
    'Flagged → Failed',
    'Flagged → Paid',
    'Paid → Reversed',
  ]);
});
