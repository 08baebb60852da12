import type { TokenHolder } from '../../platform/authentication.ts';

/** What a vendor's token may be used for: `pay` moves money, `read` looks. */
export const VENDOR_SCOPES = ['pay', 'read'] as const;
export type VendorScope = (typeof VENDOR_SCOPES)[number];

/** The vendor behind a token. */
export interface Vendor extends TokenHolder<VendorScope> {
  readonly vendorId: string;
  readonly vendorCode: string;
  readonly isSuspended: boolean;
}
