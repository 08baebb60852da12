import { type Operation, operation } from '../shared/operation.ts';
import { ENDPOINT_STATES } from '../shared/values.ts';
import { answered, input, pages, shape, Type } from '../shared/vocabulary.ts';
import {
  CreatedEndpoint,
  Endpoint,
  EndpointAttempt,
  EndpointChange,
  EndpointInFull,
  NewEndpoint,
  NewManagedEndpoint,
  Resending,
  Resumption,
  SecretRotation,
} from './endpoint-shapes.ts';

const newExample = {
  Address: 'https://shop.example.com/tillseal',
  Description: 'Bookkeeping',
  EventTypes: ['receipt.submitted', 'day.closed', 'alert.raised', 'alert.solved'],
  BatchSize: 50,
};
const asItIs = answered('As it is now.', Endpoint);
const attempted = answered('What was sent and what came back.', EndpointAttempt);

type Caller = Pick<Operation, 'access' | 'tag'>;

/** The same operations for tenants, who see their own endpoints, and for operators, who see all. */
export function endpointOperations<
  const Base extends `/api/${string}`,
  Filters extends Type.TProperties,
  New extends Type.TObject,
>(base: Base, of: { reads: Caller; writes: Caller; filters: Filters; creation: New; newExample: object }) {
  const { reads, writes } = of;
  const one = { params: Type.Object({ endpointId: Type.Id }), refusals: ['NotFound'] } as const;
  const at = <const Path extends string>(path: Path) => `${base}/:endpointId${path}` as const;
  return {
    listEndpoints: operation(`GET ${base}` as const, {
      ...reads,
      summary: 'List endpoints',
      description: 'Addresses that are told of events. Oldest first.',
      ...pages('Endpoints', Endpoint, 'EndpointList', of.filters),
    }),
    createEndpoint: operation(`POST ${base}` as const, {
      ...writes,
      summary: 'Create an endpoint',
      description:
        'Events from now on are sent to it, in order and at least once, signed as Standard Webhooks say. The body is the answer of `GET /api/events`. A tenant has at most 20, and each biller of a vendor.',
      body: of.creation,
      bodyExamples: { 'For bookkeeping': of.newExample },
      answer: answered('Created. Keep `Secret`: it cannot be shown again.', CreatedEndpoint, 201),
    }),
    getEndpoint: operation(`GET ${at('')}` as const, {
      ...one,
      ...reads,
      summary: 'Read an endpoint',
      description: 'With the events that were set aside and the last attempts.',
      answer: answered('The endpoint.', EndpointInFull),
    }),
    changeEndpoint: operation(`PATCH ${at('')}` as const, {
      ...one,
      ...writes,
      summary: 'Change an endpoint',
      description:
        'Only the fields that are sent change. What is waiting goes by the new ones; a request that is being retried keeps its size.',
      body: EndpointChange,
      bodyExamples: { 'Up to 50 events in a request': { BatchSize: 50 } },
      answer: asItIs,
    }),
    deleteEndpoint: operation(`DELETE ${at('')}` as const, {
      ...one,
      ...writes,
      summary: 'Delete an endpoint',
      description: 'With the log of its attempts. Nothing more is sent.',
      answer: answered('As it was.', Endpoint),
    }),
    rotateEndpointSecret: operation(`POST ${at('/secret')}` as const, {
      ...one,
      ...writes,
      summary: 'Replace the secret of an endpoint',
      description: 'Until `Overlap` is over, both secrets sign, so that the receiver can change at its leisure.',
      body: SecretRotation,
      bodyExamples: {
        'Both sign for a day': {},
        'At once': { Overlap: 0 },
      },
      answer: answered('Keep `Secret`: it cannot be shown again.', CreatedEndpoint),
    }),
    testEndpoint: operation(`POST ${at('/test')}` as const, {
      ...one,
      ...writes,
      summary: 'Send a test event to an endpoint',
      description:
        'At once, also while it is paused: number 0, of the type `endpoint.test`. A mail address that is not confirmed is sent the link again.',
      answer: attempted,
    }),
    resumeEndpoint: operation(`POST ${at('/resume')}` as const, {
      ...one,
      ...writes,
      summary: 'Resume an endpoint, or replay events to it',
      description:
        'From where it stopped, after a number, since a moment, or from now. An active endpoint goes on from there, too: that is a replay.',
      body: Resumption,
      bodyExamples: {
        'From where it stopped': {},
        'After a number': { After: 2000 },
        'Since a moment': { Since: '2026-11-15T00:00:00+02:00' },
        'Leave out what waits': { FromNow: true },
      },
      answer: asItIs,
    }),
    resendEvent: operation(`POST ${at('/resend')}` as const, {
      ...one,
      ...writes,
      summary: 'Send one event again',
      description:
        'At once and alone, whatever its type; by mail only those of alerts. One that was set aside leaves that list when it is taken.',
      body: Resending,
      bodyExamples: { 'One that was set aside': { Number: 2012 } },
      answer: attempted,
    }),
    listEndpointAttempts: operation(`GET ${at('/attempts')}` as const, {
      ...one,
      ...reads,
      summary: 'List the attempts of an endpoint',
      description: 'Every request of the last thirty days. Newest first.',
      ...pages('Attempts', EndpointAttempt, 'EndpointAttemptList', {
        Cursor: Type.String({ pattern: '^[0-9]{1,18}$' }),
      }),
    }),
  };
}

