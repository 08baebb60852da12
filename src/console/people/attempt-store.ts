import { createHash } from 'node:crypto';
import { type Queryable, UNHURRIED } from '../../platform/database/database.ts';

/** After this many wrong passwords in a row for an email, none later than this after the last, the next has to wait as long. */
interface AttemptLimit {
  readonly failures: number;
  readonly seconds: number;
}
export const FROM_ONE_PLACE: AttemptLimit = { failures: 5, seconds: 15 * 60 };
/** From all browsers together in which its operator has not logged in before: many networks guess no faster than this. */
export const FROM_STRANGERS: AttemptLimit = { failures: 50, seconds: 3600 };
/** No network is called so. */
export const STRANGERS = 'strangers';
const FORGOTTEN_AFTER_SECONDS = 24 * 3600;

export type Attempt =
  | { readonly kind: 'may-try' }
  /** Nothing was counted. */
  | { readonly kind: 'locked'; readonly seconds: number }
  | { readonly kind: 'last-try'; readonly seconds: number };

const EMAIL_BYTES = 16;

export function hashEmail(email: string): Buffer {
  return createHash('sha256').update(email).digest().subarray(0, EMAIL_BYTES);
}

/**
 * Whose attempts are counted together: those for one email from one place, a network or a browser that is known. Counted by
 * email alone, anyone who knows an operator's address could lock the operator out; hence strangers apart, and generously.
 */
export function attemptKey(emailHash: Buffer, place: string): Buffer {
  return Buffer.concat([
    emailHash,
    createHash('sha256')
      .update(place)
      .digest()
      .subarray(0, 32 - EMAIL_BYTES),
  ]);
}

/**
 * Counts an attempt as wrong before its password is looked at, and takes it back when it was right: guesses sent at the same
 * moment, to however many instances, cannot outrun the counting.
 */
export async function countAttempt(db: Queryable, key: Buffer, now: Date, limit: AttemptLimit): Promise<Attempt> {
  const { rows } = await db.query<{ locked_until: Date | null }>(
    `insert into log_in_attempts as a (email_hash, failures, failed_at) select $1::bytea, 1, $2::timestamptz from ${UNHURRIED}
     on conflict (email_hash) do update
       set failures = case when a.locked_until is not null or a.failed_at < $2::timestamptz - make_interval(secs => $4)
                           then 1 else a.failures + 1 end,
           failed_at = $2,
           locked_until = case when a.locked_until is null and a.failures + 1 >= $3
                                and a.failed_at >= $2::timestamptz - make_interval(secs => $4)
                               then $2::timestamptz + make_interval(secs => $4) end
     where a.locked_until is null or a.locked_until <= $2
     returning locked_until`,
    [key, now, limit.failures, limit.seconds],
  );
  const row = rows[0];
  if (row?.locked_until === null) return { kind: 'may-try' };
  if (row !== undefined) return { kind: 'last-try', seconds: limit.seconds };
  const { rows: locked } = await db.query<{ locked_until: Date | null }>(
    'select locked_until from log_in_attempts where email_hash = $1',
    [key],
  );
  const until = locked[0]?.locked_until ?? now;
  return { kind: 'locked', seconds: Math.max(1, Math.ceil((until.getTime() - now.getTime()) / 1000)) };
}

export async function clearAttempts(db: Queryable, key: Buffer): Promise<void> {
  await db.query('delete from log_in_attempts where email_hash = $1', [key]);
}

/** One was right, which says nothing of the others. */
export async function takeBackAttempt(db: Queryable, key: Buffer): Promise<void> {
  await db.query('update log_in_attempts set failures = failures - 1, locked_until = null where email_hash = $1', [
    key,
  ]);
}

/** Wherever they came from. */
export async function clearAllAttempts(db: Queryable, emailHash: Buffer): Promise<void> {
  const [first, last] = [0x00, 0xff].map((fill) => Buffer.concat([emailHash, Buffer.alloc(32 - EMAIL_BYTES, fill)]));
  await db.query('delete from log_in_attempts where email_hash between $1 and $2', [first, last]);
}

/** A flood of invented emails leaves nothing behind for good. */
export async function forgetOldAttempts(db: Queryable, now: Date): Promise<void> {
  await db.query(`delete from log_in_attempts using ${UNHURRIED} where failed_at < $1`, [
    new Date(now.getTime() - FORGOTTEN_AFTER_SECONDS * 1000),
  ]);
}
