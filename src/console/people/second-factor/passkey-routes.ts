import type { FastifyInstance, FastifyRequest } from 'fastify';
import * as contract from '../../../contract/console/second-factor.ts';
import { newId } from '../../../kernel/ids.ts';
import { type Refusal, Refused, refused } from '../../../kernel/refusal.ts';
import { route } from '../../../platform/http/route.ts';
import { wrong } from '../own-password.ts';
import { principalOf } from '../principal.ts';
import { NO_SESSION, type SessionContext } from '../session-routes.ts';
import { CHALLENGE_MS, optionsToMake, optionsToUse, passkeyPlace, readMade } from './ceremony.ts';
import { presentFactors, sessionWithPassword, welcomeFactor } from './own-factors.ts';
import { deletePasskey, insertPasskey, listPasskeys, setChallenge, takeChallenge } from './passkey-store.ts';
import { dropRecoveryCodesOfNone, findFactors } from './second-factor-store.ts';

const MAX_PASSKEYS = 20;

/** Passkeys of whoever is logged in, and the question to one at log-in; `second-factor-routes.ts` takes its answer. */
export function passkeyRoutes(app: FastifyInstance, context: SessionContext): void {
  const { pool, clock, guard, audited, publicUrl } = context;
  const placeOf = (request: FastifyRequest) => passkeyPlace(publicUrl, request);
  const until = () => new Date(clock().getTime() + CHALLENGE_MS);

  route(app, guard, contract.startSecondFactor, async ({ request }) => {
    const { session } = principalOf(request);
    if (session === undefined) return refused(NO_SESSION);
    const { isTotpConfirmed: Totp } = await findFactors(pool, session.personId);
    const known = await listPasskeys(pool, session.personId);
    const place = placeOf(request);
    if (place === undefined || known.length === 0) return { Totp, Passkey: null };
    const Passkey = await optionsToUse(place, known);
    await setChallenge(pool, session.sessionHash, 'use', Passkey.challenge, until());
    return { Totp, Passkey };
  });

  route(app, guard, contract.startPasskey, async ({ request, body }) => {
    const place = placeOf(request);
    if (place === undefined) return refused(NO_NAME);
    const session = await sessionWithPassword(context, request, body.Password);
    if (session instanceof Refused) return session;
    const known = await listPasskeys(pool, session.personId);
    if (known.length >= MAX_PASSKEYS) return refused(TOO_MANY);
    const Options = await optionsToMake(place, session, known);
    await setChallenge(pool, session.sessionHash, 'make', Options.challenge, until());
    return { Options };
  });

  route(app, guard, contract.addPasskey, async ({ request, body: { Name, Passkey } }) => {
    const { session } = principalOf(request);
    if (session === undefined) return refused(NO_SESSION);
    const place = placeOf(request);
    const challenge = await takeChallenge(pool, session.sessionHash, 'make', clock());
    const made = place && challenge ? await readMade(place, challenge, Passkey) : undefined;
    if (made === undefined) return NOT_MADE;
    const { personId, email } = session;
    const passkey = { ...made, passkeyId: newId(), name: Name, createdAt: clock() };
    return audited<{ RecoveryCodes: string[] }>(request, async (tx) => {
      if (!(await insertPasskey(tx, personId, passkey))) return NOT_MADE;
      const RecoveryCodes = await welcomeFactor(tx, session);
      return { action: 'second-factor.added', subject: `person ${email}`, after: { Name }, answer: { RecoveryCodes } };
    });
  });

  route(app, guard, contract.removePasskey, async ({ request, params, body }) => {
    const session = await sessionWithPassword(context, request, body.Password);
    if (session instanceof Refused) return session;
    const { personId, email } = session;
    return audited<contract.SecondFactorState>(request, async (tx) => {
      const Name = await deletePasskey(tx, personId, params.passkeyId);
      if (Name === undefined) return refused({ code: 'NotFound', detail: 'You have no such passkey.' });
      await dropRecoveryCodesOfNone(tx, personId);
      const answer = await presentFactors(tx, personId, placeOf(request));
      return { action: 'second-factor.removed', subject: `person ${email}`, before: { Name }, answer };
    });
  });
}

const NO_NAME: Refusal = {
  code: 'InvalidRequest',
  detail: 'Passkeys belong to a name: open the console at one, not at an IP address (the operator sets PUBLIC_URL).',
};
const TOO_MANY: Refusal = { code: 'InvalidRequest', detail: `You have ${MAX_PASSKEYS} passkeys: remove one first.` };
const NOT_MADE = wrong('Passkey', 'was not made for this, or too late: begin again');
