import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { SecondFactorState } from '../../../contract/console/second-factor.ts';
import { type Refused, refused } from '../../../kernel/refusal.ts';
import type { Queryable, Transaction } from '../../../platform/database/database.ts';
import { refuseOtherPassword, wrong } from '../own-password.ts';
import { newOneTimePassword } from '../passwords.ts';
import { principalOf } from '../principal.ts';
import { NO_SESSION, type SessionContext } from '../session-routes.ts';
import type { Session } from '../session-store.ts';
import type { PasskeyPlace } from './ceremony.ts';
import { listPasskeys } from './passkey-store.ts';
import { findFactors, markProven, setRecoveryCodes } from './second-factor-store.ts';

const RECOVERY_CODES = 10;

export const hashCode = (code: string) => createHash('sha256').update(code.trim().toLowerCase()).digest();

/**
 * Who finds a session open does not change its second factors without the password. None is asked of who has to set one up: they have
 * just logged in, some by a provider and without a password.
 */
export async function sessionWithPassword(
  context: SessionContext,
  request: FastifyRequest,
  password: string | undefined,
): Promise<Session | Refused> {
  const { session } = principalOf(request);
  if (session === undefined) return refused(NO_SESSION);
  if (password === undefined) return session.needs === 'Enrolment' ? session : wrong('Password', 'is missing');
  return (await refuseOtherPassword(context, session, 'Password', password)) ?? session;
}

/** The session that added a factor has given it, and there are recovery codes from now on: those that are new. */
export async function welcomeFactor(tx: Transaction, { personId, sessionHash }: Session): Promise<string[]> {
  await markProven(tx, sessionHash);
  const codes = Array.from({ length: RECOVERY_CODES }, () => newOneTimePassword().slice(0, 17));
  return (await setRecoveryCodes(tx, personId, codes.map(hashCode))) ? codes : [];
}

export async function presentFactors(
  db: Queryable,
  personId: string,
  place: PasskeyPlace | undefined,
): Promise<SecondFactorState> {
  const { isTotpConfirmed, recoveryCodes } = await findFactors(db, personId);
  const passkeys = await listPasskeys(db, personId);
  return {
    Totp: isTotpConfirmed,
    Passkeys: passkeys.map(({ passkeyId, name, createdAt, lastUsedAt }) => ({
      PasskeyId: passkeyId,
      Name: name,
      CreatedAt: createdAt.toISOString(),
      LastUsedAt: lastUsedAt?.toISOString() ?? null,
    })),
    CanHavePasskeys: place !== undefined,
    RecoveryCodes: recoveryCodes,
  };
}
