import { type EndpointAttempt, MOST_SHOWN, type SetAsideEvent } from '../contract/endpoints/endpoint-shapes.ts';
import type { Queryable } from '../platform/database/database.ts';
import { instantText } from '../platform/database/instant-text.ts';
import { insert } from '../platform/database/rows.ts';
import type { DeliveryResult } from './transport.ts';

/** One request, and what came back. */
export interface AttemptRecord extends Pick<DeliveryResult, 'statusCode' | 'answer' | 'error'> {
  readonly endpointId: string;
  readonly messageId: string;
  readonly firstNumber: bigint;
  readonly lastNumber: bigint;
  readonly eventCount: number;
  readonly startedAt: Date;
  readonly durationMs: number;
  readonly outcome: EndpointAttempt['Outcome'];
}

const ATTEMPT = `attempt_id::text as "AttemptId", message_id as "MessageId", first_number::float8 as "FirstNumber",
  last_number::float8 as "LastNumber", event_count as "EventCount", ${instantText('started_at')} as "StartedAt",
  duration_ms as "DurationMs", outcome as "Outcome", status_code as "StatusCode", answer as "Answer", error as "Error"`;

/** One that is sent by hand; those of the line are written with what they change. */
export async function insertAttempt(db: Queryable, attempt: AttemptRecord): Promise<EndpointAttempt> {
  const [written] = await insert<EndpointAttempt>(db, 'endpoint_attempts', attempt, `returning ${ATTEMPT}`);
  if (written === undefined) throw new Error('an attempt was not written');
  return written;
}

/** Newest first. */
export async function listAttempts(
  db: Queryable,
  endpointId: string,
  before: bigint | undefined,
  limit: number,
): Promise<EndpointAttempt[]> {
  const { rows } = await db.query<EndpointAttempt>(
    `select ${ATTEMPT} from endpoint_attempts
      where endpoint_id = $1 and ($2::bigint is null or attempt_id < $2) order by attempt_id desc limit $3`,
    [endpointId, before, limit],
  );
  return rows;
}

const KEPT_DAYS = 30;
const DELETED_AT_ONCE = 5000;

/**
 * The old ones of the next portion after that one, in the order in which they were written: from the front each would read over what
 * those before have left. Gives the last; undefined when the portion has none.
 */
export async function deleteOldAttempts(db: Queryable, now: Date, after = 0n): Promise<bigint | undefined> {
  const { rows } = await db.query<{ last: bigint | null }>(
    `with old as (
       delete from endpoint_attempts where attempt_id = any (array(
         select attempt_id from (
           select attempt_id, started_at from endpoint_attempts
            where attempt_id > $3 order by attempt_id limit $2 for update skip locked) n
          where started_at < $1))
       returning attempt_id)
     select max(attempt_id) as last from old`,
    [new Date(now.getTime() - KEPT_DAYS * 86_400_000), DELETED_AT_ONCE, after],
  );
  return rows[0]?.last ?? undefined;
}

/** All of them, portion after portion. */
export async function tidyAttempts(db: Queryable, now: Date): Promise<void> {
  for (let last: bigint | undefined = 0n; last !== undefined; ) last = await deleteOldAttempts(db, now, last);
}

/** Oldest first. */
export async function listSetAside(db: Queryable, endpointId: string): Promise<SetAsideEvent[]> {
  const { rows } = await db.query<SetAsideEvent>(
    `select number::float8 as "Number", type as "Type", ${instantText('refused_at')} as "RefusedAt", error as "Error"
       from endpoint_set_aside where endpoint_id = $1 order by number limit $2`,
    [endpointId, MOST_SHOWN.setAside],
  );
  return rows;
}

export async function deleteSetAside(db: Queryable, endpointId: string, number: bigint): Promise<void> {
  await db.query('delete from endpoint_set_aside where endpoint_id = $1 and number = $2', [endpointId, number]);
}
