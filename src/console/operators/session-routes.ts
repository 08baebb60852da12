import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { Refusal } from '../../kernel/refusal.ts';
import { recordAudit } from '../../platform/audit.ts';
import { inTransaction } from '../../platform/database.ts';
import { bodyOf } from '../../platform/http/body.ts';
import { sendProblem } from '../../platform/http/problem.ts';
import { RateLimiter } from '../../platform/http/rate-limit.ts';
import { senderNetwork } from '../../platform/http/sender.ts';
import type { ConsoleContext } from '../context.ts';
import { closed } from '../schemas.ts';
import { checkPassword } from './core/password-rules.ts';
import { isFromConsole } from './core/same-origin.ts';
import { browserCookieFor, knownBrowserOf } from './known-browser.ts';
import { logIn } from './log-in.ts';
import { hashPassword, isPassword, TooManyPasswords } from './passwords.ts';
import { NOT_FROM_CONSOLE, principalOf } from './principal.ts';
import { browserCookie, clearCookie, sessionCookie, sessionHashOf, setCookie } from './session-cookie.ts';
import {
  changePasswordDocumentation,
  getSessionDocumentation,
  logInDocumentation,
  logOutDocumentation,
} from './session-documentation.ts';
import { endSession, endSessions, findSession, type Session } from './session-store.ts';
import { findByEmail, setPassword } from './store.ts';

const Credentials = Type.Object(
  { Email: Type.String({ maxLength: 320 }), Password: Type.String({ minLength: 1, maxLength: 200 }) },
  { ...closed, title: 'Credentials' },
);
const PasswordChange = Type.Object(
  {
    CurrentPassword: Type.String({ minLength: 1, maxLength: 200 }),
    NewPassword: Type.String({ maxLength: 1000, description: 'At least 12 characters.' }),
  },
  { ...closed, title: 'PasswordChange' },
);

const NO_SESSION: Refusal = { code: 'InvalidRequest', detail: 'A token has no password: log in to change yours.' };
/** For all who share an address, before anything is read: looking at a password is the dearest thing that needs no token. */
const LOG_INS_PER_SECOND = 0.5;
const LOG_INS_AT_ONCE = 30;

const tooMany = (seconds: number): Refusal => ({
  code: 'RateLimited',
  detail: 'Too many try to log in from this address. Wait a moment, then try again.',
  retryAfterSeconds: Math.ceil(seconds),
});

const BUSY: Refusal = {
  code: 'Overloaded',
  detail: 'Too many log in at this moment. Try again.',
  retryAfterSeconds: 2,
};

