import * as contract from '../../contract/console/person.ts';
import { INSTALLATION_ROLES } from '../../contract/shared/values.ts';
import { type Called, openService, type Service } from '../shared/client.ts';
import { CONNECTION, type Command, type Invocation, printsJson, requiredText, wordOption } from '../shared/command.ts';
import { usage } from '../shared/failure.ts';
import { momentIn } from '../shared/moment.ts';
import { PAGING, printListOf } from '../shared/pages.ts';
import { printFacts } from '../shared/table.ts';

function emailOf(invocation: Invocation): string {
  const email = (invocation.words[0] ?? '').trim().toLowerCase();
  if (!email.includes('@'))
    throw usage(`"${email}" is not an email address.`, 'See the operators: tillseal operator list');
  return email;
}

async function idOf(service: Service, email: string): Promise<{ readonly personId: string }> {
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const query = { Limit: 200, ...(cursor === undefined ? {} : { Cursor: cursor }) };
    const { value } = await service.call(contract.listPeople, { query });
    const found = value.People.find((person) => person.Email === email);
    if (found !== undefined) return { personId: found.PersonId };
    cursor = value.NextCursor;
  }
  throw usage(`There is no operator ${email}.`, 'See the operators: tillseal operator list');
}

function printPassword(
  invocation: Invocation,
  { value, text }: Called<typeof contract.resetPersonPassword> | Called<typeof contract.addPerson>,
): void {
  const { terminal } = invocation;
  if (printsJson(invocation, text)) return;
  printFacts(terminal, [
    ['Email', value.Email],
    ['One-time password', value.OneTimePassword ?? 'none: the person has a password already'],
  ]);
  terminal.note('Give it to its owner: it is never shown again, and the first log-in at /console asks for a new one.');
}

/** Who may log in to the console. */
export const operatorCommands: readonly Command[] = [
  {
    name: 'operator list',
    summary: 'List who may log in to the console. (operator)',
    options: { ...PAGING, ...CONNECTION },
    examples: ['tillseal operator list'],
    run: async (invocation) => {
      const service = await openService(invocation, 'operator');
      const zone = await service.zone();
      return printListOf(invocation, service, contract.listPeople, {
        given: {},
        key: 'People',
        noun: 'operators',
        columns: [
          { title: 'EMAIL', value: ({ Email }) => Email },
          { title: 'NAME', value: ({ Name }) => Name },
          { title: 'ROLE', value: ({ Role }) => Role },
          { title: 'LAST LOG-IN', value: ({ LastLogInAt }) => (LastLogInAt ? momentIn(zone, LastLogInAt) : 'never') },
          { title: 'STATE', value: ({ Disabled }) => (Disabled ? 'disabled' : 'active') },
          { title: 'PERSON ID', value: ({ PersonId }) => PersonId },
        ],
      });
    },
  },
  {
    name: 'operator add',
    summary: 'Let someone log in to the console, and show a one-time password. (operator)',
    arguments: ['EMAIL'],
    options: {
      name: { value: 'NAME', help: 'the name of the person' },
      role: {
        value: 'ROLE',
        help: 'viewer (can look), operator (can also act) or admin (can do everything); viewer by default',
      },
      ...CONNECTION,
    },
    examples: ['tillseal operator add tendai@example.com --name "Tendai Moyo" --role operator'],
    run: async (invocation) => {
      const Role = wordOption(invocation, 'role', INSTALLATION_ROLES) ?? 'viewer';
      const body = { Email: emailOf(invocation), Name: requiredText(invocation, 'name', '"Tendai Moyo"'), Role };
      const service = await openService(invocation, 'operator');
      return printPassword(invocation, await service.call(contract.addPerson, { body }));
    },
  },
  {
    name: 'operator reset-password',
    summary: 'Give an operator a new one-time password. (operator)',
    arguments: ['EMAIL'],
    details: 'Logs them out everywhere, and ends the wait after wrong passwords.',
    examples: ['tillseal operator reset-password tendai@example.com'],
    run: async (invocation) => {
      const email = emailOf(invocation);
      const service = await openService(invocation, 'operator');
      const params = await idOf(service, email);
      return printPassword(invocation, await service.call(contract.resetPersonPassword, { params }));
    },
  },
  {
    name: 'operator remove',
    summary: 'Remove an operator; what they did stays in the audit log. (operator)',
    arguments: ['EMAIL'],
    examples: ['tillseal operator remove tendai@example.com'],
    run: async (invocation) => {
      const email = emailOf(invocation);
      const service = await openService(invocation, 'operator');
      const { text } = await service.call(contract.removePerson, { params: await idOf(service, email) });
      if (!printsJson(invocation, text)) invocation.terminal.note(`${email} is removed and logged out everywhere.`);
    },
  },
];
