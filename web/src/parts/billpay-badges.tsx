import type { MantineColor } from '@mantine/core';
import type { InvoiceState } from '../../../src/contract/billpay/invoice.ts';
import type { PaymentState } from '../../../src/contract/billpay/payment.ts';
import type { DeliveryState } from '../../../src/contract/billpay/webhook-delivery.ts';
import type { Biller } from '../api/answers.ts';
import { StateBadge } from './badges.tsx';

type Look = readonly [MantineColor, string];

const PAYMENTS: Readonly<Record<PaymentState, Look>> = {
  Authorised: ['gray', 'Authorised'],
  BeingPaid: ['blue', 'Being paid'],
  Paid: ['seal', 'Paid'],
  Failed: ['red', 'Failed'],
  Flagged: ['yellow', 'Flagged'],
  Reversed: ['gray', 'Reversed'],
};

const INVOICES: Readonly<Record<InvoiceState, Look>> = {
  Waiting: ['blue', 'Waiting'],
  Sealed: ['seal', 'Sealed'],
  Rejected: ['red', 'Rejected'],
};

const DELIVERIES: Readonly<Record<DeliveryState, Look>> = {
  Pending: ['blue', 'Pending'],
  Delivered: ['seal', 'Delivered'],
  Exhausted: ['red', 'Given up'],
};

export const PAYMENT_STATES = Object.entries(PAYMENTS).map(([value, [, label]]) => ({ value, label }));

export function paymentStateName(state: PaymentState): string {
  return PAYMENTS[state][1];
}

function badgeOf<State extends string>(looks: Readonly<Record<State, Look>>) {
  return ({ state }: { readonly state: State }) => <StateBadge color={looks[state][0]}>{looks[state][1]}</StateBadge>;
}

export const PaymentBadge = badgeOf(PAYMENTS);
export const InvoiceBadge = badgeOf(INVOICES);
export const DeliveryBadge = badgeOf(DELIVERIES);

export function BillerBadge({ biller }: { readonly biller: Biller }) {
  return <StateBadge color={biller.Enabled ? 'seal' : 'gray'}>{biller.Enabled ? 'Enabled' : 'Disabled'}</StateBadge>;
}
