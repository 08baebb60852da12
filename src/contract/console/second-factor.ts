import { OWNERS } from '../shared/access.ts';
import { operation } from '../shared/operation.ts';
import { tenantFields } from '../shared/tenant.ts';
import { answered, input, only, shape, Type } from '../shared/vocabulary.ts';

const Code = Type.String({ minLength: 6, maxLength: 20 });
const Password = Type.String({ minLength: 1, maxLength: 200 });
const OwnPassword = input('OwnPassword', { Password });
/** Who has to set one up has just logged in, with a password or by a provider. */
const PasswordIfAsked = input(
  'PasswordIfAsked',
  { Password: Type.Optional(Password) },
  { description: 'No password is asked of who has to set one up (`Needs` is `Enrolment`).' },
);
const passwordExample = { 'Your password': { Password: 'four words are enough' } };
const whose = { access: 'proven session', refusals: ['InvalidRequest', 'RateLimited'] } as const;

const Passkey = shape('Passkey', {
  PasskeyId: Type.Id,
  Name: Type.String(),
  CreatedAt: Type.Instant,
  LastUsedAt: Type.orNull(Type.Instant),
});
export const SecondFactorState = shape('SecondFactorState', {
  Totp: Type.Boolean({ description: 'Codes of an app are taken at log-in.' }),
  Passkeys: Type.Array(Passkey, { description: 'Each is taken at log-in.' }),
  CanHavePasskeys: Type.Boolean({
    description: 'The console is open at a name. At an IP address there are no passkeys.',
  }),
  RecoveryCodes: Type.Integer({ description: 'How many are left.' }),
});
export type SecondFactorState = Type.Static<typeof SecondFactorState>;

/** For or from the browser, as the standard writes it: https://www.w3.org/TR/webauthn-3/ */
const Options = Type.Unsafe<object>({ type: 'object', additionalProperties: true });
const Bytes = Type.String({ pattern: '^[A-Za-z0-9_-]+$', maxLength: 20_000, description: 'Base64url.' });
const fromBrowser = <Fields extends Type.TProperties>(title: string, fields: Fields) =>
  shape(
    title,
    {
      id: Bytes,
      rawId: Bytes,
      type: Type.oneOf(['public-key']),
      response: Type.Object({ clientDataJSON: Bytes, ...fields }),
    },
    { description: '`PublicKeyCredential.toJSON()` of WebAuthn.' },
  );
const MadePasskey = fromBrowser('MadePasskey', {
  attestationObject: Bytes,
  transports: Type.Optional(Type.Array(Type.String({ maxLength: 30 }), { maxItems: 10 })),
});
export type MadePasskey = Type.Static<typeof MadePasskey>;
const UsedPasskey = fromBrowser('UsedPasskey', { authenticatorData: Bytes, signature: Bytes });
export type UsedPasskey = Type.Static<typeof UsedPasskey>;
const base64url = { id: 'AQID', rawId: 'AQID', type: 'public-key' };

export const startSecondFactor = operation('POST /api/admin/session/second-factor/options', {
  access: 'any session',
  summary: 'What can be given as second factor',
  answer: answered(
    'A recovery code can be given in any case.',
    shape('SecondFactorOptions', {
      Totp: Type.Boolean(),
      Passkey: Type.orNull(Options, {
        description:
          'For `navigator.credentials.get`, whose answer is good once and within five minutes; null: you have none.',
      }),
    }),
  ),
  refusals: ['InvalidRequest'],
});

export const proveSession = operation('POST /api/admin/session/second-factor', {
  access: 'any session',
  summary: 'Give the second factor of a log-in',
  description:
    'A code of your app (TOTP, RFC 6238), one of your recovery codes, or what a passkey answered to the options. Each works once. After five wrong ones the next has to wait 15 minutes.',
  body: input('SecondFactorProof', { Code: Type.Optional(Code), Passkey: Type.Optional(UsedPasskey) }),
  bodyExamples: {
    'A code': { Code: '287082' },
    'A passkey': {
      Passkey: { ...base64url, response: { clientDataJSON: 'e30', authenticatorData: 'AQID', signature: 'AQID' } },
    },
  },
  answer: answered('The session can be used.', SecondFactorState),
  refusals: ['InvalidRequest', 'RateLimited'],
});

