import type { Pool } from 'pg';
import type { Membership } from '../../contract/console/session.ts';
import { type Refusal, type Refused, refused } from '../../kernel/refusal.ts';
import type { Clock } from '../../platform/clock.ts';
import { type AuditEntry, recordAudit } from '../../platform/database/audit.ts';
import { inUnhurriedTransaction, type Transaction } from '../../platform/database/database.ts';
import {
  type Attempt,
  attemptKey,
  clearAttempts,
  countAttempt,
  FROM_ONE_PLACE,
  FROM_STRANGERS,
  forgetOldAttempts,
  hashEmail,
  STRANGERS,
  takeBackAttempt,
} from './attempt-store.ts';
import { canonicalEmail } from './core/password-rules.ts';
import type { KnownBrowser } from './known-browser.ts';
import { listMemberships } from './membership-store.ts';
import { isPassword, NOBODYS_HASH } from './passwords.ts';
import { hashSession, newSessionId } from './session-cookie.ts';
import { findSession, insertSession, MAX_SECONDS, removeEndedSessions, type Session } from './session-store.ts';
import { findByEmail, noteLogIn } from './store.ts';

export interface LoggedIn {
  readonly sessionId: string;
  readonly session: Session;
  readonly emailHash: Buffer;
}

/** Nobody's membership is looked up as well: how long it takes must not tell who is known. */
const NOBODY = '00000000-0000-0000-0000-000000000000';

interface LogInContext {
  readonly pool: Pool;
  readonly clock: Clock;
}

export interface LogInSender {
  readonly network: string;
  readonly browser: KnownBrowser | undefined;
  /** As it calls itself. */
  readonly browserName: string | undefined;
}

const WRONG: Refusal = { code: 'Unauthorized', detail: 'The email or the password is wrong.' };

/**
 * Whether the email is unknown, the person is disabled or nobody's any more, or the password is wrong: the answer is the same and takes as
 * long, and after five wrong ones from one place it has to wait for that email, anybody's or not. So do all places together
 * after fifty, but for browsers in which that person has logged in before.
 */
export async function logIn(
  context: LogInContext,
  from: LogInSender,
  typedEmail: string,
  password: string,
): Promise<LoggedIn | Refused> {
  const { pool } = context;
  const now = context.clock();
  const email = canonicalEmail(typedEmail);
  const emailHash = hashEmail(email);
  const ownBrowser = from.browser?.emailHash.equals(emailHash) ? from.browser : undefined;
  const key = attemptKey(emailHash, ownBrowser?.id ?? from.network);
  const strangersKey = ownBrowser === undefined ? attemptKey(emailHash, STRANGERS) : undefined;
  let attempt: Attempt = await countAttempt(pool, key, now, FROM_ONE_PLACE);
  if (attempt.kind !== 'locked' && strangersKey !== undefined) {
    const ofAll = await countAttempt(pool, strangersKey, now, FROM_STRANGERS);
    if (ofAll.kind !== 'may-try') attempt = ofAll;
  }
  if (attempt.kind === 'locked') return refused(lockedOut(attempt.seconds));
  const person = await findByEmail(pool, email);
  const isRight = await isPassword(password, person?.passwordHash ?? NOBODYS_HASH);
  const [first] = await listMemberships(pool, person?.personId ?? NOBODY, now, null);
  if (person === undefined || person.disabledAt !== null || first === undefined || !isRight) {
    await forgetOldAttempts(pool, now);
    if (attempt.kind === 'last-try' && person !== undefined) await recordLock(pool, email);
    return refused(attempt.kind === 'last-try' ? lockedOut(attempt.seconds) : WRONG);
  }
  return startSession(context, from, { personId: person.personId, email, first, issuer: null }, async (tx) => {
    await clearAttempts(tx, key);
    if (strangersKey !== undefined) await takeBackAttempt(tx, strangersKey);
  });
}

/** For who has proven who they are. */
export async function startSession(
  { pool, clock }: LogInContext,
  from: LogInSender,
  person: Pick<Session, 'personId' | 'email' | 'issuer'> & { readonly first: Membership },
  andAlso?: (tx: Transaction) => Promise<void>,
): Promise<LoggedIn> {
  const { personId, email, first, issuer } = person;
  const now = clock();
  const sessionId = newSessionId();
  const started = {
    sessionHash: hashSession(sessionId),
    personId,
    tenant: { kind: first.Kind, id: first.Id ?? '' },
    browser: from.browserName?.slice(0, 200),
    at: now,
    expiresAt: new Date(now.getTime() + MAX_SECONDS * 1000),
    issuer,
  };
  // A session may be lost with a crash. Who looks why the database waits for its standby must not wait for it to get in.
  const session = await inUnhurriedTransaction(pool, async (tx) => {
    await andAlso?.(tx);
    await removeEndedSessions(tx, now);
    await insertSession(tx, started);
    await noteLogIn(tx, personId, now);
    await recordAudit(tx, entry(email, 'session.started'));
    return findSession(tx, started.sessionHash, now, issuer ?? undefined);
  });
  if (session === undefined) throw new Error('the session that was just begun is not there');
  return { sessionId, session, emailHash: hashEmail(email) };
}

function lockedOut(seconds: number): Refusal {
  const minutes = Math.ceil(seconds / 60);
  return {
    code: 'RateLimited',
    detail: `Too many wrong passwords: wait ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}, use a browser in which you have logged in before, or ask an admin for a new password.`,
    retryAfterSeconds: seconds,
  };
}

async function recordLock(pool: Pool, email: string): Promise<void> {
  await inUnhurriedTransaction(pool, (tx) => recordAudit(tx, entry(email, 'session.locked-out')));
}

function entry(email: string, action: string): AuditEntry {
  return { actor: email, action, subject: `person ${email}` };
}
