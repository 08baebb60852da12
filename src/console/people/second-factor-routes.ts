import { createHash, randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import * as contract from '../../contract/console/second-factor.ts';
import { type Refusal, Refused, refused } from '../../kernel/refusal.ts';
import type { Queryable, Transaction } from '../../platform/database/database.ts';
import { INSTALLATION_ID } from '../../platform/events/feed.ts';
import { route } from '../../platform/http/route.ts';
import { ensureDataKey, loadDataKey } from '../../platform/secrets/data-keys.ts';
import { decrypt, encrypt } from '../../platform/secrets/secrets.ts';
import { attemptKey, clearAttempts, countAttempt, FROM_ONE_PLACE, hashEmail } from './attempt-store.ts';
import { readTenant } from './core/tenant.ts';
import { base32, findStep, totpUri } from './core/totp.ts';
import { findTenantName } from './membership-store.ts';
import { isPassword, newOneTimePassword } from './passwords.ts';
import { principalOf } from './principal.ts';
import {
  beginTotp,
  confirmTotp,
  findFactors,
  isFactorRequired,
  markProven,
  removeFactors,
  requireFactor,
  type StoredFactors,
  takeRecoveryCode,
  takeStep,
} from './second-factor-store.ts';
import { NO_SESSION, type SessionContext } from './session-routes.ts';
import { endSessions, type Session } from './session-store.ts';
import { findByEmail, lockPerson } from './store.ts';

const SECRET_BYTES = 20;
const RECOVERY_CODES = 10;
const contextOf = (personId: string) => `totp of ${personId}`;
const hashCode = (code: string) => createHash('sha256').update(code.trim().toLowerCase()).digest();

/** Codes of an app at log-in, and who has to have one. */
export function secondFactorRoutes(app: FastifyInstance, context: SessionContext): void {
  const { pool, clock, guard, audited, masterKeys } = context;

  /** Of this person alone: whose code it might be otherwise is not asked. */
  const isGood = async (tx: Transaction, personId: string, factors: StoredFactors, code: string): Promise<boolean> => {
    if (factors.totpSecret === null) return false;
    const dataKey = await loadDataKey(tx, masterKeys, INSTALLATION_ID);
    const secret = decrypt(dataKey, factors.totpSecret, contextOf(personId));
    const step = findStep(secret, code, clock());
    return step !== undefined && takeStep(tx, personId, step);
  };

  const withPassword = async (request: FastifyRequest, password: string): Promise<Session | Refused> => {
    const { session } = principalOf(request);
    if (session === undefined) return refused(NO_SESSION);
    const person = await findByEmail(pool, session.email);
    const isRight = await isPassword(password, person?.passwordHash ?? '');
    return isRight ? session : wrong('Password', 'is not your password');
  };

  route(app, guard, contract.proveSession, async ({ request, body: { Code } }) => {
    const { session } = principalOf(request);
    if (session === undefined) return refused(NO_SESSION);
    const { personId, sessionHash, email } = session;
    const key = attemptKey(hashEmail(email), 'second factor');
    const attempt = await countAttempt(pool, key, clock(), FROM_ONE_PLACE);
    if (attempt.kind === 'locked') return refused(waitFor(attempt.seconds));
    return audited<contract.SecondFactorState>(request, async (tx) => {
      const factors = await findFactors(tx, personId);
      if (!factors.isTotpConfirmed) return refused(NO_FACTOR);
      const isRecovery = await takeRecoveryCode(tx, personId, hashCode(Code));
      if (!isRecovery && !(await isGood(tx, personId, factors, Code))) {
        return attempt.kind === 'last-try' ? refused(waitFor(attempt.seconds)) : WRONG_CODE;
      }
      await clearAttempts(tx, key);
      await markProven(tx, sessionHash);
      const answer = await present(tx, personId);
      const action = isRecovery ? 'session.recovered' : 'session.proven';
      return { action, subject: `person ${email}`, answer };
    });
  });

  route(app, guard, contract.getSecondFactor, ({ request }) => {
    const { session } = principalOf(request);
    return session === undefined ? refused(NO_SESSION) : present(pool, session.personId);
  });

  route(app, guard, contract.startTotp, async ({ request, body }) => {
    const session = await withPassword(request, body.Password);
    if (session instanceof Refused) return session;
    const { personId, email } = session;
    return audited(request, async (tx) => {
      if ((await findFactors(tx, personId)).isTotpConfirmed) return refused(HAS_FACTOR);
      const secret = randomBytes(SECRET_BYTES);
      const dataKey = await ensureDataKey(tx, masterKeys, INSTALLATION_ID);
      await beginTotp(tx, personId, encrypt(dataKey, secret, contextOf(personId)));
      const answer = { Secret: base32(secret), Uri: totpUri(secret, 'Tillseal', email) };
      return { action: 'second-factor.begun', subject: `person ${email}`, answer };
    });
  });

  route(app, guard, contract.confirmTotp, ({ request, body: { Code } }) => {
    const { session } = principalOf(request);
    if (session === undefined) return refused(NO_SESSION);
    const { personId, sessionHash, email } = session;
    return audited<{ RecoveryCodes: string[] }>(request, async (tx) => {
      const factors = await findFactors(tx, personId);
      if (factors.isTotpConfirmed) return refused(HAS_FACTOR);
      if (!(await isGood(tx, personId, factors, Code))) return WRONG_CODE;
      const RecoveryCodes = Array.from({ length: RECOVERY_CODES }, () => newOneTimePassword().slice(0, 17));
      await confirmTotp(tx, personId, clock(), RecoveryCodes.map(hashCode));
      await markProven(tx, sessionHash);
      return { action: 'second-factor.added', subject: `person ${email}`, answer: { RecoveryCodes } };
    });
  });

  route(app, guard, contract.removeTotp, async ({ request, body }) => {
    const session = await withPassword(request, body.Password);
    if (session instanceof Refused) return session;
    return audited(request, async (tx) => {
      await removeFactors(tx, session.personId);
      const answer = await present(tx, session.personId);
      return { action: 'second-factor.removed', subject: `person ${session.email}`, answer };
    });
  });

  route(app, guard, contract.removeSecondFactor, ({ request, params }) =>
    audited(request, async (tx) => {
      const person = await lockPerson(tx, params.personId);
      if (person === undefined) return refused({ code: 'NotFound', detail: 'There is no person with this id.' });
      await removeFactors(tx, person.personId);
      await endSessions(tx, person.personId);
      return { action: 'second-factor.taken', subject: `person ${person.email}`, answer: { Email: person.email } };
    }),
  );

  route(app, guard, contract.getSignInRules, async ({ query }) => {
    const tenant = readTenant(query);
    return tenant instanceof Refused ? tenant : { IsSecondFactorRequired: await isFactorRequired(pool, tenant) };
  });

  route(app, guard, contract.changeSignInRules, ({ request, body }) =>
    audited(request, async (tx) => {
      const tenant = readTenant(body);
      if (tenant instanceof Refused) return tenant;
      if ((await findTenantName(tx, tenant)) === undefined) return refused(NO_TENANT);
      const { IsSecondFactorRequired } = body;
      const before = { IsSecondFactorRequired: await isFactorRequired(tx, tenant) };
      await requireFactor(tx, tenant, IsSecondFactorRequired);
      const after = { IsSecondFactorRequired };
      const taxpayerId = tenant.kind === 'taxpayer' ? tenant.id : undefined;
      const subject = `${tenant.kind} ${tenant.id}`.trim();
      return { action: 'sign-in.changed', taxpayerId, subject, before, after, answer: after };
    }),
  );
}

async function present(db: Queryable, personId: string): Promise<contract.SecondFactorState> {
  const { isTotpConfirmed, recoveryCodes } = await findFactors(db, personId);
  return { Totp: isTotpConfirmed, RecoveryCodes: recoveryCodes };
}

function wrong(Field: string, Message: string): Refused {
  const errors = [{ Field, Code: 'Malformed', Message }];
  return refused({ code: 'InvalidRequest', detail: `${Field} ${Message}.`, errors });
}

const WRONG_CODE = wrong('Code', 'is wrong, or was used before');
const NO_TENANT: Refusal = { code: 'NotFound', detail: 'There is no such tenant.' };
const NO_FACTOR: Refusal = { code: 'InvalidRequest', detail: 'You have no second factor: nothing is asked for.' };
const HAS_FACTOR: Refusal = { code: 'InvalidRequest', detail: 'You have an app already: remove it first.' };

function waitFor(seconds: number): Refusal {
  const detail = `Too many wrong codes: wait ${Math.ceil(seconds / 60)} minutes.`;
  return { code: 'RateLimited', detail, retryAfterSeconds: seconds };
}
