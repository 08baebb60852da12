import type { FastifyInstance, FastifyRequest } from 'fastify';
import * as contract from '../../contract/console/session.ts';
import { type Refusal, Refused, refused } from '../../kernel/refusal.ts';
import type { Administration } from '../../platform/http/administration.ts';
import { route } from '../../platform/http/route.ts';
import { senderNetwork } from '../../platform/http/sender.ts';
import type { Log } from '../../platform/logging/log.ts';
import type { MailSettings, OpenIdSettings } from '../../platform/setting-values.ts';
import { checkPassword } from './core/password-rules.ts';
import { readTenant } from './core/tenant.ts';
import { knownBrowserOf } from './known-browser.ts';
import { type LogInSender, logIn } from './log-in.ts';
import { createGate } from './log-in-gate.ts';
import { findTenantName } from './membership-store.ts';
import { refuseOtherPassword } from './own-password.ts';
import { hashPassword } from './passwords.ts';
import { type Place, placeOf, presentLogIn, presentSession, welcome } from './present-session.ts';
import { principalOf } from './principal.ts';
import { browserCookie, clearCookie, sessionCookie, sessionHashOf } from './session-cookie.ts';
import {
  endOwnSession,
  endSession,
  endSessions,
  findSession,
  findStanding,
  listSessions,
  switchSession,
} from './session-store.ts';
import { setPassword } from './store.ts';
import { Turns } from './turns.ts';

export const NO_SESSION: Refusal = { code: 'InvalidRequest', detail: 'A token is not a person: log in to do this.' };
const NO_OWN_SESSION: Refusal = { code: 'NotFound', detail: 'You have no such session.' };
const NOT_YOURS: Refusal = { code: 'NotFound', detail: 'There is nobody of this name that you can act for.' };

const BUSY: Refusal = {
  code: 'Overloaded',
  detail: 'Too many log in at this moment. Try again.',
  retryAfterSeconds: 2,
};

/** Logging in and out, and who is logged in. */
export interface SessionContext extends Administration, Place {
  /** Where the console is opened, if that was set. */
  readonly publicUrl: string | undefined;
  /** Undefined: no mail is sent. */
  readonly mail: MailSettings | undefined;
  /** By which people may log in, beside their passwords. */
  readonly openId: OpenIdSettings | undefined;
  readonly log: Log;
  /** Of strangers; one by default. Tests do not wait that long. */
  readonly wrongPasswordsPerSecond?: number;
}

/** Where a log-in comes from. */
export function senderIn(
  { masterKeys, clock }: Pick<SessionContext, 'masterKeys' | 'clock'>,
  publicUrl: string,
  request: FastifyRequest,
): LogInSender {
  return {
    network: senderNetwork(request),
    browserName: request.headers['user-agent'],
    browser: knownBrowserOf(request.headers.cookie, browserCookie(publicUrl), masterKeys.current(), clock()),
  };
}

export function sessionRoutes(app: FastifyInstance, context: SessionContext): void {
  const { pool, clock, guard, audited, publicUrl, openId } = context;
  const cookie = sessionCookie(app.publicUrl);
  const turns = new Turns(context.wrongPasswordsPerSecond);
  const senderOf = (request: FastifyRequest) => senderIn(context, app.publicUrl, request);
  const gate = createGate(senderOf, publicUrl);

  route(
    app,
    () => gate.guard,
    contract.logIn,
    async ({ request, reply, body }) => {
      const sender = senderOf(request);
      const { network, browser } = sender;
      const attempt = () => logIn(context, sender, body.Email, body.Password);
      const outcome = browser === undefined ? await turns.run(network, attempt) : await attempt();
      if (outcome === undefined) return refused(BUSY);
      if (outcome instanceof Refused) return outcome;
      gate.giveBack(request);
      if (browser === undefined) turns.giveBack();
      return welcome(context, reply, outcome);
    },
  );

  // Also for who is not logged in: that is what the console asks first.
  route(app, guard, contract.getSession, async ({ request }) => {
    const hash = sessionHashOf(request.headers.cookie, cookie);
    const session = hash && (await findSession(pool, hash, clock(), openId?.issuer));
    const OpenIdProvider = openId?.name ?? null;
    if (session === undefined) return { Person: null, OpenIdProvider, ...placeOf(context) };
    return { ...(await presentLogIn(context, session)), OpenIdProvider };
  });

  route(app, guard, contract.logOut, async ({ request, reply, query }) => {
    const { session } = principalOf(request);
    if (session === undefined) return { EndedSessions: 0 };
    const EndedSessions = query.Everywhere
      ? await endSessions(pool, session.personId)
      : await endSession(pool, session.sessionHash);
    reply.header('set-cookie', clearCookie(cookie));
    return { EndedSessions };
  });

  route(app, guard, contract.listSessions, async ({ request }) => {
    const { session } = principalOf(request);
    return session === undefined ? refused(NO_SESSION) : { Sessions: await listSessions(pool, session, clock()) };
  });

  route(app, guard, contract.endOwnSession, async ({ request, params }) => {
    const { session } = principalOf(request);
    if (session === undefined) return refused(NO_SESSION);
    const EndedSessions = await endOwnSession(pool, session.personId, params.sessionId);
    return EndedSessions === 0 ? refused(NO_OWN_SESSION) : { EndedSessions };
  });

  route(app, guard, contract.switchTenant, async ({ request, body }) => {
    const { session } = principalOf(request);
    if (session === undefined) return refused(NO_SESSION);
    const tenant = readTenant(body);
    if (tenant instanceof Refused) return tenant;
    return audited<contract.SessionPerson>(request, async (tx) => {
      const now = clock();
      const isThere = (await findTenantName(tx, tenant)) !== undefined;
      const standing = isThere ? await findStanding(tx, session.personId, tenant, now, session.issuer) : undefined;
      if (standing === undefined) return refused(NOT_YOURS);
      await switchSession(tx, session.sessionHash, tenant);
      const answer = await presentSession(tx, { ...session, ...standing, tenant }, now);
      if (!standing.isLooking) return { answer };
      const taxpayerId = tenant.kind === 'taxpayer' ? tenant.id : undefined;
      return { action: 'session.looks-as', taxpayerId, subject: `${tenant.kind} ${tenant.id}`, answer };
    });
  });

  route(app, guard, contract.changePassword, async ({ request, body: { CurrentPassword, NewPassword } }) => {
    const { session } = principalOf(request);
    if (session === undefined) return refused(NO_SESSION);
    const refusal = await refuseOtherPassword(context, session, 'CurrentPassword', CurrentPassword);
    if (refusal !== undefined) return refusal;
    const errors = checkPassword('NewPassword', NewPassword, session.email);
    if (NewPassword === CurrentPassword) {
      errors.push({ Field: 'NewPassword', Code: 'Malformed', Message: 'must be another one than before' });
    }
    if (errors.length > 0) {
      return refused({ code: 'InvalidRequest', detail: 'The password was not changed.', errors });
    }
    const passwordHash = await hashPassword(NewPassword);
    return audited(request, async (tx) => {
      await setPassword(tx, session.personId, passwordHash, false);
      // Everyone with the old password is logged out.
      const EndedSessions = await endSessions(tx, session.personId, session.sessionHash);
      return {
        action: 'person.password-changed',
        subject: `person ${session.email}`,
        answer: { EndedSessions },
      };
    });
  });
}
