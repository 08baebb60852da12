import { randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import * as contract from '../../../contract/console/second-factor.ts';
import { type Refusal, Refused, refused } from '../../../kernel/refusal.ts';
import type { Queryable, Transaction } from '../../../platform/database/database.ts';
import { INSTALLATION_ID } from '../../../platform/events/feed.ts';
import { route } from '../../../platform/http/route.ts';
import { ensureDataKey, loadDataKey } from '../../../platform/secrets/data-keys.ts';
import { decrypt, encrypt } from '../../../platform/secrets/secrets.ts';
import { attemptKey, clearAttempts, countAttempt, FROM_ONE_PLACE, hashEmail } from '../attempt-store.ts';
import { readTenant, type Tenant } from '../core/tenant.ts';
import { base32, findStep, totpUri } from '../core/totp.ts';
import { findTenantName } from '../membership-store.ts';
import { waitFor, wrong } from '../own-password.ts';
import { principalOf } from '../principal.ts';
import { NO_SESSION, type SessionContext } from '../session-routes.ts';
import { endSessions, type Session } from '../session-store.ts';
import { lockPerson } from '../store.ts';
import { passkeyPlace, readUsed } from './ceremony.ts';
import { hashCode, presentFactors, sessionWithPassword, welcomeFactor } from './own-factors.ts';
import { listPasskeys, noteUse, takeChallenge } from './passkey-store.ts';
import {
  beginTotp,
  confirmTotp,
  dropRecoveryCodesOfNone,
  EVERYBODY,
  findFactors,
  isFactorRequired,
  markProven,
  removeFactors,
  removeTotp,
  requireFactor,
  type StoredFactors,
  takeRecoveryCode,
  takeStep,
} from './second-factor-store.ts';

const SECRET_BYTES = 20;
const contextOf = (personId: string) => `totp of ${personId}`;

/** The second factor at log-in, codes of an app, and who has to have one. */
export function secondFactorRoutes(app: FastifyInstance, context: SessionContext): void {
  const { pool, clock, guard, audited, masterKeys, publicUrl } = context;

  /** Of this person alone: whose code it might be otherwise is not asked. */
  const isGood = async (tx: Transaction, personId: string, factors: StoredFactors, code: string): Promise<boolean> => {
    if (factors.totpSecret === null) return false;
    const dataKey = await loadDataKey(tx, masterKeys, INSTALLATION_ID);
    const secret = decrypt(dataKey, factors.totpSecret, contextOf(personId));
    const step = findStep(secret, code, clock());
    return step !== undefined && takeStep(tx, personId, step);
  };

  const isCode = async (tx: Transaction, personId: string, code: string) => {
    const factors = await findFactors(tx, personId);
    return factors.isTotpConfirmed && isGood(tx, personId, factors, code);
  };
  const isUse = async (tx: Transaction, used: Awaited<ReturnType<typeof usedPasskey>>) =>
    used !== undefined && noteUse(tx, used.passkeyId, used.counter, clock());

  /** Taken from the session's challenge before anything else, so that each answer is looked at once. */
  const usedPasskey = async (
    request: FastifyRequest,
    { personId, sessionHash }: Session,
    used: contract.UsedPasskey,
  ) => {
    const place = passkeyPlace(publicUrl, request);
    const challenge = await takeChallenge(pool, sessionHash, 'use', clock());
    const known = await listPasskeys(pool, personId);
    const passkey = known.find(({ credentialId }) => credentialId.toString('base64url') === used.id);
    if (place === undefined || challenge === undefined || passkey === undefined) return undefined;
    const counter = await readUsed(place, challenge, used, passkey);
    return counter === undefined ? undefined : { passkeyId: passkey.passkeyId, counter };
  };

  route(app, guard, contract.proveSession, async ({ request, body: { Code, Passkey } }) => {
    const { session } = principalOf(request);
    if (session === undefined) return refused(NO_SESSION);
    if ((Code === undefined) === (Passkey === undefined)) return refused(ONE_OF_TWO);
    const { personId, sessionHash, email } = session;
    const key = attemptKey(hashEmail(email), 'second factor');
    const attempt = await countAttempt(pool, key, clock(), FROM_ONE_PLACE);
    if (attempt.kind === 'locked') return refused(waitFor('codes', attempt.seconds));
    const used = Passkey && (await usedPasskey(request, session, Passkey));
    return audited<contract.SecondFactorState>(request, async (tx) => {
      const isRecovery = Code !== undefined && (await takeRecoveryCode(tx, personId, hashCode(Code)));
      const isRight = isRecovery || (Code === undefined ? await isUse(tx, used) : await isCode(tx, personId, Code));
      if (!isRight) {
        if (attempt.kind === 'last-try') return refused(waitFor('codes', attempt.seconds));
        return Code === undefined ? WRONG_PASSKEY : WRONG_CODE;
      }
      await clearAttempts(tx, key);
      await markProven(tx, sessionHash);
      const answer = await presentFactors(tx, personId, passkeyPlace(publicUrl, request));
      const action = isRecovery ? 'session.recovered' : 'session.proven';
      return { action, subject: `person ${email}`, answer };
    });
  });

  route(app, guard, contract.getSecondFactor, ({ request }) => {
    const { session } = principalOf(request);
    return session === undefined
      ? refused(NO_SESSION)
      : presentFactors(pool, session.personId, passkeyPlace(publicUrl, request));
  });

  route(app, guard, contract.startTotp, async ({ request, body }) => {
    const session = await sessionWithPassword(context, request, body.Password);
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
    const { personId, email } = session;
    return audited<{ RecoveryCodes: string[] }>(request, async (tx) => {
      const factors = await findFactors(tx, personId);
      if (factors.isTotpConfirmed) return refused(HAS_FACTOR);
      if (!(await isGood(tx, personId, factors, Code))) return WRONG_CODE;
      await confirmTotp(tx, personId, clock());
      const RecoveryCodes = await welcomeFactor(tx, session);
      return { action: 'second-factor.added', subject: `person ${email}`, answer: { RecoveryCodes } };
    });
  });

  route(app, guard, contract.removeTotp, async ({ request, body }) => {
    const session = await sessionWithPassword(context, request, body.Password);
    if (session instanceof Refused) return session;
    return audited(request, async (tx) => {
      await removeTotp(tx, session.personId);
      await dropRecoveryCodesOfNone(tx, session.personId);
      const answer = await presentFactors(tx, session.personId, passkeyPlace(publicUrl, request));
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

  route(app, guard, contract.getSignInRules, ({ query }) => {
    const tenant = readTenant(query);
    return tenant instanceof Refused ? tenant : findRules(pool, tenant);
  });

  route(app, guard, contract.changeSignInRules, ({ request, body }) =>
    audited(request, async (tx) => {
      const tenant = readTenant(body);
      if (tenant instanceof Refused) return tenant;
      if ((await findTenantName(tx, tenant)) === undefined) return refused(NO_TENANT);
      const before = await findRules(tx, tenant);
      await requireFactor(tx, tenant, body.IsSecondFactorRequired);
      if (body.IsRequiredOfAll !== undefined) await requireFactor(tx, EVERYBODY, body.IsRequiredOfAll);
      const after = await findRules(tx, tenant);
      const taxpayerId = tenant.kind === 'taxpayer' ? tenant.id : undefined;
      const subject = `${tenant.kind} ${tenant.id}`.trim();
      return { action: 'sign-in.changed', taxpayerId, subject, before, after, answer: after };
    }),
  );
}

async function findRules(db: Queryable, tenant: Tenant) {
  return {
    IsSecondFactorRequired: await isFactorRequired(db, tenant),
    IsRequiredOfAll: await isFactorRequired(db, EVERYBODY),
  };
}

const WRONG_CODE = wrong('Code', 'is wrong, or was used before');
const WRONG_PASSKEY = wrong('Passkey', 'is none of yours, or answered too late: try again');
const NO_TENANT: Refusal = { code: 'NotFound', detail: 'There is no such tenant.' };
const ONE_OF_TWO: Refusal = { code: 'InvalidRequest', detail: 'Send either Code or Passkey.' };
const HAS_FACTOR: Refusal = { code: 'InvalidRequest', detail: 'You have an app already: remove it first.' };
