import * as contract from '../../contract/console/person.ts';
import { derived, type Request } from '../derived/command.ts';
import type { Service } from '../shared/client.ts';
import type { Command } from '../shared/command.ts';
import { usage } from '../shared/failure.ts';
import { momentIn } from '../shared/moment.ts';

const LIST = 'See the operators: tillseal operator list';

function emailOf(word: string): string {
  const email = word.trim().toLowerCase();
  if (!email.includes('@')) throw usage(`"${email}" is not an email address.`, LIST);
  return email;
}

async function findOperator(word: string, { call }: Service): Promise<string> {
  const email = emailOf(word);
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const query = { Limit: 200, ...(cursor === undefined ? {} : { Cursor: cursor }) };
    const { value } = await call(contract.listPeople, { query });
    const found = value.People.find((person) => person.Email === email);
    if (found !== undefined) return found.PersonId;
    cursor = value.NextCursor;
  }
  throw usage(`There is no operator ${email}.`, LIST);
}

const byEmail = { find: { personId: findOperator }, labels: { personId: 'EMAIL' } } as const;
const SHOWN_ONCE =
  'Give it to its owner: it is never shown again, and the first log-in at /console asks for a new one.';
const ofTenant = {
  TaxpayerId: 'of this taxpayer',
  VendorId: 'of this vendor',
  BillerCode: 'of this biller',
  PracticeId: 'of this practice',
};

/** Who may log in to the console. */
export const operatorCommands: readonly Command[] = [
  derived('operator list', contract.listPeople, {
    summary: 'List who may log in to the console.',
    noun: 'operators',
    flags: ofTenant,
    columns: {
      EMAIL: 'Email',
      NAME: 'Name',
      ROLE: 'Role',
      'LAST LOG-IN': ({ LastLogInAt }, zone) => (LastLogInAt ? momentIn(zone, LastLogInAt) : 'never'),
      STATE: ({ Disabled }) => (Disabled ? 'disabled' : 'active'),
      'PERSON ID': 'PersonId',
    },
  }),
  derived('operator add', contract.addPerson, {
    facts: {
      Email: 'Email',
      Role: 'Role',
      'One-time password': ({ OneTimePassword }) => OneTimePassword ?? 'none: the person has a password already',
    },
    notes: ({ OneTimePassword }) => (OneTimePassword === null ? [] : [SHOWN_ONCE]),
    summary: 'Let someone log in to the console, and show a one-time password.',
    words: ['Email'],
    flags: {
      ...ofTenant,
      Name: 'the name of the person',
      Role: 'viewer (can look; the default), operator (also acts) or admin (everything); of a tenant clerk or owner',
    },
    amend: ({ body }: Request) => {
      const { Email = '', Role = 'viewer' }: Record<string, unknown> = Object(body);
      Object.assign(body, { Email: emailOf(String(Email)), Role });
    },
    examples: ['--name "Tendai Moyo" --role operator'],
  }),
  derived('operator reset-password', contract.resetPersonPassword, {
    ...byEmail,
    facts: { Email: 'Email', 'One-time password': 'OneTimePassword' },
    notes: () => [SHOWN_ONCE],
    summary: 'Give an operator a new one-time password.',
    details: 'Logs them out everywhere, and ends the wait after wrong passwords.',
    examples: ['tillseal operator reset-password tendai@example.com'],
  }),
  derived('operator remove', contract.removePerson, {
    ...byEmail,
    flags: { TaxpayerId: false, VendorId: false, BillerCode: false, PracticeId: false },
    summary: 'Remove an operator; what they did stays in the audit log.',
    say: ({ Email }) => `${Email} is removed and logged out everywhere.`,
    examples: ['tillseal operator remove tendai@example.com'],
  }),
];
