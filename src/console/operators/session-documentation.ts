import { Type } from 'typebox';
import type { RouteDocumentation } from '../../platform/http/documentation.ts';
import { ROLES } from './core/role.ts';

const tag = 'Administration';

const SessionOperator = Type.Object(
  {
    OperatorId: Type.String(),
    Email: Type.String(),
    Name: Type.String(),
    Role: Type.String({ enum: ROLES }),
    MustChangePassword: Type.Boolean({ description: 'Nothing else is possible until a password is chosen.' }),
    ExpiresAt: Type.String({ format: 'date-time' }),
  },
  { title: 'SessionOperator' },
);

const TimeZone = Type.String({
  description: 'IANA name: the zone in which the console and the command line show times.',
});

const operator = {
  OperatorId: '0198b7e2-4c1d-7f3a-9a55-2f1c8e6d0b47',
  Email: 'tendai@example.com',
  Name: 'Tendai Moyo',
  Role: 'operator',
  MustChangePassword: false,
  ExpiresAt: '2026-11-15T22:00:00.000Z',
};

const ended = (summary: string) => ({
  description: 'How many sessions it ended.',
  schema: Type.Object({ EndedSessions: Type.Integer() }, { title: 'EndedSessions' }),
  examples: { ended: { summary, value: { EndedSessions: 1 } } },
});

export const logInDocumentation: RouteDocumentation = {
  operationId: 'logIn',
  tag,
  summary: 'Log in to the console',
  description:
    'For the console itself: the session comes as a cookie, and the request must carry the header `X-Tillseal-Console: 1` from the same origin. Programs use a token. Five wrong passwords in a row for an email make who sent them wait for 15 minutes: the network, or the browser where one logged in before. A network may try 30 times at once and then once every two seconds.',
  isPublic: true,
  answers: {
    200: {
      description: 'Logged in; the cookie is set.',
      schema: Type.Object({ Operator: SessionOperator, TimeZone }, { title: 'LoggedIn' }),
      examples: { in: { summary: 'Logged in', value: { Operator: operator, TimeZone: 'Africa/Harare' } } },
      headers: { 'Set-Cookie': { description: 'The session.', schema: { type: 'string' } } },
    },
  },
  refusals: ['Unauthorized', 'Forbidden', 'RateLimited', 'Overloaded', 'Unavailable'],
  bodyExamples: {
    operator: { summary: 'An operator', value: { Email: 'tendai@example.com', Password: 'four words are enough' } },
  },
};

export const getSessionDocumentation: RouteDocumentation = {
  operationId: 'getSession',
  tag,
  summary: 'Who is logged in, and in which zone times are shown',
  isPublic: true,
  answers: {
    200: {
      description: 'The operator of the session, or null.',
      schema: Type.Object(
        {
          Operator: Type.Union([SessionOperator, Type.Null()]),
          TimeZone,
        },
        { title: 'CurrentSession' },
      ),
      examples: {
        in: { summary: 'Logged in', value: { Operator: operator, TimeZone: 'Africa/Harare' } },
        out: { summary: 'Nobody', value: { Operator: null, TimeZone: 'Africa/Harare' } },
      },
    },
  },
  refusals: ['Overloaded', 'Unavailable'],
};

export const logOutDocumentation: RouteDocumentation = {
  operationId: 'logOut',
  tag,
  summary: 'Log out, here or everywhere',
  answers: { 200: ended('Logged out here') },
};

export const changePasswordDocumentation: RouteDocumentation = {
  operationId: 'changePassword',
  tag,
  summary: 'Change your password',
  description: 'Ends all your other sessions.',
  answers: { 200: ended('One other session was ended') },
  bodyExamples: {
    change: {
      summary: 'A new password',
      value: { CurrentPassword: 'four words are enough', NewPassword: 'five words are even better' },
    },
  },
};
