import { Type } from 'typebox';
import { TAX_ROUNDINGS } from '../../kernel/tax.ts';
import { operation } from '../shared/operation.ts';
import { answered, closed, Instant, oneOf, orNull } from '../shared/vocabulary.ts';
import { ROLES } from './operator.ts';

export const SessionOperator = Type.Object(
  {
    OperatorId: Type.String(),
    Email: Type.String(),
    Name: Type.String(),
    Role: oneOf(ROLES),
    MustChangePassword: Type.Boolean({ description: 'Nothing else is possible until a password is chosen.' }),
    ExpiresAt: Instant,
  },
  { title: 'SessionOperator' },
);
export type SessionOperator = Type.Static<typeof SessionOperator>;

const TimeZone = Type.String({
  description: 'IANA name: the zone in which the console and the command line show times.',
});
const TaxRounding = oneOf(TAX_ROUNDINGS, { description: 'Where exactly half a cent of tax goes.' });
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
const EndedSessions = Type.Object({ EndedSessions: Type.Integer() }, { title: 'EndedSessions' });

const endedAnswer = answered('How many sessions it ended.', EndedSessions);

export const logIn = operation('POST /api/admin/session', {
  access: 'anybody',
  summary: 'Log in to the console',
  description:
    'For the console itself: the session is a cookie, and the request must have the header `X-Tillseal-Console: 1` from the same origin. Programs use a token. After five wrong passwords in a row for an email, the sender must wait for 15 minutes: the network, or a browser that has logged in before. A network may try 30 times at once and then once every two seconds; all networks together guess one wrong password a second, and fifty for one email, which then waits for an hour. A browser that has logged in before is not affected by others.',
  body: Credentials,
  bodyExamples: {
    operator: { summary: 'An operator', value: { Email: 'tendai@example.com', Password: 'four words are enough' } },
  },
  answer: {
    ...answered(
      'Logged in; the cookie is set.',
      Type.Object({ Operator: SessionOperator, TimeZone, TaxRounding }, { title: 'LoggedIn' }),
    ),
    headers: { 'Set-Cookie': { description: 'The session.', schema: { type: 'string' } } },
  },
  refusals: ['Unauthorized', 'Forbidden', 'RateLimited', 'Overloaded', 'Unavailable'],
});

export const getSession = operation('GET /api/admin/session', {
  access: 'anybody',
  summary: 'Who is logged in, and in which zone times are shown',
  answer: {
    description: 'The operator of the session, or null.',
    schema: Type.Object({ Operator: orNull(SessionOperator), TimeZone, TaxRounding }, { title: 'CurrentSession' }),
  },
  refusals: ['Overloaded', 'Unavailable'],
});

export const logOut = operation('DELETE /api/admin/session', {
  access: 'viewer with any password',
  summary: 'Log out, here or everywhere',
  query: Type.Object(
    { Everywhere: Type.Optional(Type.Boolean({ description: 'End all sessions of this operator.' })) },
    closed,
  ),
  answer: endedAnswer,
});

export const changePassword = operation('POST /api/admin/session/password', {
  access: 'viewer with any password',
  summary: 'Change your password',
  description: 'Ends all your other sessions.',
  body: PasswordChange,
  bodyExamples: {
    change: {
      summary: 'A new password',
      value: { CurrentPassword: 'four words are enough', NewPassword: 'five words are even better' },
    },
  },
  answer: endedAnswer,
});
