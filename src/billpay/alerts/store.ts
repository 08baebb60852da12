import type { VENDOR_ALERTS } from '../../contract/shared/values.ts';
import type { Transaction } from '../../platform/database/database.ts';

/** What an operator has to look at, of a vendor's. */
type VendorAlertKind = (typeof VENDOR_ALERTS)[number];

export interface VendorAlert {
  readonly vendorId: string;
  readonly kind: VendorAlertKind;
  readonly subject: string;
  readonly message: string;
}

/** Raised once per matter; said again, it only brings the newest words. */
export async function raiseVendorAlert(tx: Transaction, alert: VendorAlert): Promise<void> {
  await tx.query(
    `insert into alerts (vendor_id, kind, subject, message) values ($1, $2, $3, $4)
     on conflict (vendor_id, kind, subject) where cleared_at is null and vendor_id is not null
     do update set message = excluded.message`,
    [alert.vendorId, alert.kind, alert.subject, alert.message],
  );
}

/** The matter is settled. */
export async function clearVendorAlert(
  tx: Transaction,
  vendorId: string,
  kind: VendorAlertKind,
  subject: string,
): Promise<void> {
  await tx.query(
    'update alerts set cleared_at = now() where vendor_id = $1 and kind = $2 and subject = $3 and cleared_at is null',
    [vendorId, kind, subject],
  );
}
