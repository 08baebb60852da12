import type { Transaction } from '../platform/database/database.ts';
import { INSTALLATION_ID } from '../platform/events/feed.ts';
import { type Endpoint, isMail } from './core/endpoint.ts';
import { isFailing } from './core/policy.ts';
import { ENDPOINT } from './endpoint-store.ts';
import type { Step } from './work-store.ts';

/** Tells of endpoints that fail or are paused, and of those that fail no more. */
export async function settleAlerts(tx: Transaction, steps: readonly Step[]): Promise<void> {
  for (const { endpoint, wasFailing, attempt } of steps) {
    if (wasFailing && !isFailing(endpoint)) await clearFailing(tx, endpoint);
    if (endpoint.state === 'Paused') await settlePaused(tx, endpoint);
    else if (attempt !== undefined && isFailing(endpoint)) await raiseFailing(tx, endpoint, attempt.error);
  }
}

const PAUSED = `kind = 'EndpointPaused' and coalesce(taxpayer_id, vendor_id, '${INSTALLATION_ID}') = $1`;

/** One for all that an owner has paused, until none is. Within an hour after that another one is not told yet: it may be a game. */
export async function settlePaused(tx: Transaction, { tenantId, taxpayerId, vendorId }: Endpoint): Promise<void> {
  const { rows } = await tx.query<Endpoint>(
    `select ${ENDPOINT} from endpoints e where tenant_id = $1 and state = 'Paused' order by paused_at, endpoint_id`,
    [tenantId],
  );
  const [first, ...others] = rows;
  if (first === undefined) {
    await tx.query(`update alerts set cleared_at = now() where ${PAUSED} and cleared_at is null`, [tenantId]);
    return;
  }
  const more = others.length === 0 ? '' : ` Nor are ${others.length} other endpoints of the same owner.`;
  const message = `${placeOf(first)} is no longer sent events. ${first.pauseReason}.${more} Nothing is lost: resume the endpoint when it works again.`;
  const alert = [tenantId, first.endpointId, message];
  const lasting = `update alerts set subject = $2, message = $3 where ${PAUSED} and cleared_at is null`;
  if ((await tx.query(lasting, alert)).rowCount !== 0) return;
  await tx.query(
    `insert into alerts (taxpayer_id, vendor_id, kind, subject, message, tell_at)
     select $4::uuid, $5::uuid, 'EndpointPaused', $2, $3, max(cleared_at) + interval '1 hour'
       from alerts where ${PAUSED} and cleared_at > now() - interval '1 hour'`,
    [...alert, taxpayerId, vendorId],
  );
}

/** After a restore: events since the backup are gone and their numbers come again, so a person says where each receiver goes on. Operators' own mail goes on. */
export async function pauseRestoredEndpoints(tx: Transaction, at: Date): Promise<void> {
  const paused = await tx.query<Endpoint>(
    `update endpoints e set state = 'Paused', pause_reason = $1, paused_at = $2, locked_until = null, revision = revision + 1
      where state = 'Active' and not (tenant_id = $3 and address like 'mailto:%') returning ${ENDPOINT}`,
    ['It was restored from a backup: resume where its receiver should go on', at, INSTALLATION_ID],
  );
  for (const endpoint of paused.rows) await settlePaused(tx, endpoint);
}

/**
 * Raised once. Events about it go to other endpoints, which may fail as well: so that two that fail now and then do not keep each
 * other busy, it is raised again an hour after it was over at the earliest.
 */
async function raiseFailing(tx: Transaction, endpoint: Endpoint, error: string | undefined): Promise<void> {
  const { taxpayerId, vendorId, endpointId, attempts } = endpoint;
  const message = `${placeOf(endpoint)} takes no events. It failed ${attempts} times in a row; of the last time: ${error}. It is tried again automatically.`;
  await tx.query(
    `insert into alerts (taxpayer_id, vendor_id, kind, subject, message)
     select $1::uuid, $2::uuid, 'EndpointFailing', $3::text, $4::text
      where not exists (select from alerts where kind = 'EndpointFailing' and subject = $3 and cleared_at > now() - interval '1 hour')
     on conflict do nothing`,
    [taxpayerId, vendorId, endpointId, message],
  );
}

/** Without path and query: some have a secret there, and alerts go far. */
function placeOf({ address }: Endpoint): string {
  return isMail(address) ? address : new URL(address).origin;
}

export async function clearFailing(tx: Transaction, { endpointId }: Endpoint): Promise<void> {
  const text = `update alerts set cleared_at = now() where kind = 'EndpointFailing' and subject = $1 and cleared_at is null`;
  await tx.query(text, [endpointId]);
}
