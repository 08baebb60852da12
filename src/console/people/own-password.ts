import type { Pool } from 'pg';
import { type Refusal, type Refused, refused } from '../../kernel/refusal.ts';
import type { Clock } from '../../platform/clock.ts';
import { attemptKey, clearAttempts, countAttempt, FROM_ONE_PLACE, hashEmail } from './attempt-store.ts';
import { isPassword } from './passwords.ts';
import type { Session } from './session-store.ts';
import { findByEmail } from './store.ts';

/** Undefined: it is theirs. Who finds a session open does not guess the password with it, either. */
export async function refuseOtherPassword(
  { pool, clock }: { readonly pool: Pool; readonly clock: Clock },
  { email }: Session,
  field: string,
  password: string,
): Promise<Refused | undefined> {
  const key = attemptKey(hashEmail(email), 'own password');
  const attempt = await countAttempt(pool, key, clock(), FROM_ONE_PLACE);
  if (attempt.kind === 'locked') return refused(waitFor('passwords', attempt.seconds));
  const person = await findByEmail(pool, email);
  if (await isPassword(password, person?.passwordHash ?? '')) {
    await clearAttempts(pool, key);
    return undefined;
  }
  return attempt.kind === 'last-try'
    ? refused(waitFor('passwords', attempt.seconds))
    : wrong(field, 'is not your password');
}

export function wrong(Field: string, Message: string): Refused {
  const errors = [{ Field, Code: 'Malformed', Message }];
  return refused({ code: 'InvalidRequest', detail: `${Field} ${Message}.`, errors });
}

export function waitFor(what: string, seconds: number): Refusal {
  const detail = `Too many wrong ${what}: wait ${Math.ceil(seconds / 60)} minutes.`;
  return { code: 'RateLimited', detail, retryAfterSeconds: seconds };
}
