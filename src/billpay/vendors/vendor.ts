import type { TokenScope } from '../../contract/shared/values.ts';
import type { TokenHolder } from '../../platform/tokens/authentication.ts';

export type PaymentScope = TokenScope<'vendor' | 'biller'>;

/** The vendor behind a token. */
export interface Vendor extends TokenHolder<PaymentScope> {
  readonly kind: 'vendor';
  readonly vendorId: string;
  readonly vendorCode: string;
  readonly isSuspended: boolean;
}

/** The biller behind a token: it asks what was paid to it, through whichever vendor. */
export interface PaidBiller extends TokenHolder<PaymentScope> {
  readonly kind: 'biller';
  readonly billerCode: string;
}

/** Whoever has a token for /api/payment. */
export type Holder = Vendor | PaidBiller;
