import { openService, type Service } from './client.ts';
import { CONNECTION, type Command, type Invocation, requiredText } from './command.ts';
import { EXIT, type ExitCode, usage } from './failure.ts';
import type { JsonView } from './json-view.ts';
import { PAGING, printList } from './pages.ts';
import { type Column, printFacts } from './table.ts';

const ROLES = ['viewer', 'operator', 'admin'];

const COLUMNS: readonly Column<JsonView>[] = [
  { title: 'EMAIL', value: (operator) => operator.text('Email') },
  { title: 'NAME', value: (operator) => operator.text('Name') },
  { title: 'ROLE', value: (operator) => operator.text('Role') },
  {
    title: 'LAST LOG-IN',
    value: (operator) => operator.optionalMoment('LastLogInAt') ?? 'never',
  },
  { title: 'STATE', value: (operator) => (operator.isTrue('Disabled') ? 'disabled' : 'active') },
  { title: 'OPERATOR ID', value: (operator) => operator.text('OperatorId') },
];

function emailOf(invocation: Invocation): string {
  const email = (invocation.words[0] ?? '').trim().toLowerCase();
  if (!email.includes('@')) throw usage(`"${email}" is no email.`, 'See the operators: tillseal operator list');
  return email;
}

async function idOf(service: Service, email: string): Promise<string> {
  for (let cursor = ''; ; ) {
    const page = (await service.send('GET', `/api/admin/operators?Limit=200${cursor}`)).view();
    const found = page.list('Operators').find((operator) => operator.text('Email') === email);
    if (found !== undefined) return found.text('OperatorId');
    const next = page.optional('NextCursor');
    if (next === undefined) throw usage(`There is no operator ${email}.`, 'See the operators: tillseal operator list');
    cursor = `&Cursor=${next}`;
  }
}

function printPassword(invocation: Invocation, text: string, operator: JsonView): ExitCode {
  const { terminal } = invocation;
  if (invocation.isSet('json')) {
    terminal.print(text);
    return EXIT.done;
  }
  printFacts(terminal, [
    ['Email', operator.text('Email')],
    ['Role', operator.text('Role')],
    ['One-time password', operator.text('OneTimePassword')],
  ]);
  terminal.note('Tell it to its owner: it is never shown again, and the first log-in at /console asks for a new one.');
  return EXIT.done;
}

/** Who may log in to the console. */
export const operatorCommands: readonly Command[] = [
  {
    name: 'operator list',
    summary: 'List who may log in to the console. (operator)',
    arguments: [],
    options: { ...PAGING, ...CONNECTION },
    examples: ['tillseal operator list'],
    run: async (invocation) =>
      printList(invocation, await openService(invocation, 'operator'), {
        path: '/api/admin/operators',
        query: {},
        key: 'Operators',
        noun: 'operators',
        columns: COLUMNS,
      }),
  },
  {
    name: 'operator add',
    summary: 'Let somebody log in to the console, and show a one-time password. (operator)',
    arguments: ['EMAIL'],
    options: {
      name: { value: 'NAME', help: 'the name of the person' },
      role: { value: 'ROLE', help: 'viewer (looks), operator (also acts) or admin (everything); viewer by default' },
      ...CONNECTION,
    },
    examples: ['tillseal operator add tendai@example.com --name "Tendai Moyo" --role operator'],
    run: async (invocation) => {
      const role = invocation.text('role') ?? 'viewer';
      if (!ROLES.includes(role)) throw usage(`--role must be one of ${ROLES.join(', ')}, got "${role}".`);
      const body = { Email: emailOf(invocation), Name: requiredText(invocation, 'name', '"Tendai Moyo"'), Role: role };
      const service = await openService(invocation, 'operator');
      const answer = await service.send('POST', '/api/admin/operators', JSON.stringify(body));
      return printPassword(invocation, answer.text, answer.view());
    },
  },
  {
    name: 'operator reset-password',
    summary: 'Give an operator a new one-time password. (operator)',
    arguments: ['EMAIL'],
    options: CONNECTION,
    details: 'Logs them out everywhere, and ends the wait after wrong passwords.',
    examples: ['tillseal operator reset-password tendai@example.com'],
    run: async (invocation) => {
      const email = emailOf(invocation);
      const service = await openService(invocation, 'operator');
      const answer = await service.send('POST', `/api/admin/operators/${await idOf(service, email)}/password`);
      return printPassword(invocation, answer.text, answer.view());
    },
  },
  {
    name: 'operator remove',
    summary: 'Remove an operator; what they did stays in the audit log. (operator)',
    arguments: ['EMAIL'],
    options: CONNECTION,
    examples: ['tillseal operator remove tendai@example.com'],
    run: async (invocation) => {
      const email = emailOf(invocation);
      const service = await openService(invocation, 'operator');
      const answer = await service.send('DELETE', `/api/admin/operators/${await idOf(service, email)}`);
      if (invocation.isSet('json')) invocation.terminal.print(answer.text);
      else invocation.terminal.note(`${email} is removed and logged out everywhere.`);
      return EXIT.done;
    },
  },
];