export const forTenants = endpointOperations('/api/endpoints', {
  reads: { access: 'tenant that reads', tag: 'Events' },
  writes: { access: 'tenant that registers endpoints', tag: 'Events' },
  filters: { Cursor: Type.Id },
  creation: NewEndpoint,
  newExample,
});

export const forOperators = endpointOperations('/api/admin/endpoints', {
  reads: {
    access: { installation: 'viewer', taxpayer: 'viewer', vendor: 'viewer', biller: 'viewer' },
    tag: 'Administration',
  },
  // An endpoint copies what is sold to an address outside, so it is not for the daily work.
  writes: {
    access: { installation: 'operator', taxpayer: 'owner', vendor: 'owner', biller: 'owner' },
    tag: 'Administration',
  },
  filters: {
    TaxpayerId: Type.Id,
    VendorId: Type.Id,
    BillerCode: Type.BillerCode,
    State: Type.oneOf(ENDPOINT_STATES),
    Cursor: Type.Id,
  },
  creation: NewManagedEndpoint,
  newExample: { TaxpayerId: '0198b7e2-4c1d-7f3a-9a55-2f1c8e6d0b47', ...newExample },
});

export const confirmEndpoint = operation('POST /api/admin/endpoints/confirm', {
  access: 'anybody',
  summary: 'Confirm that messages may be sent to a mail address',
  description: 'With what the link in the mail has behind its `#`, within seven days. Alerts from then on are sent.',
  body: input('EndpointConfirmation', { Token: Type.String({ maxLength: 2000 }) }),
  bodyExamples: { 'Of a link': { Token: '0198b7e2-5a90-7c11-8f0e-6d3b2a917c54.AbCdEf' } },
  answer: answered('Messages are sent to it.', shape('ConfirmedEndpoint', { Address: Type.String() })),
  refusals: ['NotFound'],
});

export const {
  listEndpoints: listManagedEndpoints,
  createEndpoint: createManagedEndpoint,
  getEndpoint: getManagedEndpoint,
  changeEndpoint: changeManagedEndpoint,
  deleteEndpoint: deleteManagedEndpoint,
  rotateEndpointSecret: rotateManagedEndpointSecret,
  testEndpoint: testManagedEndpoint,
  resumeEndpoint: resumeManagedEndpoint,
  resendEvent: resendManagedEvent,
  listEndpointAttempts: listManagedEndpointAttempts,
} = forOperators;

/** What both have in common; they differ in what they list and in who owns a new one. */
export type SharedOperations = Omit<
  ReturnType<typeof endpointOperations<`/api/${string}`, Type.TProperties, Type.TObject>>,
  'listEndpoints' | 'createEndpoint'
>;
