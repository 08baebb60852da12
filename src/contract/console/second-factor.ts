import { Type } from 'typebox';
import { operation } from '../shared/operation.ts';
import { tenantFields } from '../shared/tenant.ts';
import { answered, input, only, shape } from '../shared/vocabulary.ts';

const Code = Type.String({ minLength: 6, maxLength: 20 });
const Password = Type.String({ minLength: 1, maxLength: 200 });
const whose = { access: 'proven session', refusals: ['InvalidRequest'] } as const;

export const SecondFactorState = shape('SecondFactorState', {
  Totp: Type.Boolean({ description: 'Codes of an app are asked for at log-in.' }),
  RecoveryCodes: Type.Integer({ description: 'How many are left.' }),
});
export type SecondFactorState = Type.Static<typeof SecondFactorState>;

export const proveSession = operation('POST /api/admin/session/second-factor', {
  access: 'any session',
  summary: 'Give the second factor of a log-in',
  description:
    'A code of your app (TOTP, RFC 6238), or one of your recovery codes. Each works once. After five wrong ones the next has to wait 15 minutes.',
  body: input('SecondFactorCode', { Code }),
  bodyExamples: { code: { summary: 'A code', value: { Code: '287082' } } },
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
  body: input('OwnPassword', { Password }),
  bodyExamples: { password: { summary: 'Your password', value: { Password: 'four words are enough' } } },
  answer: answered(
    'For the app.',
    shape('NewTotp', {
      Secret: Type.String({ description: 'Base32.' }),
      Uri: Type.String({ description: 'Of the QR code.' }),
    }),
  ),
});

export const confirmTotp = operation('PUT /api/admin/session/totp', {
  ...whose,
  summary: 'Give the first code of the app',
  description: 'From now on every log-in asks for a code; your other sessions do, too.',
  body: input('FirstCode', { Code }),
  bodyExamples: { code: { summary: 'A code', value: { Code: '287082' } } },
  answer: answered(
    'Keep the recovery codes: each lets you in once without the app. They are never shown again.',
    shape('RecoveryCodes', { RecoveryCodes: Type.Array(Type.String()) }),
  ),
});

export const removeTotp = operation('DELETE /api/admin/session/totp', {
  ...whose,
  summary: 'No longer use an app for codes',
  body: input('OwnPassword', { Password }),
  bodyExamples: { password: { summary: 'Your password', value: { Password: 'four words are enough' } } },
  answer: answered('What is left.', SecondFactorState),
});

export const removeSecondFactor = operation('DELETE /api/admin/people/:personId/second-factor', {
  access: 'admin',
  summary: 'Take the second factor from a person who has lost it',
  description: 'Ends their sessions.',
  answer: answered('Whose it was.', shape('WithoutSecondFactor', { Email: Type.String() })),
});

const rule = {
  access: { installation: 'admin', taxpayer: 'owner', vendor: 'owner', biller: 'owner', practice: 'owner' },
  answer: answered('As it is now.', shape('SignInRules', { IsSecondFactorRequired: Type.Boolean() })),
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
  body: input('NewSignInRules', { ...tenantFields, IsSecondFactorRequired: Type.Boolean() }),
  bodyExamples: { required: { summary: 'Required', value: { IsSecondFactorRequired: true } } },
});
