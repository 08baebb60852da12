import type { Transaction } from '../../platform/database.ts';
import type { MasterKeys } from '../../platform/master-keys.ts';
import { retryInvoicesOf } from '../invoices/retry-invoices.ts';
import { encryptVendorSecret } from './secrets.ts';
import { lockVendor, updateVendor, updateVendorSecret, type VendorRecord } from './store.ts';

/** Undefined leaves a field as it is; null takes it away. */
export interface VendorChange {
  readonly name?: string | undefined;
  readonly isSuspended?: boolean | undefined;
  readonly callbackUrl?: string | null | undefined;
  readonly callbackToken?: string | null | undefined;
  readonly fiscalToken?: string | null | undefined;
  readonly fiscalDeviceId?: number | null | undefined;
}

/** Undefined when there is no such vendor. */
export async function changeVendor(
  tx: Transaction,
  masterKeys: MasterKeys,
  vendorId: string,
  change: VendorChange,
  now: Date,
): Promise<{ readonly before: VendorRecord; readonly after: VendorRecord } | undefined> {
  const before = await lockVendor(tx, vendorId);
  if (before === undefined) return undefined;
  const { isSuspended } = change;
  const after: VendorRecord = {
    ...before,
    name: change.name ?? before.name,
    suspendedAt: isSuspended === undefined ? before.suspendedAt : isSuspended ? (before.suspendedAt ?? now) : null,
    callbackUrl: change.callbackUrl === undefined ? before.callbackUrl : change.callbackUrl,
    fiscalDeviceId: change.fiscalDeviceId === undefined ? before.fiscalDeviceId : change.fiscalDeviceId,
    hasCallbackToken: change.callbackToken === undefined ? before.hasCallbackToken : change.callbackToken !== null,
    hasFiscalToken: change.fiscalToken === undefined ? before.hasFiscalToken : change.fiscalToken !== null,
  };
  await updateVendor(tx, after);
  for (const which of ['callbackToken', 'fiscalToken'] as const) {
    const text = change[which];
    if (text === undefined) continue;
    const encrypted = text === null ? null : await encryptVendorSecret(tx, masterKeys, vendorId, which, text);
    await updateVendorSecret(tx, vendorId, which, encrypted);
  }
  // What was refused because of the old token or device gets another chance.
  if (change.fiscalToken !== undefined || change.fiscalDeviceId !== undefined) {
    await retryInvoicesOf(tx, { vendorId }, now);
  }
  return { before, after };
}
