import type { VendorScope } from '../../contract/billpay/vendor-token.ts';
import type { TokenHolder } from '../../platform/tokens/authentication.ts';

/** The vendor behind a token. */
export interface Vendor extends TokenHolder<VendorScope> {
  readonly vendorId: string;
  readonly vendorCode: string;
  readonly isSuspended: boolean;
}
