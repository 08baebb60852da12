import { arraysOf, type Column, plain, text, unnested } from '../platform/database/column-arrays.ts';
import { type Queryable, type Transaction, UNHURRIED } from '../platform/database/database.ts';
import { update } from '../platform/database/rows.ts';
import { isLeased } from '../platform/work/due.ts';
import type { AttemptRecord } from './attempt-store.ts';
import type { Endpoint } from './core/endpoint.ts';
import { ENDPOINT } from './endpoint-store.ts';

export interface Leases {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** Leases are by the database's clock, which all instances share; in milliseconds, as they come back. */
const NOW = "date_trunc('milliseconds', clock_timestamp())";

const OWNED = 'endpoints e left join taxpayers using (taxpayer_id) left join vendors using (vendor_id)';
const IS_SUSPENDED = 'coalesce(taxpayers.suspended_at, vendors.suspended_at) is not null';

/**
 * Takes endpoints that have something to be sent and are nobody's, of these alone where they are named. A time further ahead than any
 * pause was written by a wrong clock.
 */
export async function claimEndpoints(
  db: Queryable,
  now: Date,
  leases: Leases,
  most: number,
  among?: readonly string[],
): Promise<Endpoint[]> {
  const { rows } = await db.query<Endpoint>({
    name: among ? 'claim-woken-endpoints' : 'claim-endpoints',
    text: `with due as (
             select e.endpoint_id from ${OWNED} join event_counters c using (tenant_id)
              where e.state = 'Active' and c.last_number > e.cursor and not ${IS_SUSPENDED}
                ${among ? 'and e.endpoint_id = any ($5)' : ''}
                and (e.next_attempt_at <= $1
                     or e.next_attempt_at > $1 + case e.attempts when 0 then interval '1 minute' else interval '30 hours' end)
                and not ${isLeased('e.locked_until', NOW, '$4::interval')}
              order by e.next_attempt_at limit $3 for update of e skip locked)
           update endpoints e set locked_until = ${NOW} + $2::interval, next_attempt_at = least(e.next_attempt_at, $1)
             from due, ${UNHURRIED} where e.endpoint_id = due.endpoint_id
           returning ${ENDPOINT}`,
    values: [
      now,
      `${leases.firstMs} milliseconds`,
      most,
      `${leases.longestMs} milliseconds`,
      ...(among ? [among] : []),
    ],
  });
  return rows;
}

/** What became of an endpoint while it was held. */
export interface Step {
  /** As it is now. Its revision and lease are those under which it was held. */
  readonly endpoint: Endpoint;
  /** For how long it is held from now on. Null: it is nobody's again. */
  readonly heldMs: number | null;
  readonly attempt: AttemptRecord | undefined;
  /** The type of the event, where the attempt's only event is set aside. */
  readonly setAsideType: string | undefined;
  /** As it was written down before. */
  readonly wasFailing: boolean;
}

const time = (date: Date | null) => date?.toISOString() ?? null;
const STEP: readonly Column<Step>[] = [
  plain('endpoint_id', 'uuid', ({ endpoint }) => endpoint.endpointId),
  plain('revision', 'integer', ({ endpoint }) => endpoint.revision),
  plain('lease', 'timestamptz', ({ endpoint }) => time(endpoint.lockedUntil)),
  plain('held_ms', 'integer', ({ heldMs }) => heldMs),
  plain('state', 'text', ({ endpoint }) => endpoint.state),
  text('pause_reason', ({ endpoint }) => endpoint.pauseReason ?? undefined),
  plain('paused_at', 'timestamptz', ({ endpoint }) => time(endpoint.pausedAt)),
  plain('cursor', 'bigint', ({ endpoint }) => String(endpoint.cursor)),
  plain('batch_last', 'bigint', ({ endpoint }) => endpoint.batchLast?.toString() ?? null),
  plain('attempts', 'integer', ({ endpoint }) => endpoint.attempts),
  plain('refusals', 'integer', ({ endpoint }) => endpoint.refusals),
  plain('singly_until', 'bigint', ({ endpoint }) => endpoint.singlyUntil?.toString() ?? null),
  plain('set_aside_in_row', 'integer', ({ endpoint }) => endpoint.setAsideInRow),
  plain('next_attempt_at', 'timestamptz', ({ endpoint }) => time(endpoint.nextAttemptAt)),
  plain('message_id', 'text', ({ attempt }) => attempt?.messageId ?? null),
  plain('first_number', 'bigint', ({ attempt }) => attempt?.firstNumber.toString() ?? null),
  plain('last_number', 'bigint', ({ attempt }) => attempt?.lastNumber.toString() ?? null),
  plain('event_count', 'integer', ({ attempt }) => attempt?.eventCount ?? null),
  plain('started_at', 'timestamptz', ({ attempt }) => time(attempt?.startedAt ?? null)),
  plain('duration_ms', 'integer', ({ attempt }) => attempt?.durationMs ?? null),
  plain('outcome', 'text', ({ attempt }) => attempt?.outcome ?? null),
  plain('status_code', 'integer', ({ attempt }) => attempt?.statusCode ?? null),
  text('answer', ({ attempt }) => attempt?.answer),
  text('error', ({ attempt }) => attempt?.error),
  plain('set_aside_type', 'text', ({ setAsideType }) => setAsideType ?? null),
];

/** Whether losing it in a crash only means that the same is sent once more. */
function mayBeLost({ endpoint, attempt }: Step): boolean {
  const isBatchKnown = endpoint.batchLast === null || endpoint.batchSize === 1;
  return isBatchKnown && endpoint.state === 'Active' && (attempt === undefined || attempt.outcome === 'Taken');
}

/**
 * Writes what became of many endpoints, and which batch each sends next, in one statement. An endpoint that its owner has changed
 * meanwhile, or that another instance holds by now, stays as it is: only the attempt is written. Gives for each its new lease; undefined
 * for one that is no longer ours. One of a tenant that is suspended goes on no more.
 */
export async function writeSteps(tx: Transaction, steps: readonly Step[]): Promise<(Date | null | undefined)[]> {
  const isUnhurried = steps.every(mayBeLost);
  const { rows } = await tx.query<{ endpointId: string; lease: Date; lockedUntil: Date | null }>({
    name: isUnhurried ? 'write-endpoint-steps-unhurried' : 'write-endpoint-steps',
    text: `with given as (select * from ${unnested(STEP, 1, 'g')}),
           held as (
             select e.endpoint_id, e.revision, e.locked_until, ${IS_SUSPENDED} as is_suspended from ${OWNED}
              where e.endpoint_id = any ($1)
              order by e.endpoint_id for no key update of e),
           ours as (
             update endpoints e
                set state = g.state, pause_reason = g.pause_reason, paused_at = g.paused_at, cursor = g.cursor,
                    batch_last = g.batch_last, attempts = g.attempts, refusals = g.refusals, singly_until = g.singly_until,
                    set_aside_in_row = g.set_aside_in_row, next_attempt_at = g.next_attempt_at,
                    locked_until = case when not h.is_suspended then ${NOW} + g.held_ms * interval '1 millisecond' end,
                    last_taken_at = case when g.outcome = 'Taken' then g.started_at else e.last_taken_at end
               from given g join held h on h.endpoint_id = g.endpoint_id and h.revision = g.revision and h.locked_until = g.lease
              where e.endpoint_id = any ($1) and e.endpoint_id = g.endpoint_id
             returning e.endpoint_id, g.lease, e.locked_until, g.held_ms is not null and h.is_suspended as is_ended),
           logged as (
             insert into endpoint_attempts
               (endpoint_id, message_id, first_number, last_number, event_count, started_at, duration_ms, outcome, status_code,
                answer, error)
             select g.endpoint_id, g.message_id, g.first_number, g.last_number, g.event_count, g.started_at, g.duration_ms,
                    g.outcome, g.status_code, g.answer, g.error
               from given g join held using (endpoint_id) where g.message_id is not null),
           aside as (
             insert into endpoint_set_aside (endpoint_id, number, type, refused_at, error)
             select g.endpoint_id, g.last_number, g.set_aside_type, g.started_at, coalesce(g.error, '')
               from given g join ours using (endpoint_id, lease) where g.set_aside_type is not null
             on conflict (endpoint_id, number) do update set refused_at = excluded.refused_at, error = excluded.error),
           taken as (
             delete from endpoint_set_aside a using given g join held using (endpoint_id)
              where g.outcome = 'Taken' and a.endpoint_id = g.endpoint_id and a.number between g.first_number and g.last_number)
           select endpoint_id as "endpointId", lease, locked_until as "lockedUntil" from ours ${isUnhurried ? `, ${UNHURRIED}` : ''} where not is_ended`,
    values: arraysOf(STEP, steps),
  });
  const keyOf = (endpointId: string, lease: Date | null) => `${endpointId} ${lease?.getTime()}`;
  const ours = new Map(rows.map((row) => [keyOf(row.endpointId, row.lease), row.lockedUntil]));
  return steps.map(({ endpoint }) => ours.get(keyOf(endpoint.endpointId, endpoint.lockedUntil)));
}

/** Its owner has changed it: whoever comes next works by that. */
export function releaseEndpoint(db: Queryable, { endpointId, lockedUntil }: Endpoint): Promise<void> {
  return update(db, 'endpoints', { endpointId, lockedUntil }, { lockedUntil: null });
}

export interface EndpointCounts {
  readonly active: number;
  readonly paused: number;
  /** Events between the cursors of active endpoints and the newest. */
  readonly waiting: number;
}

export async function countEndpointsByState(db: Queryable): Promise<EndpointCounts> {
  const { rows } = await db.query<EndpointCounts>(
    `select count(*) filter (where e.state = 'Active')::integer as active,
            count(*) filter (where e.state = 'Paused')::integer as paused,
            coalesce(sum(greatest(c.last_number - e.cursor, 0)) filter (where e.state = 'Active'), 0)::float8 as waiting
       from endpoints e left join event_counters c using (tenant_id)`,
  );
  return rows[0] ?? { active: 0, paused: 0, waiting: 0 };
}
