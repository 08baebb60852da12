import type { Queryable, Transaction } from '../platform/database/database.ts';
import { insert, update } from '../platform/database/rows.ts';
import { INSTALLATION_ID } from '../platform/events/feed.ts';
import type { Endpoint, EndpointSettings, Owner } from './core/endpoint.ts';

export const ENDPOINT = `e.endpoint_id as "endpointId", e.tenant_id as "tenantId", e.taxpayer_id as "taxpayerId", e.vendor_id as "vendorId", e.biller_code as "billerCode",
  e.address, e.description, e.event_types as "eventTypes", e.alert_kinds as "alertKinds", e.batch_size as "batchSize",
  e.max_per_second as "maxPerSecond", e.is_held_on_refusal as "isHeldOnRefusal", e.header_name as "headerName",
  e.header_value_encrypted as "headerValue", e.secret_encrypted as secret, e.old_secret_encrypted as "oldSecret",
  e.old_secret_until as "oldSecretUntil", e.revision, e.locked_until as "lockedUntil", e.created_at as "createdAt", e.state,
  e.pause_reason as "pauseReason", e.paused_at as "pausedAt", e.cursor, e.batch_last as "batchLast", e.attempts, e.refusals,
  e.singly_until as "singlyUntil", e.set_aside_in_row as "setAsideInRow", e.next_attempt_at as "nextAttemptAt",
  e.last_taken_at as "lastTakenAt"`;

/** With what is known of it elsewhere. */
export interface ListedEndpoint extends Endpoint {
  /** Of its feed. */
  readonly newestNumber: bigint;
  readonly setAsideCount: number;
}

const LISTED = `${ENDPOINT}, coalesce((select c.last_number from event_counters c where c.tenant_id = e.tenant_id), 0) as "newestNumber",
  (select count(*)::integer from endpoint_set_aside a where a.endpoint_id = e.endpoint_id) as "setAsideCount"`;

/** Undefined stands for all. */
export interface EndpointFilter {
  readonly tenantId?: string | undefined;
  readonly taxpayerId?: string | undefined;
  readonly vendorId?: string | undefined;
  readonly billerCode?: string | undefined;
  readonly state?: Endpoint['state'] | undefined;
  readonly after?: string | undefined;
}

/** Oldest first. */
export async function listEndpoints(db: Queryable, filter: EndpointFilter, limit: number): Promise<ListedEndpoint[]> {
  const { rows } = await db.query<ListedEndpoint>(
    `select ${LISTED} from endpoints e
      where ($1::uuid is null or e.tenant_id = $1) and ($2::uuid is null or e.taxpayer_id = $2)
        and ($3::uuid is null or e.vendor_id = $3) and ($4::text is null or e.state = $4)
        and ($5::uuid is null or e.endpoint_id > $5) and ($7::text is null or e.biller_code = $7)
      order by e.endpoint_id limit $6`,
    [filter.tenantId, filter.taxpayerId, filter.vendorId, filter.state, filter.after, limit, filter.billerCode],
  );
  return rows;
}

/** Of this tenant, or of any where none is given. */
export async function findEndpoint(
  db: Queryable,
  endpointId: string,
  tenantId: string | undefined,
): Promise<ListedEndpoint | undefined> {
  const { rows } = await db.query<ListedEndpoint>(
    `select ${LISTED} from endpoints e where e.endpoint_id = $1 and ($2::uuid is null or e.tenant_id = $2)`,
    [endpointId, tenantId],
  );
  return rows[0];
}

/** The same, and nobody else changes it until the transaction ends. */
export async function lockEndpoint(
  tx: Transaction,
  endpointId: string,
  tenantId: string | undefined,
): Promise<ListedEndpoint | undefined> {
  await tx.query('select from endpoints where endpoint_id = $1 for update', [endpointId]);
  return findEndpoint(tx, endpointId, tenantId);
}

/**
 * Of one tenant one after another, so that two cannot both be the last that is allowed. Those of each of a vendor's billers are counted apart:
 * its people must not use up what is the vendor's.
 */
