import { forOperators, forTenants } from '../../contract/endpoints/endpoint.ts';
import {
  EndpointAttempt as AttemptShape,
  type Endpoint,
  type EndpointAttempt,
} from '../../contract/endpoints/endpoint-shapes.ts';
import type { Operation } from '../../contract/shared/operation.ts';
import { derived, type Request } from '../derived/command.ts';
import { schemaOf } from '../derived/schema.ts';
import { type Cells, columnsOf } from '../derived/show.ts';
import { type Command, type Invocation, type Options, refuseBoth } from '../shared/command.ts';
import { EXIT, usage } from '../shared/failure.ts';
import { secretText } from '../shared/input.ts';
import { momentIn } from '../shared/moment.ts';
import { shown } from '../shared/shown.ts';
import { tablePrinter } from '../shared/table.ts';
import type { Terminal } from '../shared/terminal.ts';

const OWN: Options = {
  own: { help: 'those of the taxpayer or vendor whose token is given, instead of all as an operator' },
};
const HEADER: Options = {
  header: { value: 'HEADER', help: 'sent with each request, such as "Authorization: Bearer x"; @FILE reads a file' },
};
const SETTINGS = {
  Description: '--description TEXT: who or what is behind the address',
  EventTypes: '--events TYPES: only these, such as day.closed,alert.raised',
  AlertKinds: '--alerts KINDS: of alerts only these kinds, such as DeviceStopped,ReportDue; "" for all',
  BatchSize: 'events in a request, at most 100',
  MaxPerSecond: 'requests per second, at most 100',
  HoldOnRefusal: '--hold: an event that is refused holds up the others',
  Header: false,
} as const;
const SECRET = '--secret SECRET: your own, whsec_ and base64; @FILE reads a file';

/** As an operator, or with --own as a tenant. */
const own = (operation: Operation) => ({
  options: OWN,
  instead: (invocation: Invocation) => {
    for (const option of ['taxpayer', 'vendor', 'state']) refuseBoth(invocation, 'own', option);
    return invocation.isSet('own') ? operation : undefined;
  },
});

async function addHeader({ body }: Request, invocation: Invocation): Promise<void> {
  const header = await secretText(invocation, 'header');
  const [, Name = '', Value = ''] = /^([^:]+):\s*(.+)$/s.exec(header ?? '') ?? [];
  if (header !== undefined && Value === '') throw usage(`--header must be "Name: value", got "${header}".`);
  refuseBoth(invocation, 'header', 'no-header');
  if (invocation.isSet('no-header')) Object.assign(body, { Header: null });
  if (header !== undefined) Object.assign(body, { Header: { Name, Value } });
}

const facts: Cells<Endpoint> = {
  Endpoint: 'EndpointId',
  Address: 'Address',
  Description: 'Description',
  Owner: ownerText,
  State: ({ State, PauseReason }) => [State, PauseReason].filter(Boolean).join(': '),
  Events: (endpoint) => `${endpoint.LastNumber} of ${endpoint.NewestNumber}, ${endpoint.SetAsideCount} set aside`,
  'Last success': 'LastTakenAt',
  'Next attempt': 'NextAttemptAt',
  Types: 'EventTypes',
  Alerts: ({ AlertKinds }) => shown(AlertKinds) || 'all kinds',
  'A request has': ({ BatchSize, HeaderName }) =>
    `up to ${BatchSize}${HeaderName === null ? '' : `, and ${HeaderName}`}`,
  'Per second': ({ MaxPerSecond }) => (MaxPerSecond === null ? null : `up to ${MaxPerSecond} requests`),
  'If refused': ({ HoldOnRefusal }) => (HoldOnRefusal ? 'everything waits' : 'it is set aside'),
  'Old secret': 'OldSecretUntil',
  'Sent from': 'SenderAddresses',
};

function ownerText({ TaxpayerId, VendorId }: Endpoint): string {
  if (TaxpayerId !== null) return `taxpayer ${TaxpayerId}`;
  return VendorId === null ? 'the installation' : `vendor ${VendorId}`;
}

const withSecret = {
  facts: { ...facts, Secret: 'Secret' },
  notes: ({ Secret }: { readonly Secret: string | null }) =>
    Secret ? ['Give the secret to the receiver now: it is never shown again.'] : [],
} as const;

