import { openService } from './client.ts';
import {
  CONNECTION,
  type Command,
  type Invocation,
  idText,
  type Options,
  refuseBoth,
  requiredText,
  wholeNumber,
} from './command.ts';
import { EXIT, type ExitCode, usage } from './failure.ts';
import { readInput } from './input.ts';
import type { JsonView } from './json-view.ts';
import { PAGING, printList } from './pages.ts';
import { type Column, type Fact, printFacts } from './table.ts';

const COLUMNS: readonly Column<JsonView>[] = [
  { title: 'VENDOR', value: (vendor) => vendor.text('VendorId') },
  { title: 'CODE', value: (vendor) => vendor.text('Code') },
  { title: 'NAME', value: (vendor) => vendor.text('Name') },
  { title: 'WEBHOOK', value: (vendor) => vendor.text('CallbackUrl') },
  { title: 'DEVICE', value: (vendor) => vendor.text('FiscalDeviceId') },
  { title: 'STATE', value: (vendor) => (vendor.isTrue('Suspended') ? 'suspended' : 'active') },
];

const SETTINGS: Options = {
  name: { value: 'NAME', help: 'as people know it' },
  'callback-url': { value: 'URL', help: 'where it is told of changed billers' },
  'callback-token': { value: 'TOKEN', help: 'what it wants as bearer token there; @FILE reads it from a file' },
  'fiscal-token': { value: 'TOKEN', help: 'its own token at the signing service, for invoices; @FILE reads a file' },
  'fiscal-device': { value: 'ID', help: 'its device that signs the invoices' },
};
const REMOVALS: Options = {
  'no-callback-url': { help: 'tell it nothing any more' },
  'no-callback-token': { help: 'send the webhook without a bearer token' },
  'no-fiscal-token': { help: 'sign no invoices in its name' },
  'no-fiscal-device': { help: 'forget the device' },
};

/** What is given becomes part of the body; `no-…` becomes null. */
async function bodyOf(invocation: Invocation): Promise<Record<string, unknown>> {
  const given = (option: string, value: unknown) => {
    refuseBoth(invocation, option, `no-${option}`);
    return invocation.isSet(`no-${option}`) ? null : value;
  };
  return {
    Name: invocation.text('name'),
    CallbackUrl: given('callback-url', invocation.text('callback-url')),
    CallbackToken: given('callback-token', await secretText(invocation, 'callback-token')),
    FiscalToken: given('fiscal-token', await secretText(invocation, 'fiscal-token')),
    FiscalDeviceId: given('fiscal-device', wholeNumber(invocation, 'fiscal-device', 1)),
  };
}

/** From a file, where other users of the machine must not see it in the list of processes. */
async function secretText(invocation: Invocation, option: string): Promise<string | undefined> {
  const text = invocation.text(option);
  return text?.startsWith('@') ? (await readInput(text.slice(1), 'a token')).toString('utf8').trim() : text;
}

function printVendor(invocation: Invocation, text: string, view: () => JsonView, more: readonly Fact[] = []): ExitCode {
  if (invocation.isSet('json')) {
    invocation.terminal.print(text);
    return EXIT.done;
  }
  const vendor = view();
  const suspendedAt = vendor.optionalMoment('SuspendedAt');
  const kept = (key: string) => (vendor.isTrue(key) ? 'kept, encrypted' : 'none');
  printFacts(invocation.terminal, [
    ['Vendor', vendor.text('VendorId')],
    ['Code', vendor.text('Code')],
    ['Name', vendor.text('Name')],
    ['Webhook', vendor.optional('CallbackUrl') ?? 'none: it is not told of changes'],
    ['Bearer token', kept('HasCallbackToken')],
    ['Fiscal token', kept('HasFiscalToken')],
    ['Fiscal device', vendor.optional('FiscalDeviceId') ?? 'none'],
    ['State', suspendedAt === undefined ? 'active' : `suspended since ${suspendedAt}`],
    ['Created', vendor.moment('CreatedAt')],
    ['Webhook secret', vendor.optional('WebhookSecret')],
    ...more,
  ]);
  return EXIT.done;
}

const SHOWN_ONCE = 'Hand the webhook secret to the vendor now: it is never shown again.';

async function changeVendor(invocation: Invocation, change: object): Promise<ExitCode> {
  const service = await openService(invocation, 'operator');
  const answer = await service.send('PATCH', pathOf(invocation), JSON.stringify(change));
  return printVendor(invocation, answer.text, answer.view);
}

function pathOf(invocation: Invocation): string {
  return `/api/admin/vendors/${idText(invocation.words[0] ?? '', 'vendor')}`;
}

const EXAMPLE_ID = '019a83c5-6f1e-7d20-9c4b-2f5d7a90b1c3';

