import { forOperators, forTenants, type SharedOperations } from '../../contract/endpoints/endpoint.ts';
import type {
  Endpoint,
  EndpointAttempt,
  EndpointChange,
  SetAsideEvent,
} from '../../contract/endpoints/endpoint-shapes.ts';
import { ALERT_KINDS } from '../../contract/shared/kinds.ts';
import type { Operation } from '../../contract/shared/operation.ts';
import { ENDPOINT_STATES } from '../../contract/shared/values.ts';
import { type Called, instantOption, openService } from '../shared/client.ts';
import {
  CONNECTION,
  type Command,
  given,
  type Invocation,
  idText,
  listOf,
  type Options,
  printsJson,
  refuseBoth,
  taxpayerOption,
  vendorOption,
  wholeNumber,
  wordOption,
} from '../shared/command.ts';
import { EXIT, usage } from '../shared/failure.ts';
import { secretText } from '../shared/input.ts';
import { momentIn } from '../shared/moment.ts';
import { PAGING, printListOf } from '../shared/pages.ts';
import { shown } from '../shared/shown.ts';
import { type Column, printFacts, tablePrinter } from '../shared/table.ts';

const OWN: Options = {
  own: { help: 'those of the taxpayer or vendor whose token is given, instead of all as an operator' },
  ...CONNECTION,
};
const OWNER: Options = {
  taxpayer: { value: 'ID', help: 'of this taxpayer' },
  vendor: { value: 'ID', help: 'of this vendor' },
};
const SETTINGS: Options = {
  description: { value: 'TEXT', help: 'who or what is behind the address' },
  events: { value: 'TYPES', help: 'only these, such as day.closed,alert.raised' },
  alerts: { value: 'KINDS', help: 'of alerts only these kinds, such as DeviceStopped,ReportDue; "" for all' },
  'batch-size': { value: 'N', help: 'events in a request, at most 100' },
  'max-per-second': { value: 'N', help: 'requests per second, at most 100' },
  header: { value: 'HEADER', help: 'sent with each request, such as "Authorization: Bearer x"; @FILE reads a file' },
  hold: { help: 'an event that is refused holds up the others' },
};
const SECRET: Options = { secret: { value: 'SECRET', help: 'your own, whsec_ and base64; @FILE reads a file' } };
const ID = '01a1dd05-c9e3-7404-b8f8-7224b360b6c8';

/** As an operator, or with --own as a tenant. */
async function open(invocation: Invocation) {
  for (const option of ['taxpayer', 'vendor', 'state']) refuseBoth(invocation, 'own', option);
  const isOwn = invocation.isSet('own');
  const service = await openService(invocation, isOwn ? 'taxpayer' : 'operator');
  const operations: SharedOperations = isOwn ? forTenants : forOperators;
  return { service, operations, isOwn };
}

async function settingsOf(invocation: Invocation): Promise<EndpointChange> {
  const header = await secretText(invocation, 'header');
  const [, Name = '', Value = ''] = /^([^:]+):\s*(.+)$/s.exec(header ?? '') ?? [];
  if (header !== undefined && Value === '') throw usage(`--header must be "Name: value", got "${header}".`);
  const kinds = listOf(invocation.text('alerts'));
  const unknown = kinds?.find((kind) => !ALERT_KINDS.some((one) => one === kind));
  if (unknown !== undefined) throw usage(`There is no kind of alert "${unknown}".`, `All: ${ALERT_KINDS.join(', ')}`);
  for (const option of ['max-per-second', 'header', 'hold']) refuseBoth(invocation, option, `no-${option}`);
  return given({
    Description: invocation.text('description'),
    EventTypes: listOf(invocation.text('events')),
    AlertKinds: kinds && ALERT_KINDS.filter((kind) => kinds.includes(kind)),
    BatchSize: wholeNumber(invocation, 'batch-size', 1),
    MaxPerSecond: invocation.isSet('no-max-per-second') ? null : wholeNumber(invocation, 'max-per-second', 1),
    HoldOnRefusal: invocation.isSet('hold') || (invocation.isSet('no-hold') ? false : undefined),
    Header: invocation.isSet('no-header') ? null : header === undefined ? undefined : { Name, Value },
  });
}

/** Some answers have more of it than others. */
type Answer = Endpoint & { readonly SetAside?: readonly SetAsideEvent[]; readonly Secret?: string | null };
type Answered<Value> = Omit<Called<Operation>, 'value'> & { readonly value: Value };