const attempts: Cells<EndpointAttempt> = {
  STARTED: ({ StartedAt }, zone) => momentIn(zone, StartedAt),
  EVENTS: ({ FirstNumber: first, LastNumber: last }) => (first === last ? `${first}` : `${first}-${last}`),
  MS: 'DurationMs',
  STATUS: 'StatusCode',
  OUTCOME: 'Outcome',
  WHY: 'Error',
};
/** What was not taken ends with the code of a refusal, for scripts. */
const attempted = {
  print: (terminal: Terminal, attempt: EndpointAttempt, zone: string) =>
    tablePrinter(terminal, columnsOf(attempts, schemaOf(AttemptShape), zone, []))([attempt]),
  end: ({ Outcome }: EndpointAttempt) => (Outcome === 'Taken' ? EXIT.done : EXIT.refused),
};

export const endpointCommands: readonly Command[] = [
  derived('endpoints list', forOperators.listEndpoints, {
    ...own(forTenants.listEndpoints),
    summary: 'List the programs and people that are told of events.',
    columns: {
      ENDPOINT: 'EndpointId',
      ADDRESS: 'Address',
      OWNER: ownerText,
      BEHIND: ({ NewestNumber, LastNumber }) => NewestNumber - LastNumber,
      STATE: 'State',
      WHY: 'PauseReason',
    },
    examples: ['', '--state Paused', '--own'],
  }),
  derived('endpoints add', forOperators.createEndpoint, {
    ...own(forTenants.createEndpoint),
    ...withSecret,
    summary: 'Tell an address of events; shows the secret that signs them, once.',
    words: ['Address'],
    flags: { ...SETTINGS, Secret: SECRET, TaxpayerId: 'of this taxpayer', VendorId: 'of this vendor' },
    options: { ...HEADER, ...OWN },
    amend: addHeader,
    details: 'https://… for a program, mailto:… for a person, who gets alerts. Without an owner: the alerts of all.',
    examples: [
      '--taxpayer 01a1dd05-c9e3-7404-b8f8-7224b360b6c8',
      'tillseal endpoints add mailto:tendai@example.com --alerts DeviceStopped,ReportDue',
    ],
  }),
  derived('endpoints show', forOperators.getEndpoint, {
    ...own(forTenants.getEndpoint),
    summary: 'Show an endpoint, with what was set aside.',
    facts: {
      ...facts,
      'Set aside': ({ SetAside }) =>
        SetAside.map((event) => `${event.Number} ${event.Type}: ${event.Error}`).join('\n'),
    },
  }),
  derived('endpoints change', forOperators.changeEndpoint, {
    ...own(forTenants.changeEndpoint),
    facts,
    flags: { ...SETTINGS, Address: 'where events are sent' },
    negatives: {
      MaxPerSecond: 'as many requests as there are',
      HoldOnRefusal: 'an event that is refused is set aside',
    },
    options: { ...HEADER, 'no-header': { help: 'no header of its own' }, ...OWN },
    amend: addHeader,
    examples: ['--batch-size 50', '--header @header.txt'],
  }),
  derived('endpoints remove', forOperators.deleteEndpoint, {
    ...own(forTenants.deleteEndpoint),
    summary: 'Tell an address nothing more, and delete the log of its attempts.',
    facts,
  }),
  derived('endpoints rotate', forOperators.rotateEndpointSecret, {
    ...own(forTenants.rotateEndpointSecret),
    ...withSecret,
    summary: 'Make a new secret and show it, once; the old one signs, too, for 24 hours.',
    flags: { Overlap: false, Secret: SECRET },
    options: { 'at-once': { help: 'the old one ends now, because somebody else knows it' }, ...OWN },
    amend: ({ body }, { isSet }) => {
      if (isSet('at-once')) Object.assign(body, { Overlap: 0 });
    },
    examples: ['', '--at-once'],
  }),
  derived('endpoints test', forOperators.testEndpoint, {
    ...own(forTenants.testEndpoint),
    ...attempted,
    summary: 'Send a test event or message at once, and show what came back.',
  }),
  derived('endpoints resume', forOperators.resumeEndpoint, {
    ...own(forTenants.resumeEndpoint),
    facts,
    summary: 'Go on after a pause, or replay from an earlier event.',
    flags: {
      After: 'after the event with this number',
      Since: 'with everything since then, such as 2026-11-15 or 2026-11-15T10:00:00Z',
      FromNow: 'leave out everything that waits',
    },
    details: 'Without an option: from where it stopped.',
    examples: ['', '--after 2000', '--since 2026-11-15', '--from-now'],
  }),
  derived('endpoints resend', forOperators.resendEvent, {
    ...own(forTenants.resendEvent),
    ...attempted,
    summary: 'Send one event again, alone and at once, and show what came back.',
    words: ['endpointId', 'Number'],
  }),
  derived('endpoints attempts', forOperators.listEndpointAttempts, {
    ...own(forTenants.listEndpointAttempts),
    summary: 'List the requests of the last thirty days and what was answered, newest first.',
    columns: attempts,
  }),
];
