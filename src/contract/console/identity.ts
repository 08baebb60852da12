import { operation } from '../shared/operation.ts';
import { answered, input, shape, Type } from '../shared/vocabulary.ts';
import { loggedIn } from './session.ts';

/** Who one is at the OpenID provider that OIDC_ISSUER names. */

const Address = shape('ProviderAddress', {
  Address: Type.String({ description: 'Where the browser goes next. It comes back within ten minutes.' }),
});
const begun = {
  ...answered('Where to log in.', Address),
  headers: { 'Set-Cookie': { description: 'What ties the answer to this browser.', schema: { type: 'string' } } },
};
const Answer = Type.String({
  minLength: 1,
  maxLength: 8000,
  description: 'The query with which the provider sent the browser back to /console/openid.',
});
const Token = Type.String({ minLength: 20, maxLength: 100, description: 'Of an invitation, which this accepts.' });
const Password = Type.String({ minLength: 1, maxLength: 200 });
const bodyExamples = {
  "The provider's answer": { Answer: '?code=SplxlOBeZQQYbYS6WxSbIA&state=af0ifjsldkj' },
};
const withPassword = {
  body: input('PasswordForIdentity', { Password }),
  bodyExamples: { 'Your password': { Password: 'four words are enough' } },
};
const fromConsole = { access: 'anybody', refusals: ['Forbidden', 'NotFound', 'RateLimited', 'Unavailable'] } as const;
const own = { access: 'proven session', refusals: ['Forbidden', 'InvalidRequest', 'NotFound'] } as const;

export const beginOpenIdLogIn = operation('POST /api/admin/session/openid', {
  ...fromConsole,
  summary: 'Begin to log in by the OpenID provider',
  description: 'Code flow with PKCE, state and nonce, which the cookie alone has: nothing is stored.',
  answer: begun,
});

export const finishOpenIdLogIn = operation('PUT /api/admin/session/openid', {
  ...fromConsole,
  summary: 'Log in by the OpenID provider',
  description:
    'Whom the provider names must be linked with an account: by an invitation that is accepted this way (`Token`) or from a session (`PUT /api/admin/session/identity`). An email alone links nobody. Nothing of the tokens is kept.',
  body: input('ProviderLogIn', { Answer, Token: Type.Optional(Token) }),
  bodyExamples,
  answer: loggedIn,
});

const Identity = shape('OwnIdentity', {
  Provider: Type.textOrNull({ description: 'Its name; null: this installation has none.' }),
  IsLinked: Type.Boolean({ description: 'You can log in by it.' }),
});
export type OwnIdentity = Type.Static<typeof Identity>;
const identityAnswer = answered('As it is now.', Identity);

export const getIdentity = operation('GET /api/admin/session/identity', {
  ...own,
  summary: 'Whether you can log in by the OpenID provider',
  answer: identityAnswer,
});

export const beginLink = operation('POST /api/admin/session/identity', {
  ...own,
  ...withPassword,
  refusals: [...own.refusals, 'Unavailable'],
  summary: 'Begin to link your account with the OpenID provider',
  answer: begun,
});

export const linkIdentity = operation('PUT /api/admin/session/identity', {
  ...own,
  refusals: [...own.refusals, 'Unavailable'],
  summary: 'Link your account with the OpenID provider',
  body: input('ProviderAnswer', { Answer }),
  bodyExamples,
  answer: identityAnswer,
});

export const unlinkIdentity = operation('DELETE /api/admin/session/identity', {
  ...own,
  ...withPassword,
  summary: 'No longer log in by the OpenID provider',
  description: 'Ends your sessions that came by it.',
  answer: identityAnswer,
});