function printEndpoint(invocation: Invocation, { value, text, zone }: Answered<Answer>): void {
  if (printsJson(invocation, text)) return;
  const setAside = value.SetAside?.map((event) => `${event.Number} ${event.Type}: ${event.Error}`).join('\n');
  const moment = (at: string | null) => (at === null ? undefined : momentIn(zone, at));
  printFacts(invocation.terminal, [
    ['Endpoint', value.EndpointId],
    ['Address', value.Address],
    ['Description', value.Description || undefined],
    ['Owner', ownerText(value)],
    ['State', [value.State, value.PauseReason].filter(Boolean).join(': ')],
    ['Events', `${value.LastNumber} of ${value.NewestNumber}, ${value.SetAsideCount} set aside`],
    ['Last success', moment(value.LastTakenAt)],
    ['Next attempt', moment(value.NextAttemptAt)],
    ['Types', shown(value.EventTypes)],
    ['Alerts', shown(value.AlertKinds) || 'all kinds'],
    ['A request has', `up to ${value.BatchSize}${value.HeaderName === null ? '' : `, and ${value.HeaderName}`}`],
    ['Per second', value.MaxPerSecond === null ? undefined : `up to ${value.MaxPerSecond} requests`],
    ['If refused', value.HoldOnRefusal ? 'everything waits' : 'it is set aside'],
    ['Old secret', moment(value.OldSecretUntil)],
    ['Sent from', value.SenderAddresses.join(', ') || undefined],
    ['Set aside', setAside || undefined],
    ['Secret', value.Secret ?? undefined],
  ]);
  if (value.Secret) invocation.terminal.note('Give the secret to the receiver now: it is never shown again.');
}

function ownerText({ TaxpayerId, VendorId }: Endpoint): string {
  if (TaxpayerId !== null) return `taxpayer ${TaxpayerId}`;
  return VendorId === null ? 'the installation' : `vendor ${VendorId}`;
}

const attemptColumns = (zone: string): Column<EndpointAttempt>[] => [
  { title: 'STARTED', value: (attempt) => momentIn(zone, attempt.StartedAt) },
  {
    title: 'EVENTS',
    value: ({ FirstNumber: first, LastNumber: last }) => (first === last ? `${first}` : `${first}-${last}`),
  },
  { title: 'MS', value: (attempt) => String(attempt.DurationMs), isNumber: true },
  { title: 'STATUS', value: (attempt) => shown(attempt.StatusCode), isNumber: true },
  { title: 'OUTCOME', value: (attempt) => attempt.Outcome },
  { title: 'WHY', value: (attempt) => shown(attempt.Error) },
];

/** What was not taken ends with the code of a refusal, for scripts. */
function printAttempt(invocation: Invocation, { value, text, zone }: Answered<EndpointAttempt>): void {
  if (value.Outcome !== 'Taken') invocation.end(EXIT.refused);
  if (!printsJson(invocation, text)) tablePrinter(invocation.terminal, attemptColumns(zone))([value]);
}

type Opened = Awaited<ReturnType<typeof open>> & { readonly params: { readonly endpointId: string } };
type Verb = Omit<Command, 'name' | 'examples' | 'run'> & {
  readonly examples?: readonly string[];
  readonly run: (invocation: Invocation, opened: Opened) => Promise<void>;
};

/** A command about the endpoint that is named. */
const onOne = (verb: string, { examples = [''], options, run, ...rest }: Verb): Command => ({
  arguments: ['ENDPOINT'],
  ...rest,
  name: `endpoints ${verb}`,
  options: { ...options, ...OWN },
  examples: examples.map((more) => `tillseal endpoints ${verb} ${ID} ${more}`.trimEnd()),
  run: async (invocation) => {
    const endpointId = idText(invocation.words[0] ?? '', 'endpoint', 'endpoints');
    return run(invocation, { ...(await open(invocation)), params: { endpointId } });
  },
});

