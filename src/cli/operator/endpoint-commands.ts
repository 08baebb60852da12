import { forOperators, forTenants } from '../../contract/endpoints/endpoint.ts';
import type { Endpoint, EndpointAttempt } from '../../contract/endpoints/endpoint-shapes.ts';
import { derived } from '../derived/command.ts';
import type { Request, Row } from '../derived/row.ts';
import { type Command, type Invocation, type Options, refuseBoth } from '../shared/command.ts';
import { EXIT, usage } from '../shared/failure.ts';
import { secretText } from '../shared/input.ts';

const OWN: Options = {
  own: { help: 'those of the taxpayer or vendor whose token is given, instead of all as an operator' },
};
const HEADER: Options = {
  header: { value: 'HEADER', help: 'sent with each request, such as "Authorization: Bearer x"; @FILE reads a file' },
};
const SETTINGS = {
  EventTypes: '--events TYPES: only these, such as day.closed,alert.raised',
  AlertKinds: '--alerts KINDS: of alerts only these kinds, such as DeviceStopped,ReportDue; "" for all',
  HoldOnRefusal: '--hold',
  Header: false,
} as const;

/** As an operator, or with --own as a tenant. */
const endpoints = <Id extends keyof typeof forOperators>(verb: string, id: Id, row: Row<(typeof forOperators)[Id]>) =>
  derived(`endpoints ${verb}`, forOperators[id], {
    ...row,
    options: { ...row.options, ...OWN },
    instead: (invocation: Invocation) => {
      for (const option of ['taxpayer', 'vendor', 'biller', 'state']) refuseBoth(invocation, 'own', option);
      return invocation.isSet('own') ? forTenants[id] : undefined;
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

function ownerText({ TaxpayerId, VendorId, BillerCode }: Endpoint): string {
  if (BillerCode !== null) return `biller ${BillerCode}`;
  if (TaxpayerId !== null) return `taxpayer ${TaxpayerId}`;
  return VendorId === null ? 'the installation' : `vendor ${VendorId}`;
}

/** What was not taken ends with the code of a refusal, for scripts. */
const end = ({ Outcome }: EndpointAttempt) => (Outcome === 'Taken' ? EXIT.done : EXIT.refused);

export const endpointCommands: readonly Command[] = [
  endpoints('list', 'listEndpoints', {
    summary: 'List the programs and people that are told of events.',
    columns: [
      { ENDPOINT: 'EndpointId', ADDRESS: 'Address', OWNER: ownerText },
      { BEHIND: ({ NewestNumber, LastNumber }) => NewestNumber - LastNumber, STATE: 'State', WHY: 'PauseReason' },
    ],
    examples: ['', '--state Paused', '--own'],
  }),
  endpoints('add', 'createEndpoint', {
    summary: 'Tell an address of events; shows the secret that signs them, once.',
    words: ['Address'],
    flags: SETTINGS,
    options: HEADER,
    amend: addHeader,
    details: 'https://… for a program, mailto:… for a person, who gets alerts. Without an owner: the alerts of all.',
    examples: [
      '--taxpayer 01a1dd05-c9e3-7404-b8f8-7224b360b6c8',
      'tillseal endpoints add mailto:tendai@example.com --alerts DeviceStopped,ReportDue',
    ],
  }),
  endpoints('show', 'getEndpoint', {
    summary: 'Show an endpoint, with what was set aside and its latest requests.',
  }),
  endpoints('change', 'changeEndpoint', {
    flags: SETTINGS,
    negatives: {
      MaxPerSecond: 'as many requests as there are',
      HoldOnRefusal: 'an event that is refused is set aside',
    },
    options: { ...HEADER, 'no-header': { help: 'no header of its own' } },
    amend: addHeader,
    examples: ['--batch-size 50', '--header @header.txt'],
  }),
  endpoints('remove', 'deleteEndpoint', {
    summary: 'Tell an address nothing more, and delete the log of its attempts.',
  }),
  endpoints('rotate', 'rotateEndpointSecret', {
    summary: 'Make a new secret and show it, once; the old one signs, too, for 24 hours.',
    flags: { Overlap: false },
    options: { 'at-once': { help: 'the old one ends now, because somebody else knows it' } },
    amend: ({ body }, { isSet }) => {
      if (isSet('at-once')) Object.assign(body, { Overlap: 0 });
    },
    examples: ['', '--at-once'],
  }),
  endpoints('test', 'testEndpoint', {
    end,
    summary: 'Send a test event or message at once, and show what came back.',
  }),
  endpoints('resume', 'resumeEndpoint', {
    summary: 'Go on after a pause, or replay from an earlier event.',
    details: 'Without an option: from where it stopped.',
    examples: ['', '--after 2000', '--since 2026-11-15', '--from-now'],
  }),
  endpoints('resend', 'resendEvent', {
    end,
    summary: 'Send one event again, alone and at once, and show what came back.',
    words: ['endpointId', 'Number'],
  }),
  endpoints('attempts', 'listEndpointAttempts', {
    summary: 'List the requests of the last thirty days and what was answered, newest first.',
    columns: [
      {
        STARTED: 'StartedAt',
        EVENTS: ({ FirstNumber: first, LastNumber: last }) => (first === last ? `${first}` : `${first}-${last}`),
      },
      { MS: 'DurationMs', STATUS: 'StatusCode', OUTCOME: 'Outcome', WHY: 'Error' },
    ],
  }),
];
