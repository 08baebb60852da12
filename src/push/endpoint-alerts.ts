import type { ENDPOINT_ALERTS } from '../contract/shared/values.ts';
import type { Transaction } from '../platform/database/database.ts';
import { type Endpoint, isMail } from './core/endpoint.ts';
import { isFailing } from './core/policy.ts';
import type { Step } from './work-store.ts';

type Kind = (typeof ENDPOINT_ALERTS)[number];

/** Tells of endpoints that fail or are paused, and of those that fail no more. */
export async function settleAlerts(tx: Transaction, steps: readonly Step[]): Promise<void> {
  for (const { endpoint, wasFailing, attempt } of steps) {
    const { endpointId, attempts, pauseReason } = endpoint;
    if (wasFailing && !isFailing(endpoint)) await clearFailing(tx, endpointId);
    if (endpoint.state === 'Paused') {
      const rest = 'Nothing is lost: resume the endpoint when it works again.';
      await raise(tx, endpoint, 'EndpointPaused', `is no longer sent events. ${pauseReason}. ${rest}`);
    } else if (attempt !== undefined && isFailing(endpoint)) {
      const reason = `It failed ${attempts} times in a row; of the last time: ${attempt.error}`;
      await raise(tx, endpoint, 'EndpointFailing', `takes no events. ${reason}. It is tried again automatically.`);
    }
  }
}

/**
 * Raised once. Events about it go to other endpoints, which may fail as well: so that two that fail now and then do not keep each
 * other busy, failing is raised again an hour after it was over at the earliest.
 */
async function raise(tx: Transaction, endpoint: Endpoint, kind: Kind, message: string): Promise<void> {
  const { taxpayerId, vendorId, endpointId } = endpoint;
  await tx.query(
    `insert into alerts (taxpayer_id, vendor_id, kind, subject, message)
     select $1::uuid, $2::uuid, $3::text, $4::text, $5::text
      where $3 = 'EndpointPaused'
         or not exists (select from alerts where kind = $3 and subject = $4 and cleared_at > now() - interval '1 hour')
     on conflict do nothing`,
    [taxpayerId, vendorId, kind, endpointId, `${placeOf(endpoint.address)} ${message}`],
  );
}

/** Without path and query: some have a secret there, and alerts go far. */
function placeOf(address: string): string {
  return isMail(address) ? address : new URL(address).origin;
}

export async function clearFailing(tx: Transaction, endpointId: string): Promise<void> {
  await clear(tx, endpointId, ['EndpointFailing']);
}

/** It is resumed or deleted. */
export async function clearAlerts(tx: Transaction, endpointId: string): Promise<void> {
  await clear(tx, endpointId, ['EndpointFailing', 'EndpointPaused']);
}

async function clear(tx: Transaction, endpointId: string, kinds: readonly Kind[]): Promise<void> {
  await tx.query('update alerts set cleared_at = now() where kind = any ($1) and subject = $2 and cleared_at is null', [
    kinds,
    endpointId,
  ]);
}