export const endpointCommands: readonly Command[] = [
  {
    name: 'endpoints list',
    summary: 'List the programs and people that are told of events. (operator)',
    options: { ...OWNER, state: { value: 'STATE', help: 'only Active or Paused' }, ...PAGING, ...OWN },
    examples: ['tillseal endpoints list', 'tillseal endpoints list --state Paused', 'tillseal endpoints list --own'],
    run: async (invocation) => {
      const { service, isOwn } = await open(invocation);
      const query = given({
        TaxpayerId: taxpayerOption(invocation),
        VendorId: vendorOption(invocation),
        State: wordOption(invocation, 'state', ENDPOINT_STATES),
      });
      const columns: Column<Endpoint>[] = [
        { title: 'ENDPOINT', value: (endpoint) => endpoint.EndpointId },
        { title: 'ADDRESS', value: (endpoint) => endpoint.Address },
        { title: 'OWNER', value: ownerText },
        { title: 'BEHIND', value: (endpoint) => String(endpoint.NewestNumber - endpoint.LastNumber), isNumber: true },
        { title: 'STATE', value: (endpoint) => endpoint.State },
        { title: 'WHY', value: (endpoint) => shown(endpoint.PauseReason) },
      ];
      const list = { key: 'Endpoints', noun: 'endpoints', columns } as const;
      return isOwn
        ? printListOf(invocation, service, forTenants.listEndpoints, { ...list, given: {} })
        : printListOf(invocation, service, forOperators.listEndpoints, { ...list, given: { query } });
    },
  },
  {
    name: 'endpoints add',
    summary: 'Tell an address of events; shows the secret that signs them, once. (operator)',
    arguments: ['ADDRESS'],
    options: { ...OWNER, ...SETTINGS, ...SECRET, ...OWN },
    details: 'https://… for a program, mailto:… for a person, who gets alerts. Without an owner: the alerts of all.',
    examples: [
      `tillseal endpoints add https://shop.example.com/tillseal --taxpayer ${ID}`,
      'tillseal endpoints add mailto:tendai@example.com --alerts DeviceStopped,ReportDue',
    ],
    run: async (invocation) => {
      const { service, isOwn } = await open(invocation);
      const [Address = ''] = invocation.words;
      const Secret = await secretText(invocation, 'secret');
      const body = { ...(await settingsOf(invocation)), Address, ...given({ Secret }) };
      const owner = given({ TaxpayerId: taxpayerOption(invocation), VendorId: vendorOption(invocation) });
      const added = isOwn
        ? await service.call(forTenants.createEndpoint, { body })
        : await service.call(forOperators.createEndpoint, { body: { ...body, ...owner } });
      printEndpoint(invocation, added);
    },
  },
  onOne('show', {
    summary: 'Show an endpoint, with what was set aside. (operator)',
    run: async (invocation, { service, operations, params }) =>
      printEndpoint(invocation, await service.call(operations.getEndpoint, { params })),
  }),
  onOne('change', {
    summary: 'Change an endpoint. (operator)',
    options: {
      address: { value: 'ADDRESS', help: 'where events are sent' },
      ...SETTINGS,
      'no-max-per-second': { help: 'as many requests as there are' },
      'no-header': { help: 'no header of its own' },
      'no-hold': { help: 'an event that is refused is set aside' },
    },
    examples: ['--batch-size 50', '--header @header.txt'],
    run: async (invocation, { service, operations, params }) => {
      const body = { ...(await settingsOf(invocation)), ...given({ Address: invocation.text('address') }) };
      if (Object.keys(body).length === 0) throw usage('Nothing to change.', 'See: tillseal endpoints change --help');
      printEndpoint(invocation, await service.call(operations.changeEndpoint, { params, body }));
    },
  }),
  onOne('remove', {
    summary: 'Tell an address nothing more, and delete the log of its attempts. (operator)',
    run: async (invocation, { service, operations, params }) =>
      printEndpoint(invocation, await service.call(operations.deleteEndpoint, { params })),
  }),
  onOne('rotate', {
    summary: 'Make a new secret and show it, once; the old one signs, too, for 24 hours. (operator)',
    options: { 'at-once': { help: 'the old one ends now, because somebody else knows it' }, ...SECRET },
    examples: ['', '--at-once'],
    run: async (invocation, { service, operations, params }) => {
      const Overlap = invocation.isSet('at-once') ? 0 : undefined;
      const body = given({ Overlap, Secret: await secretText(invocation, 'secret') });
      printEndpoint(invocation, await service.call(operations.rotateEndpointSecret, { params, body }));
    },
  }),
  onOne('test', {
    summary: 'Send a test event or message at once, and show what came back. (operator)',
    run: async (invocation, { service, operations, params }) =>
      printAttempt(invocation, await service.call(operations.testEndpoint, { params })),
  }),
  onOne('resume', {
    summary: 'Go on after a pause, or replay from an earlier event. (operator)',
    options: {
      after: { value: 'N', help: 'after the event with this number' },
      since: { value: 'TIME', help: 'with everything since then, such as 2026-11-15 or 2026-11-15T10:00:00Z' },
      'from-now': { help: 'leave out everything that waits' },
    },
    details: 'Without an option: from where it stopped.',
    examples: ['', '--after 2000', '--since 2026-11-15', '--from-now'],
    run: async (invocation, { service, operations, params }) => {
      const body = given({
        After: wholeNumber(invocation, 'after'),
        Since: await instantOption(invocation, service, 'since'),
        FromNow: invocation.isSet('from-now') || undefined,
      });
      printEndpoint(invocation, await service.call(operations.resumeEndpoint, { params, body }));
    },
  }),
  onOne('resend', {
    summary: 'Send one event again, alone and at once, and show what came back. (operator)',
    arguments: ['ENDPOINT', 'NUMBER'],
    examples: ['2012'],
    run: async (invocation, { service, operations, params }) => {
      const [, number = ''] = invocation.words;
      if (!/^\d{1,15}$/.test(number)) throw usage(`The number of an event is a whole number, got "${number}".`);
      const body = { Number: Number(number) };
      printAttempt(invocation, await service.call(operations.resendEvent, { params, body }));
    },
  }),
  onOne('attempts', {
    summary: 'List the requests of the last thirty days and what was answered, newest first. (operator)',
    options: PAGING,
    run: async (invocation, { service, operations, params }) => {
      const columns = attemptColumns(await service.zone());
      const list = { key: 'Attempts', noun: 'attempts', columns, given: { params } } as const;
      return printListOf(invocation, service, operations.listEndpointAttempts, list);
    },
  }),
];