export async function countEndpoints(tx: Transaction, tenantId: string, billerCode: string | null): Promise<number> {
  await tx.query('select from data_keys where tenant_id = $1 for update', [tenantId]);
  const { rows } = await tx.query<{ count: number }>(
    'select count(*)::integer as count from endpoints where tenant_id = $1 and biller_code is not distinct from $2',
    [tenantId, billerCode],
  );
  return rows[0]?.count ?? 0;
}

type NewEndpoint = Owner & EndpointSettings & Pick<Endpoint, 'endpointId' | 'createdAt' | 'cursor' | 'state'>;

export async function insertEndpoint(tx: Transaction, endpoint: NewEndpoint): Promise<ListedEndpoint> {
  const { endpointId, taxpayerId, vendorId, billerCode, createdAt, cursor, state } = endpoint;
  const begun = { endpointId, taxpayerId, vendorId, billerCode, createdAt, nextAttemptAt: createdAt, cursor, state };
  const again = `on conflict (endpoint_id) do update
        set secret_encrypted = excluded.secret_encrypted, header_value_encrypted = excluded.header_value_encrypted,
            next_attempt_at = excluded.next_attempt_at, attempts = 0, refusals = 0, revision = e.revision + 1`;
  await insert(tx, 'endpoints as e', { ...begun, ...settingsOf(endpoint) }, again);
  return written(tx, endpointId);
}

async function written(tx: Transaction, endpointId: string): Promise<ListedEndpoint> {
  const endpoint = await findEndpoint(tx, endpointId, undefined);
  if (endpoint === undefined) throw new Error('an endpoint was not written');
  return endpoint;
}

function settingsOf(endpoint: EndpointSettings) {
  const { address, description, eventTypes, alertKinds, batchSize, maxPerSecond, isHeldOnRefusal, headerName } =
    endpoint;
  const secrets = { headerValueEncrypted: endpoint.headerValue, secretEncrypted: endpoint.secret };
  return {
    address,
    description,
    eventTypes,
    alertKinds,
    batchSize,
    maxPerSecond,
    isHeldOnRefusal,
    headerName,
    ...secrets,
  };
}

/** By its owner: work that is under way notices a revision that has moved, and begins again. */
export async function updateEndpoint(tx: Transaction, endpoint: Endpoint): Promise<ListedEndpoint> {
  const { endpointId, oldSecret: oldSecretEncrypted, oldSecretUntil, state, pauseReason, pausedAt, cursor } = endpoint;
  const { batchLast, attempts, refusals, singlyUntil, setAsideInRow, nextAttemptAt, revision } = endpoint;
  const owned = { ...settingsOf(endpoint), oldSecretEncrypted, oldSecretUntil, state, pauseReason, pausedAt, revision };
  const course = { cursor, batchLast, attempts, refusals, singlyUntil, setAsideInRow, nextAttemptAt };
  await update(tx, 'endpoints', { endpointId }, { ...owned, ...course });
  return written(tx, endpointId);
}

export async function deleteEndpoint(tx: Transaction, endpointId: string): Promise<void> {
  await tx.query('delete from endpoints where endpoint_id = $1', [endpointId]);
}

/** Through whom a biller is paid: this vendor alone, where one is given. */
export async function findVendorsOfBiller(db: Queryable, { billerCode, vendorId }: Owner) {
  const { rows } = await db.query<{ vendorId: string; name: string }>(
    `select v.vendor_id as "vendorId", v.name from vendor_billers b join vendors v using (vendor_id)
      where b.biller_code = $1 and b.is_visible and ($2::uuid is null or v.vendor_id = $2) order by v.name, v.vendor_id`,
    [billerCode, vendorId],
  );
  return rows;
}

/** Of the newest event; undefined where there is no such taxpayer or vendor. */
export async function findNewestNumber(db: Queryable, { taxpayerId, vendorId }: Owner): Promise<bigint | undefined> {
  const { rows } = await db.query<{ number: bigint }>(
    `select coalesce((select last_number from event_counters where tenant_id = coalesce($1::uuid, $2::uuid, $3)), 0) as number
      where ($1 is null or exists (select from taxpayers where taxpayer_id = $1))
        and ($2 is null or exists (select from vendors where vendor_id = $2))`,
    [taxpayerId, vendorId, INSTALLATION_ID],
  );
  return rows[0]?.number;
}
