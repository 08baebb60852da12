import { Type } from 'typebox';
import type { Answer, RouteDocumentation } from '../../platform/http/documentation.ts';
import { listOf, textOrNull } from '../schemas.ts';
import { ROLES } from './core/role.ts';

const tag = 'Administration';

const fields = {
  OperatorId: Type.String(),
  Email: Type.String(),
  Name: Type.String(),
  Role: Type.String({
    enum: ROLES,
    description: 'A viewer looks; an operator also acts on devices and receipts; an admin may do everything.',
  }),
  MustChangePassword: Type.Boolean(),
  Disabled: Type.Boolean(),
  LastLogInAt: textOrNull({}),
  CreatedAt: Type.String(),
};
const OperatorSchema = Type.Object(fields, { title: 'Operator' });
const WithPassword = Type.Object(
  { ...fields, OneTimePassword: Type.String({ description: 'Shown this once; must be changed at the first log-in.' }) },
  { title: 'OperatorWithPassword' },
);

const example = {
  OperatorId: '0198b7e2-4c1d-7f3a-9a55-2f1c8e6d0b47',
  Email: 'tendai@example.com',
  Name: 'Tendai Moyo',
  Role: 'operator',
  MustChangePassword: true,
  Disabled: false,
  LastLogInAt: null,
  CreatedAt: '2026-11-15T10:00:00.000Z',
};

const withPassword: Answer = {
  description: 'The operator, with a password for the first log-in.',
  schema: WithPassword,
  examples: {
    operator: { summary: 'To be told once', value: { ...example, OneTimePassword: 'k7wmq-3hzcv-9ftpd-x2ybn' } },
  },
};
const plain = (summary: string): Answer => ({
  description: 'The operator.',
  schema: OperatorSchema,
  examples: { operator: { summary, value: example } },
});

export const listOperatorsDocumentation: RouteDocumentation = {
  operationId: 'listOperators',
  tag,
  summary: 'Who may log in to the console',
  answers: { 200: listOf('Operators', OperatorSchema, 'OperatorList', example) },
};

export const addOperatorDocumentation: RouteDocumentation = {
  operationId: 'addOperator',
  tag,
  summary: 'Let somebody log in to the console',
  answers: { 201: withPassword },
  bodyExamples: {
    operator: {
      summary: 'An operator',
      value: { Email: 'tendai@example.com', Name: 'Tendai Moyo', Role: 'operator' },
    },
  },
};

export const changeOperatorDocumentation: RouteDocumentation = {
  operationId: 'changeOperator',
  tag,
  summary: 'Change an operator',
  description: 'A disabled operator is logged out everywhere at once.',
  answers: { 200: plain('Changed') },
  refusals: ['NotFound'],
  bodyExamples: { role: { summary: 'Another role', value: { Role: 'viewer' } } },
};

export const resetPasswordDocumentation: RouteDocumentation = {
  operationId: 'resetOperatorPassword',
  tag,
  summary: 'Give an operator a new one-time password',
  description: 'Ends their sessions, and lets them log in at once if wrong passwords had locked them out.',
  answers: { 200: withPassword },
  refusals: ['NotFound'],
};

export const removeOperatorDocumentation: RouteDocumentation = {
  operationId: 'removeOperator',
  tag,
  summary: 'Remove an operator',
  description: 'What they did stays in the audit log under their email.',
  answers: { 200: plain('As it was') },
  refusals: ['NotFound'],
};
