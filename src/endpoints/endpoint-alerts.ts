import { raise, settle } from '../platform/alerts/store.ts';
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

/** One for all that an owner has paused, until none is. Within an hour after that another one is not told yet: it may be a game. */
export async function settlePaused(tx: Transaction, { tenantId, taxpayerId, vendorId }: Endpoint): Promise<void> {
  const owner = { taxpayerId, vendorId };
  const { rows } = await tx.query<Endpoint>(
    `select ${ENDPOINT} from endpoints e where tenant_id = $1 and state = 'Paused' order by paused_at, endpoint_id`,
    [tenantId],
  );
  const [first, ...others] = rows;
  if (first === undefined) return settle(tx, 'EndpointPaused', owner);
  const more = others.length === 0 ? '' : ` Nor are ${others.length} other endpoints of the same owner.`;
  const message = `${placeOf(first)} is no longer sent events. ${first.pauseReason}.${more} Nothing is lost: resume the endpoint when it works again.`;
  const tellAt = await endedLately(tx, 'EndpointPaused', tenantId);
  await raise(tx, { kind: 'EndpointPaused', ...owner, message, data: { endpointId: first.endpointId }, tellAt });
}

/** An hour after the last one of this kind was over; undefined where that has passed, or there was none. */
async function endedLately(
  tx: Transaction,
  kind: 'EndpointPaused' | 'EndpointFailing',
  tenantId: string,
  what?: string,
) {
  const { rows } = await tx.query<{ tellAt: Date | null }>(
    `select max(cleared_at) + interval '1 hour' as "tellAt" from alerts
      where kind = $1 and tenant_id = $2 and what is not distinct from $3 and cleared_at > now() - interval '1 hour'`,
    [kind, tenantId, what],
  );
  return rows[0]?.tellAt ?? undefined;
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
  const { taxpayerId, vendorId, tenantId, endpointId: what, attempts } = endpoint;
  const message = `${placeOf(endpoint)} takes no events. It failed ${attempts} times in a row; of the last time: ${error}. It is tried again automatically.`;
  if ((await endedLately(tx, 'EndpointFailing', tenantId, what)) !== undefined) return;
  await raise(tx, { kind: 'EndpointFailing', taxpayerId, vendorId, what, message });
}

/** Without path and query: some have a secret there, and alerts go far. */
function placeOf({ address }: Endpoint): string {
  return isMail(address) ? address : new URL(address).origin;
}

export function clearFailing(tx: Transaction, { taxpayerId, vendorId, endpointId }: Endpoint): Promise<void> {
  return settle(tx, 'EndpointFailing', { taxpayerId, vendorId }, endpointId);
}
