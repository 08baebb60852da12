import { invite, listInvitations, withdrawInvitation } from '../../contract/console/invitation.ts';
import * as contract from '../../contract/console/person.ts';
import { changeSignInRules, removeSecondFactor } from '../../contract/console/second-factor.ts';
import { derived } from '../derived/command.ts';
import type { Request } from '../derived/row.ts';
import type { Service } from '../shared/client.ts';
import type { Command } from '../shared/command.ts';
import { usage } from '../shared/failure.ts';

const LIST = 'See the operators: tillseal operator list';

function emailOf(word: string): string {
  const email = word.trim().toLowerCase();
  if (!email.includes('@')) throw usage(`"${email}" is not an email address.`, LIST);
  return email;
}

async function findOperator(word: string, { call }: Service, { query }: Request): Promise<string> {
  const email = emailOf(word);
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = { ...query, Limit: 200, ...(cursor && { Cursor: cursor }) };
    const { value } = await call(contract.listPeople, { query: page });
    const found = value.People.find((person) => person.Email === email);
    if (found !== undefined) return found.PersonId;
    cursor = value.NextCursor;
  }
  throw usage(`There is no operator ${email}.`, LIST);
}

const Role = 'viewer (looks), operator (acts) or admin; of a tenant viewer, clerk or owner';
const byEmail = { find: { personId: findOperator }, labels: { personId: 'EMAIL' } } as const;
const newcomer = {
  words: ['Email'],
  flags: { Role: `${Role} (viewer)` },
  amend: ({ body }: Request) => {
    const { Email = '', Role = 'viewer' }: Record<string, unknown> = Object(body);
    Object.assign(body, { Email: emailOf(String(Email)), Role });
  },
  examples: ['--name "Tendai Moyo" --role operator'],
} as const;

/** Who may log in to the console: people of the installation, and with an owner those of a tenant. */
export const operatorCommands: readonly Command[] = [
  derived('operator list', contract.listPeople, {
    summary: 'List who may log in to the console.',
    noun: 'operators',
    columns: ['Email', 'Name', 'Role', 'ExpiresAt', { 'LAST LOG-IN': 'LastLogInAt' }, 'Disabled', 'PersonId'],
  }),
  derived('operator add', contract.addPerson, {
    ...newcomer,
    facts: ['Email', 'Role', 'OneTimePassword'],
    summary: 'Let someone log in to the console, and show a one-time password.',
  }),
  derived('operator invite', invite, {
    ...newcomer,
    details: 'The address gets a link that works once. Needs SMTP_URL.',
  }),
  derived('operator invitations', listInvitations),
  derived('operator uninvite', withdrawInvitation),
  derived('operator set', contract.changePerson, {
    ...byEmail,
    flags: { Role, Disabled: '--disable: end their sessions, and let them in no more' },
    negatives: { Disabled: '--enable: let them in again' },
    examples: ['tillseal operator set tendai@example.com --role viewer'],
  }),
  derived('operator reset-password', contract.resetPersonPassword, {
    ...byEmail,
    details: 'Logs them out everywhere, and ends the wait after wrong passwords.',
    examples: ['tillseal operator reset-password tendai@example.com'],
  }),
  derived('operator reset-factor', removeSecondFactor, {
    ...byEmail,
    examples: ['tillseal operator reset-factor tendai@example.com'],
  }),
  derived('operator rules', changeSignInRules, {
    flags: { IsSecondFactorRequired: '--second-factor: everybody has to have one' },
    negatives: { IsSecondFactorRequired: '--no-second-factor: a password is enough' },
    examples: ['--second-factor', '--no-second-factor'],
  }),
  derived('operator remove', contract.removePerson, {
    ...byEmail,
    summary: 'Remove an operator; what they did stays in the audit log.',
    say: ({ Email }) => `${Email} is removed and logged out everywhere.`,
    examples: ['tillseal operator remove tendai@example.com'],
  }),
];
