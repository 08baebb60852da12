import { ENDPOINT_ALERTS } from '../contract/shared/values.ts';
import type { Transaction } from '../platform/database/database.ts';
import { type Endpoint, isMail } from './core/endpoint.ts';
import { isFailing } from './core/policy.ts';
import { ENDPOINT } from './endpoint-store.ts';
import type { Step } from './work-store.ts';

type Kind = (typeof ENDPOINT_ALERTS)[number];

/** Tells of endpoints that fail or are paused, and of those that fail no more. */
export async function settleAlerts(tx: Transaction, steps: readonly Step[]): Promise<void> {
  for (const { endpoint, wasFailing, attempt } of steps) {
    const { endpointId, attempts } = endpoint;
    if (wasFailing && !isFailing(endpoint)) await clearAlerts(tx, endpointId, ['EndpointFailing']);
    if (endpoint.state === 'Paused') await raisePaused(tx, endpoint);
    else if (attempt !== undefined && isFailing(endpoint)) {
      const reason = `It failed ${attempts} times in a row; of the last time: ${attempt.error}`;
      await raise(tx, endpoint, 'EndpointFailing', `takes no events. ${reason}. It is tried again automatically.`);
    }
  }
}

async function raisePaused(tx: Transaction, endpoint: Endpoint): Promise<void> {
  const rest = 'Nothing is lost: resume the endpoint when it works again.';
  await raise(tx, endpoint, 'EndpointPaused', `is no longer sent events. ${endpoint.pauseReason}. ${rest}`);
}

/** After a restore: events since the backup are gone and their numbers come again, so a person says where each receiver goes on. */
export async function pauseRestoredEndpoints(tx: Transaction, at: Date): Promise<void> {
  const paused = await tx.query<Endpoint>(
    `update endpoints e set state = 'Paused', pause_reason = $1, paused_at = $2, locked_until = null, revision = revision + 1
      where state = 'Active' returning ${ENDPOINT}`,
    ['It was restored from a backup: resume where its receiver should go on', at],
  );
  for (const endpoint of paused.rows) await raisePaused(tx, endpoint);
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

/** All of them when it is resumed or deleted. */
export async function clearAlerts(
  tx: Transaction,
  endpointId: string,
  kinds: readonly Kind[] = ENDPOINT_ALERTS,
): Promise<void> {
  await tx.query('update alerts set cleared_at = now() where kind = any ($1) and subject = $2 and cleared_at is null', [
    kinds,
    endpointId,
  ]);
}
