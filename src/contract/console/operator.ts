import { Type } from 'typebox';
import { operation } from '../shared/operation.ts';
import { answered, closed, Id, oneOf, pageOf, pageQuery, textOrNull } from '../shared/vocabulary.ts';

/** Each includes the one before. */
export const ROLES = ['viewer', 'operator', 'admin'] as const;
export type Role = (typeof ROLES)[number];

const fields = {
  OperatorId: Type.String(),
  Email: Type.String(),
  Name: Type.String(),
  Role: oneOf(ROLES, {
    description: 'A viewer can look; an operator can also act on devices and receipts; an admin may do everything.',
  }),
  MustChangePassword: Type.Boolean(),
  Disabled: Type.Boolean(),
  LastLogInAt: textOrNull(),
  CreatedAt: Type.String(),
};
export const Operator = Type.Object(fields, { title: 'Operator' });
export type Operator = Type.Static<typeof Operator>;

const OperatorWithPassword = Type.Object(
  { ...fields, OneTimePassword: Type.String({ description: 'Shown only once; must be changed at the first log-in.' }) },
  { title: 'OperatorWithPassword' },
);

const Name = Type.String({ minLength: 1, maxLength: 100 });
const NewOperator = Type.Object(
  { Email: Type.String({ maxLength: 320 }), Name, Role: oneOf(ROLES) },
  { ...closed, title: 'NewOperator' },
);
const OperatorChange = Type.Partial(Type.Object({ Name, Role: oneOf(ROLES), Disabled: Type.Boolean() }), {
  ...closed,
  title: 'OperatorChange',
});

const newExample = { Email: 'tendai@example.com', Name: 'Tendai Moyo', Role: 'operator' };
const operatorAnswer = answered('The operator.', Operator);
const passwordAnswer = answered('The operator, with a password for the first log-in.', OperatorWithPassword);

const all = { access: 'admin' } as const;
const one = {
  access: 'admin',
  params: Type.Object({ operatorId: Id }),
  refusals: ['NotFound'],
} as const;

export const listOperators = operation('GET /api/admin/operators', {
  ...all,
  summary: 'Who may log in to the console',
  query: Type.Object({ ...pageQuery, Cursor: Type.Optional(Id) }, closed),
  answer: answered('A page.', pageOf('Operators', Operator, 'OperatorList')),
});

export const addOperator = operation('POST /api/admin/operators', {
  ...all,
  summary: 'Let someone log in to the console',
  body: NewOperator,
  bodyExamples: { operator: { summary: 'An operator', value: newExample } },
  answer: { ...passwordAnswer, status: 201 },
});

export const changeOperator = operation('PATCH /api/admin/operators/:operatorId', {
  ...one,
  summary: 'Change an operator',
  description: 'A disabled operator is immediately logged out everywhere.',
  body: OperatorChange,
  bodyExamples: { role: { summary: 'Another role', value: { Role: 'viewer' } } },
  answer: operatorAnswer,
});

export const resetOperatorPassword = operation('POST /api/admin/operators/:operatorId/password', {
  ...one,
  summary: 'Give an operator a new one-time password',
  description: 'Ends their sessions, and lets them log in immediately if wrong passwords had locked them out.',
  answer: passwordAnswer,
});

export const removeOperator = operation('DELETE /api/admin/operators/:operatorId', {
  ...one,
  summary: 'Remove an operator',
  description: 'What they did stays in the audit log under their email.',
  answer: operatorAnswer,
});
