import { OWNERS } from '../shared/access.ts';
import { operation } from '../shared/operation.ts';
import { AnyRole, tenantFields } from '../shared/tenant.ts';
import { answered, change, input, only, pages, shape, Type } from '../shared/vocabulary.ts';

const ExpiresAt = Type.textOrNull({
  maxLength: 40,
  description: 'When the membership ends: date and time with Z or an offset. Null: never.',
});
const fields = {
  PersonId: Type.String(),
  Email: Type.String(),
  Name: Type.String(),
  Role: AnyRole,
  ExpiresAt,
  IsGranted: Type.Boolean({ description: 'By a claim of the OpenID provider, which alone changes or ends it.' }),
  MustChangePassword: Type.Boolean(),
  Disabled: Type.Boolean(),
  LastLogInAt: Type.textOrNull({ description: 'null: never.' }),
  CreatedAt: Type.String(),
};
export const Person = shape('Person', fields);
export type Person = Type.Static<typeof Person>;

const OneTimePassword = {
  OneTimePassword: Type.textOrNull({
    description: 'Shown only once; must be changed at the first log-in. Null: the person has a password already.',
  }),
};
const PersonWithPassword = shape('PersonWithPassword', { ...fields, ...OneTimePassword });

const Name = Type.String({ minLength: 1, maxLength: 100 });
const NewPerson = input('NewPerson', {
  Email: Type.String({ maxLength: 320 }),
  Name,
  Role: AnyRole,
  ExpiresAt: Type.Optional(ExpiresAt),
  ...tenantFields,
});
const PersonChange = change('PersonChange', { Name, Role: AnyRole, ExpiresAt, Disabled: Type.Boolean() });

const newExample = { Email: 'tendai@example.com', Name: 'Tendai Moyo', Role: 'operator' };
const personAnswer = answered('The person.', Person);
const passwordAnswer = answered('The person, with a password for the first log-in.', PersonWithPassword);

const one = { access: OWNERS, query: only(tenantFields) } as const;

export const listPeople = operation('GET /api/admin/people', {
  access: OWNERS,
  summary: 'The people of the installation, or of a tenant',
  ...pages('People', Person, 'PersonList', { ...tenantFields, Cursor: Type.Id }),
});

export const addPerson = operation('POST /api/admin/people', {
  access: 'admin',
  summary: 'Let someone log in, for the installation or for a tenant',
  description:
    'Who is known by the email already keeps name and password, and can work for one more. `ExpiresAt` ends the membership.',
  body: NewPerson,
  bodyExamples: { 'An operator': newExample },
  answer: { ...passwordAnswer, status: 201 },
  refusals: ['NotFound'],
});

export const changePerson = operation('PATCH /api/admin/people/:personId', {
  ...one,
  summary: 'Change a person',
  description:
    'Role and expiry are those of the membership; nobody changes their own, and the last owner of a tenant stays. Name and `Disabled` are for admins: who is disabled is immediately logged out everywhere.',
  body: PersonChange,
  bodyExamples: { 'Another role': { Role: 'viewer' } },
  answer: personAnswer,
});

export const resetPersonPassword = operation('POST /api/admin/people/:personId/password', {
  access: 'admin',
  summary: 'Give a person a new one-time password',
  description: 'Ends their sessions, and lets them log in immediately if wrong passwords had locked them out.',
  answer: answered('The password.', shape('NewPassword', { Email: Type.String(), OneTimePassword: Type.String() })),
});

export const removePerson = operation('DELETE /api/admin/people/:personId', {
  ...one,
  summary: 'End a membership',
  description:
    'Ends their sessions there with the next request. Who then belongs to nobody is removed; what they did stays in the audit log under their email.',
  answer: personAnswer,
});
