import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import * as contract from '../../../contract/console/identity.ts';
import { type Refusal, Refused, refused } from '../../../kernel/refusal.ts';
import { inTransaction } from '../../../platform/database/database.ts';
import { route } from '../../../platform/http/route.ts';
import { createGate } from '../log-in-gate.ts';
import { welcome } from '../present-session.ts';
import { principalOf } from '../principal.ts';
import { sessionWithPassword } from '../second-factor/own-factors.ts';
import { clearCookie, cookieValue, openIdCookie, setCookie } from '../session-cookie.ts';
import { NO_SESSION, type SessionContext, senderIn } from '../session-routes.ts';
import { HANDSHAKE_SECONDS, handshakeOf, newHandshake } from './handshake.ts';
import { isLinked, removeIdentity } from './identity-store.ts';
import { linkTo, logInByProvider } from './log-in-by-provider.ts';
import type { ProviderIdentity } from './provider.ts';

const NO_PROVIDER: Refusal = {
  code: 'NotFound',
  detail: 'This installation has no OpenID provider: its operator sets OIDC_ISSUER.',
};
const NOT_BEGUN: Refusal = {
  code: 'Forbidden',
  detail: 'This was not begun in this browser, or more than ten minutes ago: begin again.',
};
const IS_LINKED: Refusal = {
  code: 'Forbidden',
  detail: 'Your account is linked already, or this person of the provider is with another account.',
};

/** Logging in by somebody else who knows people. */
export function openIdRoutes(app: FastifyInstance, context: SessionContext): void {
  const { pool, clock, guard, audited, publicUrl, openId, masterKeys, log } = context;
  // The only place to which anybody is sent back: a page of the console, which sends on from there what came with it.
  const redirectUri = `${app.publicUrl}/console/openid`;
  // Loaded only where there is one.
  const loaded =
    openId && import('./provider.ts').then(({ createProvider }) => createProvider(openId, redirectUri, log));
  const gate = createGate((request) => senderIn(context, app.publicUrl, request), publicUrl);
  const cookie = openIdCookie(app.publicUrl);

  const begin = async (reply: FastifyReply, purpose: string) => {
    const value = newHandshake(clock());
    const handshake = handshakeOf(value, purpose, masterKeys.current(), clock());
    const provider = await loaded;
    if (provider === undefined || handshake === undefined) return refused(NO_PROVIDER);
    const Address = await provider.ask(handshake);
    if (Address instanceof Refused) return Address;
    reply.header('set-cookie', setCookie(cookie, value, HANDSHAKE_SECONDS));
    return { Address };
  };

  /** Once: whatever comes of it, the cookie is gone. */
  const identify = async (
    request: FastifyRequest,
    reply: FastifyReply,
    purpose: string,
    answer: string,
  ): Promise<ProviderIdentity | Refused> => {
    const provider = await loaded;
    if (provider === undefined) return refused(NO_PROVIDER);
    const value = cookieValue(request.headers.cookie, cookie);
    const handshake = handshakeOf(value, purpose, masterKeys.current(), clock());
    reply.header('set-cookie', clearCookie(cookie));
    return handshake === undefined ? refused(NOT_BEGUN) : provider.identify(handshake, answer);
  };

  route(
    app,
    () => gate.guard,
    contract.beginOpenIdLogIn,
    async ({ request, reply }) => {
      const begun = await begin(reply, 'log-in');
      if (!(begun instanceof Refused)) gate.giveBack(request);
      return begun;
    },
  );

  route(
    app,
    () => gate.guard,
    contract.finishOpenIdLogIn,
    async ({ request, reply, body: { Answer, Token } }) => {
      const identity = await identify(request, reply, 'log-in', Answer);
      if (identity instanceof Refused) return identity;
      if (openId === undefined) return refused(NO_PROVIDER);
      const sender = senderIn(context, app.publicUrl, request);
      const outcome = await logInByProvider(context, sender, openId, identity, Token);
      if (outcome instanceof Refused) return outcome;
      gate.giveBack(request);
      return welcome(context, reply, outcome);
    },
  );

  const stateOf = async (personId: string): Promise<contract.OwnIdentity> => ({
    Provider: openId?.name ?? null,
    IsLinked: await isLinked(pool, personId, openId?.issuer),
  });

  route(app, guard, contract.getIdentity, ({ request }) => {
    const { session } = principalOf(request);
    return session === undefined ? refused(NO_SESSION) : stateOf(session.personId);
  });

  route(app, guard, contract.beginLink, async ({ request, reply, body }) => {
    const session = await sessionWithPassword(context, request, body.Password);
    return session instanceof Refused ? session : begin(reply, `link ${session.personId}`);
  });

  route(app, guard, contract.linkIdentity, async ({ request, reply, body }) => {
    const { session } = principalOf(request);
    if (session === undefined) return refused(NO_SESSION);
    const { personId } = session;
    const identity = await identify(request, reply, `link ${personId}`, body.Answer);
    if (identity instanceof Refused) return identity;
    if (openId === undefined) return refused(NO_PROVIDER);
    const { issuer } = openId;
    const isNew = await inTransaction(pool, (tx) =>
      linkTo(tx, session, { issuer, subject: identity.subject }, clock()),
    );
    return isNew ? stateOf(personId) : refused(IS_LINKED);
  });

  route(app, guard, contract.unlinkIdentity, async ({ request, body }) => {
    const session = await sessionWithPassword(context, request, body.Password);
    if (session instanceof Refused) return session;
    if (openId === undefined) return refused(NO_PROVIDER);
    const { personId, email } = session;
    return audited(request, async (tx) => {
      await removeIdentity(tx, personId, openId.issuer);
      const answer = { Provider: openId.name, IsLinked: false };
      return { action: 'identity.unlinked', subject: `person ${email}`, before: { issuer: openId.issuer }, answer };
    });
  });
}
