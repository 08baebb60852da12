/** The states of a payment and every way from one to another. There is no other place that knows them. */
export const PAYMENT_STATES = ['Authorised', 'BeingPaid', 'Paid', 'Failed', 'Flagged', 'Reversed'] as const;
export type PaymentState = (typeof PAYMENT_STATES)[number];

const NEXT: Readonly<Record<PaymentState, readonly PaymentState[]>> = {
  Authorised: ['BeingPaid'],
  // The biller has been asked to take it; what became of that may not be known yet.
  BeingPaid: ['Paid', 'Failed', 'Flagged'],
  Paid: ['Reversed'],
  Failed: [],
  // The biller took it in doubt: a person decides.
  Flagged: ['Paid', 'Failed'],
  Reversed: [],
};

export function mayBecome(from: PaymentState, to: PaymentState): boolean {
  return NEXT[from].includes(to);
}
