import type { VendorRecord } from '../billpay/index.ts';
import type { Refusal } from '../kernel/refusal.ts';

export const NO_VENDOR: Refusal = { code: 'NotFound', detail: 'There is no vendor with this id.' };

/** Of its secrets only whether they are there. */
export function presentVendor(vendor: VendorRecord) {
  return {
    VendorId: vendor.vendorId,
    Code: vendor.vendorCode,
    Name: vendor.name,
    Suspended: vendor.suspendedAt !== null,
    SuspendedAt: vendor.suspendedAt?.toISOString() ?? null,
    CallbackUrl: vendor.callbackUrl,
    HasCallbackToken: vendor.hasCallbackToken,
    HasFiscalToken: vendor.hasFiscalToken,
    FiscalDeviceId: vendor.fiscalDeviceId,
    CreatedAt: vendor.createdAt.toISOString(),
  };
}