/** Logging in and out, and who is logged in. */
export function sessionRoutes(app: FastifyInstance, context: ConsoleContext): void {
  const { pool, clock, allow, publicUrl, timeZone: TimeZone } = context;
  const cookie = sessionCookie(app.publicUrl);
  const knownCookie = browserCookie(app.publicUrl);
  const limiter = new RateLimiter(LOG_INS_PER_SECOND, LOG_INS_AT_ONCE);
  const senderOf = (request: FastifyRequest) => ({
    network: senderNetwork(request),
    browser: knownBrowserOf(request.headers.cookie, knownCookie, context.masterKeys.current(), clock()),
  });

  app.post('/api/admin/session', {
    schema: { body: Credentials, documentation: logInDocumentation },
    onRequest: async (request, reply) => {
      if (!isFromConsole(request.headers, publicUrl)) return sendProblem(reply, NOT_FROM_CONSOLE);
      const { network, browser } = senderOf(request);
      const seconds = limiter.take(browser?.id ?? network, performance.now());
      return seconds === undefined ? undefined : sendProblem(reply, tooMany(seconds));
    },
    handler: async (request, reply) => {
      const { Email, Password } = bodyOf<Static<typeof Credentials>>(request);
      const outcome = await orBusy(logIn(context, senderOf(request), Email, Password));
      if (outcome === 'busy') return sendProblem(reply, BUSY);
      if (outcome.kind === 'refused') return sendProblem(reply, outcome.refusal);
      const { sessionId, emailHash } = outcome;
      const known = browserCookieFor(knownCookie, context.masterKeys.current(), emailHash, clock());
      reply.header('set-cookie', [setCookie(cookie, sessionId), known]);
      return { Operator: presentSession(outcome.session), TimeZone };
    },
  });

  // Also for who is not logged in: that is what the console asks first.
  app.get('/api/admin/session', {
    schema: { documentation: getSessionDocumentation },
    handler: async (request) => {
      const hash = sessionHashOf(request.headers.cookie, cookie);
      const session = hash && (await findSession(pool, hash, clock()));
      return { Operator: session === undefined ? null : presentSession(session), TimeZone };
    },
  });

  app.delete<{ Querystring: { Everywhere?: boolean } }>('/api/admin/session', {
    onRequest: allow('viewer', { withOneTimePassword: true }),
    schema: {
      documentation: logOutDocumentation,
      querystring: Type.Object(
        { Everywhere: Type.Optional(Type.Boolean({ description: 'End all sessions of this operator.' })) },
        closed,
      ),
    },
    handler: async (request, reply) => {
      const { session } = principalOf(request);
      if (session === undefined) return { EndedSessions: 0 };
      const ended =
        request.query.Everywhere === true
          ? await endSessions(pool, session.operatorId)
          : await endSession(pool, session.sessionHash);
      reply.header('set-cookie', clearCookie(cookie));
      return { EndedSessions: ended };
    },
  });

  app.post('/api/admin/session/password', {
    onRequest: allow('viewer', { withOneTimePassword: true }),
    schema: { body: PasswordChange, documentation: changePasswordDocumentation },
    handler: (request, reply) => changePassword(context, request, reply),
  });
}

async function changePassword({ pool }: ConsoleContext, request: FastifyRequest, reply: FastifyReply) {
  const { session } = principalOf(request);
  if (session === undefined) return sendProblem(reply, NO_SESSION);
  const { CurrentPassword, NewPassword } = bodyOf<Static<typeof PasswordChange>>(request);
  const operator = await findByEmail(pool, session.email);
  const isRight = await orBusy(isPassword(CurrentPassword, operator?.passwordHash ?? '', true));
  if (isRight === 'busy') return sendProblem(reply, BUSY);
  const errors = isRight
    ? checkPassword('NewPassword', NewPassword, session.email)
    : [{ Field: 'CurrentPassword', Code: 'Malformed', Message: 'is not your password' }];
  if (NewPassword === CurrentPassword) {
    errors.push({ Field: 'NewPassword', Code: 'Malformed', Message: 'must be another one than before' });
  }
  if (errors.length > 0) {
    return sendProblem(reply, { code: 'InvalidRequest', detail: 'The password was not changed.', errors });
  }
  const passwordHash = await hashPassword(NewPassword);
  const ended = await inTransaction(pool, async (tx) => {
    await setPassword(tx, session.operatorId, passwordHash, false);
    await recordAudit(tx, {
      actor: session.email,
      action: 'operator.password-changed',
      taxpayerId: undefined,
      subject: `operator ${session.email}`,
      before: undefined,
      after: undefined,
    });
    // Whoever knew the old one is out.
    return endSessions(tx, session.operatorId, session.sessionHash);
  });
  return { EndedSessions: ended };
}

function presentSession(session: Session) {
  return {
    OperatorId: session.operatorId,
    Email: session.email,
    Name: session.name,
    Role: session.role,
    MustChangePassword: session.mustChangePassword,
    ExpiresAt: session.expiresAt.toISOString(),
  };
}

async function orBusy<Value>(work: Promise<Value>): Promise<Value | 'busy'> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof TooManyPasswords) return 'busy';
    throw error;
  }
}
