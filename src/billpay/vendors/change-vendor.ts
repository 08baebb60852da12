import type { Vendor, VendorChange } from '../../contract/billpay/vendor.ts';
import { type Refusal, type Refused, refused } from '../../kernel/refusal.ts';
import type { Change } from '../../platform/database/audit.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { MasterKeys } from '../../platform/secrets/master-keys.ts';
import { retryInvoicesOf } from '../invoices/job-store.ts';
import { encryptVendorSecret } from './secrets.ts';
import { lockVendor, updateVendor, updateVendorSecret } from './store.ts';

export const NO_VENDOR: Refusal = { code: 'NotFound', detail: 'There is no vendor with this id.' };

const SECRETS = [
  ['CallbackToken', 'callbackToken'],
  ['FiscalToken', 'fiscalToken'],
] as const;

/** Changes the fields that are given, and no others; null takes one away. */
export async function changeVendor(
  tx: Transaction,
  masterKeys: MasterKeys,
  vendorId: string,
  change: VendorChange,
  now: Date,
): Promise<Change<Vendor> | Refused> {
  const stored = await lockVendor(tx, vendorId);
  if (stored === undefined) return refused(NO_VENDOR);
  const changed = applyChange(stored, change, now);
  await updateVendor(tx, changed);
  for (const [field, which] of SECRETS) {
    const text = change[field];
    if (text === undefined) continue;
    const encrypted = text === null ? null : await encryptVendorSecret(tx, masterKeys, vendorId, which, text);
    await updateVendorSecret(tx, vendorId, which, encrypted);
  }
  // What was refused because of the old token or device gets another chance.
  if (change.FiscalToken !== undefined || change.FiscalDeviceId !== undefined) {
    await retryInvoicesOf(tx, { vendorId }, now);
  }
  const after = { ...changed, ...replaced(change) };
  return { action: 'vendor.changed', subject: `vendor ${vendorId}`, before: stored, after, answer: changed };
}

function applyChange(before: Vendor, change: VendorChange, now: Date): Vendor {
  const { Suspended, CallbackToken, FiscalToken, ...given } = change;
  const suspendedAt = Suspended ? (before.SuspendedAt ?? now.toISOString()) : null;
  const SuspendedAt = Suspended === undefined ? before.SuspendedAt : suspendedAt;
  return {
    ...before,
    ...given,
    Suspended: SuspendedAt !== null,
    SuspendedAt,
    HasCallbackToken: CallbackToken === undefined ? before.HasCallbackToken : CallbackToken !== null,
    HasFiscalToken: FiscalToken === undefined ? before.HasFiscalToken : FiscalToken !== null,
  };
}

/** A secret put in the place of another leaves no trace in what is shown: the audit log says that it happened. */
function replaced(change: VendorChange) {
  const names = SECRETS.map(([field]) => field).filter((field) => typeof change[field] === 'string');
  return names.length === 0 ? {} : { Replaced: names };
}