export const vendorCommands: readonly Command[] = [
  {
    name: 'vendor list',
    summary: 'List the vendors that take bill payments. (operator)',
    arguments: [],
    options: { ...PAGING, ...CONNECTION },
    examples: ['tillseal vendor list', "tillseal vendor list --all --json | jq -r '.Vendors[].Code'"],
    run: async (invocation) =>
      printList(invocation, await openService(invocation, 'operator'), {
        path: '/api/admin/vendors',
        query: {},
        key: 'Vendors',
        noun: 'vendors',
        columns: COLUMNS,
      }),
  },
  {
    name: 'vendor show',
    summary: 'Show a vendor and the billers it sees. (operator)',
    arguments: ['ID'],
    options: CONNECTION,
    examples: [`tillseal vendor show ${EXAMPLE_ID}`],
    run: async (invocation) => {
      const service = await openService(invocation, 'operator');
      const answer = await service.send('GET', pathOf(invocation));
      if (invocation.isSet('json')) return printVendor(invocation, answer.text, answer.view);
      const billers = await service.send('GET', `${pathOf(invocation)}/billers`);
      const codes = billers.view().optional('BillerCodes') || 'none';
      return printVendor(invocation, answer.text, answer.view, [['Billers', codes]]);
    },
  },
  {
    name: 'vendor add',
    summary: 'Add a vendor; shows the secret of its webhooks, this once. (operator)',
    arguments: [],
    options: {
      code: { value: 'CODE', help: 'letters, digits, _ and -; it never changes' },
      ...SETTINGS,
      ...CONNECTION,
    },
    examples: [
      'tillseal vendor add --code MOBIPAY --name "MobiPay (Pvt) Ltd" --callback-url https://mobipay.example.com/hook',
    ],
    run: async (invocation) => {
      const Code = requiredText(invocation, 'code', 'MOBIPAY');
      requiredText(invocation, 'name', '"MobiPay (Pvt) Ltd"');
      const body = { Code, ...(await bodyOf(invocation)) };
      const service = await openService(invocation, 'operator');
      const answer = await service.send('POST', '/api/admin/vendors', JSON.stringify(body));
      const exitCode = printVendor(invocation, answer.text, answer.view);
      if (!invocation.isSet('json')) {
        invocation.terminal.note(SHOWN_ONCE);
        const id = answer.view().text('VendorId');
        invocation.terminal.note(`Give it a token: tillseal token issue --vendor ${id} --name "App server"`);
      }
      return exitCode;
    },
  },
  {
    name: 'vendor set',
    summary: 'Change a vendor. (operator)',
    arguments: ['ID'],
    options: { ...SETTINGS, ...REMOVALS, ...CONNECTION },
    examples: [
      `tillseal vendor set ${EXAMPLE_ID} --callback-url https://mobipay.example.com/hook`,
      `tillseal vendor set ${EXAMPLE_ID} --callback-token @token.txt`,
      `tillseal vendor set ${EXAMPLE_ID} --fiscal-token @fiscal.txt --fiscal-device 1001`,
    ],
    run: async (invocation) => {
      const change = await bodyOf(invocation);
      if (Object.values(change).every((value) => value === undefined))
        throw usage('Nothing to set: give at least one of the options.', 'See: tillseal vendor set --help');
      return changeVendor(invocation, change);
    },
  },
  {
    name: 'vendor suspend',
    summary: 'Refuse everything from a vendor until it is resumed. (operator)',
    arguments: ['ID'],
    options: CONNECTION,
    examples: [`tillseal vendor suspend ${EXAMPLE_ID}`],
    run: (invocation) => changeVendor(invocation, { Suspended: true }),
  },
  {
    name: 'vendor resume',
    summary: 'Let a suspended vendor work again. (operator)',
    arguments: ['ID'],
    options: CONNECTION,
    examples: [`tillseal vendor resume ${EXAMPLE_ID}`],
    run: (invocation) => changeVendor(invocation, { Suspended: false }),
  },
  {
    name: 'vendor rotate-secret',
    summary: 'Make a new secret for its webhooks and show it, this once. (operator)',
    arguments: ['ID'],
    options: CONNECTION,
    examples: [`tillseal vendor rotate-secret ${EXAMPLE_ID}`],
    run: async (invocation) => {
      const { terminal } = invocation;
      const service = await openService(invocation, 'operator');
      const answer = await service.send('POST', `${pathOf(invocation)}/webhook-secret`);
      if (invocation.isSet('json')) {
        terminal.print(answer.text);
        return EXIT.done;
      }
      printFacts(terminal, [['Webhook secret', answer.view().text('WebhookSecret')]]);
      terminal.note(SHOWN_ONCE);
      return EXIT.done;
    },
  },
];
