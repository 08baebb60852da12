import { TAX_ROUNDINGS } from '../../kernel/tax.ts';
import { operation } from '../shared/operation.ts';
import { AnyRole, membershipFields, TenantQuery } from '../shared/tenant.ts';
import { answered, input, only, shape, Type } from '../shared/vocabulary.ts';

const Membership = shape('Membership', { ...membershipFields, Role: AnyRole });
export type Membership = Type.Static<typeof Membership>;

/** Before a session can be used. */
export const NEEDS = ['SecondFactor', 'Password', 'Enrolment'] as const;

export const SessionPerson = shape('SessionPerson', {
  PersonId: Type.String(),
  Email: Type.String(),
  Name: Type.String(),
  Role: AnyRole,
  Tenant: shape('TenantOfSession', membershipFields, { description: 'Whom the person acts for now.' }),
  IsSuspended: Type.Boolean({ description: 'The tenant: its people read everything and change nothing.' }),
  IsLooking: Type.Boolean({ description: 'An operator who looks as one of the tenant, and changes nothing.' }),
  Memberships: Type.Array(Membership, { description: 'All that the person can act for.' }),
  Needs: Type.orNull(Type.oneOf(NEEDS), {
    description:
      'Nothing else is possible before: a password of their own, the second factor, or setting up one that is required.',
  }),
  ExpiresAt: Type.Instant,
});
export type SessionPerson = Type.Static<typeof SessionPerson>;

const TimeZone = Type.String({
  description:
    'IANA name: the zone in which the console and the command line show times: that of the taxpayer for whom somebody acts, where it has one.',
});
const TaxRounding = Type.oneOf(TAX_ROUNDINGS, { description: 'Where exactly half a cent of tax goes.' });
export const AUTHORITY_KINDS = ['Real', 'Test', 'Simulator'] as const;
const Authority = Type.oneOf(AUTHORITY_KINDS, { description: 'Whether the receipts that are signed here are valid.' });
const Credentials = input('Credentials', {
  Email: Type.String({ maxLength: 320 }),
  Password: Type.String({ minLength: 1, maxLength: 200 }),
});
const PasswordChange = input('PasswordChange', {
  CurrentPassword: Type.String({ minLength: 1, maxLength: 200 }),
  NewPassword: Type.String({ maxLength: 1000, description: 'At least 12 characters.' }),
});
const EndedSessions = shape('EndedSessions', { EndedSessions: Type.Integer() });

const endedAnswer = answered('How many sessions it ended.', EndedSessions);

const LoggedIn = shape('LoggedIn', { Person: SessionPerson, TimeZone, TaxRounding, Authority });
export type LoggedIn = Type.Static<typeof LoggedIn>;
export const loggedIn = {
  ...answered('Logged in; the cookie is set.', LoggedIn),
  headers: { 'Set-Cookie': { description: 'The session.', schema: { type: 'string' } } },
};

export const logIn = operation('POST /api/admin/session', {
  access: 'anybody',
  summary: 'Log in to the console',
  description:
    'For the console itself: the session is a cookie, and the request must have the header `X-Tillseal-Console: 1` from the same origin. Programs use a token. After five wrong passwords in a row for an email, the sender must wait for 15 minutes: the network, or a browser that has logged in before. A network may try 30 times at once and then once every two seconds; all networks together guess one wrong password a second, and fifty for one email, which then waits for an hour. A browser that has logged in before is not affected by others.',
  body: Credentials,
  bodyExamples: { 'A person': { Email: 'tendai@example.com', Password: 'four words are enough' } },
  answer: loggedIn,
  refusals: ['Unauthorized', 'Forbidden', 'RateLimited', 'Overloaded', 'Unavailable'],
});

export const getSession = operation('GET /api/admin/session', {
  access: 'anybody',
  summary: 'Who is logged in, and in which zone times are shown',
  answer: {
    description: 'Who is logged in, or null.',
    schema: shape('CurrentSession', {
      Person: Type.orNull(SessionPerson),
      OpenIdProvider: Type.textOrNull({
        description: 'The name of the OpenID provider by which people can log in, too.',
      }),
      TimeZone,
      TaxRounding,
      Authority,
    }),
  },
  refusals: ['Overloaded', 'Unavailable'],
});

export const logOut = operation('DELETE /api/admin/session', {
  access: 'any session',
  summary: 'Log out, here or everywhere',
  query: only({ Everywhere: Type.Optional(Type.Boolean({ description: 'End all sessions of this person.' })) }),
  answer: endedAnswer,
});

export const changePassword = operation('POST /api/admin/session/password', {
  access: 'proven session',
  summary: 'Change your password',
  description: 'Ends all your other sessions.',
  refusals: ['RateLimited'],
  body: PasswordChange,
  bodyExamples: {
    'A new password': { CurrentPassword: 'four words are enough', NewPassword: 'five words are even better' },
  },
  answer: endedAnswer,
});

const OwnSession = shape('OwnSession', {
  SessionId: Type.String({ description: 'A name for it, which opens nothing.' }),
  StartedAt: Type.Instant,
  SeenAt: Type.Instant,
  ExpiresAt: Type.Instant,
  Browser: Type.textOrNull({ description: 'What it calls itself.' }),
  IsThis: Type.Boolean(),
});
export type OwnSession = Type.Static<typeof OwnSession>;

export const listSessions = operation('GET /api/admin/sessions', {
  access: 'proven session',
  summary: 'Where you are logged in',
  answer: answered('All of them.', shape('OwnSessions', { Sessions: Type.Array(OwnSession) })),
});

export const endOwnSession = operation('DELETE /api/admin/sessions/:sessionId', {
  access: 'proven session',
  summary: 'End one of your sessions',
  answer: endedAnswer,
});

export const switchTenant = operation('PATCH /api/admin/session', {
  access: 'proven session',
  summary: 'Act for another one',
  description:
    'One of your memberships, a taxpayer of your practice or, without any field, the installation. Of all other tenants an operator becomes a viewer, and the audit log says so.',
  body: TenantQuery,
  bodyExamples: { 'A taxpayer': { TaxpayerId: '0198b7e2-4c1d-7f3a-9a55-2f1c8e6d0b47' } },
  answer: answered('Who is logged in now.', SessionPerson),
  refusals: ['NotFound'],
});