export const getSecondFactor = operation('GET /api/admin/session/second-factor', {
  ...whose,
  summary: 'Which second factors you have',
  answer: answered('What there is.', SecondFactorState),
});

export const startTotp = operation('POST /api/admin/session/totp', {
  ...whose,
  summary: 'Begin to use an app for codes',
  description: 'Counts only when its first code was given (`PUT`).',
  body: PasswordIfAsked,
  bodyExamples: passwordExample,
  answer: answered(
    'For the app.',
    shape('NewTotp', {
      Secret: Type.String({ description: 'Base32.' }),
      Uri: Type.String({ description: 'Of the QR code.' }),
    }),
  ),
});

const recoveryCodes = answered(
  'Keep the recovery codes: each lets you in once without the app or passkey. They are never shown again, and none are made while there are others.',
  shape('RecoveryCodes', { RecoveryCodes: Type.Array(Type.String()) }),
);

export const confirmTotp = operation('PUT /api/admin/session/totp', {
  ...whose,
  summary: 'Give the first code of the app',
  description: 'From now on every log-in asks for a code; your other sessions do, too.',
  body: input('FirstCode', { Code }),
  bodyExamples: { 'A code': { Code: '287082' } },
  answer: recoveryCodes,
});

export const removeTotp = operation('DELETE /api/admin/session/totp', {
  ...whose,
  summary: 'No longer use an app for codes',
  body: OwnPassword,
  bodyExamples: passwordExample,
  answer: answered('What is left.', SecondFactorState),
});

export const startPasskey = operation('POST /api/admin/session/passkeys', {
  ...whose,
  summary: 'Begin to use a passkey',
  description: 'Counts only when the browser has made it (`PUT`).',
  body: PasswordIfAsked,
  bodyExamples: passwordExample,
  answer: answered(
    'For `navigator.credentials.create`, whose answer is good once and within five minutes.',
    shape('NewPasskey', { Options }),
  ),
});

export const addPasskey = operation('PUT /api/admin/session/passkeys', {
  ...whose,
  summary: 'Use the passkey that the browser has made',
  description: 'From now on every log-in asks for it, or for another second factor; your other sessions do, too.',
  body: input('NamedPasskey', { Name: Type.String({ minLength: 1, maxLength: 50 }), Passkey: MadePasskey }),
  bodyExamples: {
    'A passkey': {
      Name: 'Phone',
      Passkey: { ...base64url, response: { clientDataJSON: 'e30', attestationObject: 'AQID' } },
    },
  },
  answer: recoveryCodes,
});

export const removePasskey = operation('DELETE /api/admin/session/passkeys/:passkeyId', {
  ...whose,
  summary: 'No longer use a passkey',
  body: OwnPassword,
  bodyExamples: passwordExample,
  answer: answered('What is left.', SecondFactorState),
});

export const removeSecondFactor = operation('DELETE /api/admin/people/:personId/second-factor', {
  access: 'admin',
  summary: 'Take the second factors from a person who has lost them',
  description: 'Ends their sessions.',
  answer: answered('Whose it was.', shape('WithoutSecondFactor', { Email: Type.String() })),
});

const rule = {
  access: OWNERS,
  answer: answered(
    'As it is now.',
    shape('SignInRules', {
      IsSecondFactorRequired: Type.Boolean({ description: 'Of the people of the installation, or of the tenant.' }),
      IsRequiredOfAll: Type.Boolean({ description: 'Of everybody, here and at every tenant.' }),
    }),
  ),
} as const;

export const getSignInRules = operation('GET /api/admin/sign-in', {
  ...rule,
  summary: 'What is asked of the people of the installation, or of a tenant',
  query: only(tenantFields),
});

export const changeSignInRules = operation('PUT /api/admin/sign-in', {
  ...rule,
  summary: 'Require a second factor',
  description: 'Who has none can do nothing else there before setting one up.',
  body: input('NewSignInRules', {
    ...tenantFields,
    IsSecondFactorRequired: Type.Boolean(),
    IsRequiredOfAll: Type.Optional(Type.Boolean({ description: 'For admins of the installation.' })),
  }),
  installationFields: ['IsRequiredOfAll'],
  bodyExamples: { Required: { IsSecondFactorRequired: true } },
});
