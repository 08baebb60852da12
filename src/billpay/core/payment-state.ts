import type { PaymentState } from '../../contract/billpay/payment.ts';

/** Every way from one state of a payment to another. There is no other place that knows them. */
const NEXT: Readonly<Record<PaymentState, readonly PaymentState[]>> = {
  // A biller whose payments are settled here is not asked: then paying is one step.
  Authorised: ['BeingPaid', 'Paid'],
  // The biller has been asked to take it; what became of that may not be known yet.
  BeingPaid: ['Paid', 'Failed', 'Flagged'],
  Paid: ['Reversed'],
  Failed: [],
  // The biller took it in doubt: a person decides.
  Flagged: ['Paid', 'Failed'],
  Reversed: [],
};

/** The states a payment may be recorded in: authorised first, or paid without that. */
const FIRST_STATES = ['Authorised', 'BeingPaid', 'Paid'] as const satisfies readonly PaymentState[];
export type FirstState = (typeof FIRST_STATES)[number];

export function mayBecome(from: PaymentState, to: PaymentState): boolean {
  return NEXT[from].includes(to);
}
