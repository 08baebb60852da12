import type { Pool } from 'pg';
import { raise } from '../../platform/alerts/store.ts';
import { inTransaction, type Transaction } from '../../platform/database/database.ts';
import { type ClaimedAttempt, claimAttempts, lockDueVendors } from './store.ts';

/** More than the request may take, so that only a crash lets a lease run out. */
const LEASE_MARGIN_MS = 5000;

/**
 * Takes what is due, at most one delivery of each vendor, and records the attempts: they count from here on, whatever
 * becomes of this process before they are sent.
 */
export async function claimDeliveries(
  pool: Pool,
  now: Date,
  options: { readonly most: number; readonly timeoutMs: number },
): Promise<ClaimedAttempt[]> {
  const leaseEnd = new Date(now.getTime() + options.timeoutMs + LEASE_MARGIN_MS);
  return inTransaction(pool, async (tx) => {
    const vendorIds = await lockDueVendors(tx, now, leaseEnd, options.most);
    if (vendorIds.length === 0) return [];
    const claimed = await claimAttempts(tx, vendorIds, now, leaseEnd);
    for (const one of claimed) {
      if (!one.isAttempt) await alertExhausted(tx, one, 'it was cut off when the service was stopped');
    }
    return claimed;
  });
}

export async function alertExhausted(tx: Transaction, attempt: ClaimedAttempt, lastError: string): Promise<void> {
  const { vendorId, vendorCode, deliveryId, billerCodes, number } = attempt;
  const codes = billerCodes.length > 5 ? `${billerCodes.slice(0, 5).join(', ')} and others` : billerCodes.join(', ');
  await raise(tx, {
    vendorId,
    kind: 'WebhookExhausted',
    what: deliveryId,
    message:
      `Vendor ${vendorCode} did not take the news about ${codes} in ${number} attempts; of the last one: ${lastError}. ` +
      'When its callback URL works again, resend the delivery. Until then it finds the change with changedSince.',
  });
}
