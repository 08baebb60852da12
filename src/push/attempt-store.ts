import type { EndpointAttempt, SetAsideEvent } from '../contract/push/endpoint-shapes.ts';
import { MOST_SHOWN } from '../contract/push/endpoint-shapes.ts';
import type { Queryable } from '../platform/database/database.ts';

/** One request, and what came back. */
export interface AttemptRecord {
  readonly endpointId: string;
  readonly messageId: string;
  readonly firstNumber: bigint;
  readonly lastNumber: bigint;
  readonly eventCount: number;
  readonly startedAt: Date;
  readonly durationMs: number;
  readonly outcome: EndpointAttempt['Outcome'];
  readonly statusCode: number | undefined;
  readonly answer: string | undefined;
  readonly error: string | undefined;
}

interface StoredAttempt extends Omit<AttemptRecord, 'statusCode' | 'answer' | 'error'> {
  readonly attemptId: bigint;
  readonly statusCode: number | null;
  readonly answer: string | null;
  readonly error: string | null;
}

const ATTEMPT = `attempt_id as "attemptId", message_id as "messageId", first_number as "firstNumber", last_number as "lastNumber",
  event_count as "eventCount", started_at as "startedAt", duration_ms as "durationMs", outcome, status_code as "statusCode", answer, error`;

/** One that is sent by hand; those of the line are written with what they change. */
export async function insertAttempt(db: Queryable, attempt: AttemptRecord): Promise<EndpointAttempt> {
  const { rows } = await db.query<StoredAttempt>(
    `insert into endpoint_attempts
       (endpoint_id, message_id, first_number, last_number, event_count, started_at, duration_ms, outcome, status_code, answer, error)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) returning ${ATTEMPT}`,
    [
      attempt.endpointId,
      attempt.messageId,
      attempt.firstNumber,
      attempt.lastNumber,
      attempt.eventCount,
      attempt.startedAt,
      attempt.durationMs,
      attempt.outcome,
      attempt.statusCode,
      attempt.answer,
      attempt.error,
    ],
  );
  if (rows[0] === undefined) throw new Error('an attempt was not written');
  return present(rows[0]);
}

/** Newest first. */
export async function listAttempts(
  db: Queryable,
  endpointId: string,
  before: bigint | undefined,
  limit: number,
): Promise<EndpointAttempt[]> {
  const { rows } = await db.query<StoredAttempt>(
    `select ${ATTEMPT} from endpoint_attempts
      where endpoint_id = $1 and ($2::bigint is null or attempt_id < $2) order by attempt_id desc limit $3`,
    [endpointId, before, limit],
  );
  return rows.map(present);
}

function present(attempt: StoredAttempt): EndpointAttempt {
  return {
    AttemptId: String(attempt.attemptId),
    MessageId: attempt.messageId,
    FirstNumber: Number(attempt.firstNumber),
    LastNumber: Number(attempt.lastNumber),
    EventCount: attempt.eventCount,
    StartedAt: attempt.startedAt.toISOString(),
    DurationMs: attempt.durationMs,
    Outcome: attempt.outcome,
    StatusCode: attempt.statusCode,
    Answer: attempt.answer,
    Error: attempt.error,
  };
}

const KEPT_DAYS = 30;
const DELETED_AT_ONCE = 5000;

/** A portion of them. Says whether there may be more. */
export async function deleteOldAttempts(db: Queryable, now: Date): Promise<boolean> {
  const { rowCount } = await db.query(
    `delete from endpoint_attempts where attempt_id = any (array(
       select attempt_id from endpoint_attempts where started_at < $1 limit $2 for update skip locked))`,
    [new Date(now.getTime() - KEPT_DAYS * 86_400_000), DELETED_AT_ONCE],
  );
  return rowCount === DELETED_AT_ONCE;
}

/** Oldest first. */
export async function listSetAside(db: Queryable, endpointId: string): Promise<SetAsideEvent[]> {
  const { rows } = await db.query<{ number: bigint; type: string; refused_at: Date; error: string }>(
    'select number, type, refused_at, error from endpoint_set_aside where endpoint_id = $1 order by number limit $2',
    [endpointId, MOST_SHOWN.setAside],
  );
  return rows.map((row) => ({
    Number: Number(row.number),
    Type: row.type,
    RefusedAt: row.refused_at.toISOString(),
    Error: row.error,
  }));
}

export async function deleteSetAside(db: Queryable, endpointId: string, number: bigint): Promise<void> {
  await db.query('delete from endpoint_set_aside where endpoint_id = $1 and number = $2', [endpointId, number]);
}
