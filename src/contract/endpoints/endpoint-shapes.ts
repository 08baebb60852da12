import { TAXPAYER_EVENTS, VENDOR_EVENTS } from '../platform/event.ts';
import { ALERT_KINDS } from '../shared/kinds.ts';
import { ALERT_EVENTS, ENDPOINT_STATES } from '../shared/values.ts';
import { change, input, only, shape, Type } from '../shared/vocabulary.ts';

/** Of the installation are only those of alerts. */
const ALL_EVENT_TYPES = [...new Set([...Object.keys(TAXPAYER_EVENTS), ...Object.keys(VENDOR_EVENTS), ...ALERT_EVENTS])];
/** The newest of each in the answer of one endpoint. */
export const MOST_SHOWN = { attempts: 20, setAside: 100 } as const;

const MAX_NUMBER = { minimum: 0, maximum: 9_007_199_254_740_991 } as const;
const EventNumber = Type.Integer(MAX_NUMBER);

const settings = {
  Address: Type.String({
    minLength: 1,
    maxLength: 2000,
    description:
      'Where events are sent: `https://…`, or `mailto:person@example.com` for messages about alerts. Mail is set up by people, not with a token of a tenant; an address given by people of a tenant is sent nothing until its owner has opened the link that it gets. An endpoint keeps its kind.',
  }),
  Description: Type.String({ maxLength: 250, description: 'For people: who or what is behind the address.' }),
  EventTypes: Type.Array(Type.oneOf(ALL_EVENT_TYPES), {
    minItems: 1,
    maxItems: ALL_EVENT_TYPES.length,
    uniqueItems: true,
    description:
      'Which events are sent; the others are passed over. By default all but `receipt.signed`, which the till has in its answer; by mail those of alerts.',
  }),
  AlertKinds: Type.Array(Type.oneOf(ALERT_KINDS), {
    maxItems: ALERT_KINDS.length,
    uniqueItems: true,
    description: 'Of the events about alerts only these kinds. Empty: all.',
  }),
  BatchSize: Type.Integer({
    minimum: 1,
    maximum: 100,
    default: 1,
    description:
      'How many events a request has at most; up to 256 kB. Every request waits for the answer to the one before. A mail has all that waits.',
  }),
  MaxPerSecond: Type.orNull(Type.Integer({ minimum: 1, maximum: 100 }), {
    description: 'Requests per second at most. null: no limit.',
  }),
  HoldOnRefusal: Type.Boolean({
    default: false,
    description:
      'true: an event that is answered with 400, 409, 413, 415 or 422 holds up the others. false: after three such answers it is set aside.',
  }),
};
const Header = only({
  Name: Type.String({ pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$" }),
  Value: Type.String({ pattern: '^[!-~]([ -~]{0,998}[!-~])?$', description: 'Visible ASCII. Never shown again.' }),
});
const header = {
  Header: Type.orNull(Header, {
    description:
      'A header of your choice, such as `Authorization`. null: none. A new address at another host needs it again.',
  }),
};
const Secret = Type.String({
  pattern: '^whsec_[A-Za-z0-9+/]{32,86}={0,2}$',
  description: '`whsec_` and base64 of 24 to 64 random bytes. Without it one is made.',
});

const owner = {
  TaxpayerId: Type.orNull(Type.Id, {
    description: 'Whose events are sent. Neither this nor VendorId: alerts of all tenants.',
  }),
  VendorId: Type.orNull(Type.Id),
  BillerCode: Type.orNull(Type.BillerCode, {
    description:
      'Only payments to this biller of the vendor. Those that are paid, failed, flagged and reversed, to an `https` address. VendorId may be left out where only one vendor sees it.',
  }),
};

const fields = {
  EndpointId: Type.String({ format: 'uuid' }),
  ...owner,
  ...settings,
  HeaderName: Type.textOrNull({ description: 'Of the header of your choice. Its value is never shown.' }),
  State: Type.oneOf(ENDPOINT_STATES, {
    description:
      '`Paused`: nothing is sent and nothing is lost, because LastNumber stands still. `Unconfirmed`: the owner of the mail address has not opened the link yet.',
  }),
  PauseReason: Type.textOrNull(),
  PausedAt: Type.orNull(Type.Instant),
  LastNumber: Type.Integer({
    ...MAX_NUMBER,
    description: 'Number of the last event that was taken, passed over or set aside. What comes next is after it.',
  }),
  NewestNumber: Type.Integer({ ...MAX_NUMBER, description: 'Number of the newest event there is.' }),
  FailedAttempts: Type.Integer({ minimum: 0, description: 'How often the next request has failed so far.' }),
  NextAttemptAt: Type.orNull(Type.Instant, { description: 'After a failed attempt: when the same is sent again.' }),
  LastTakenAt: Type.orNull(Type.Instant, { description: 'When events were last taken.' }),
  SetAsideCount: Type.Integer({ minimum: 0, description: 'Events that were refused, and can be sent again.' }),
  OldSecretUntil: Type.orNull(Type.Instant, {
    description: 'Until then requests carry a second signature, by the old secret.',
  }),
  SenderAddresses: Type.Array(Type.String(), {
    description: 'Addresses that requests come from, where the operator has named them.',
  }),
  CreatedAt: Type.Instant,
};
export const Endpoint = shape('Endpoint', fields);
export type Endpoint = Type.Static<typeof Endpoint>;

const secretOnce = {
  Secret: Type.textOrNull({ description: 'Signs the requests (Standard Webhooks). Shown once; null for mail.' }),
};
export const CreatedEndpoint = shape('CreatedEndpoint', { ...fields, ...secretOnce });

export const EndpointAttempt = shape('EndpointAttempt', {
  AttemptId: Type.String(),
  MessageId: Type.String({ description: 'The header `webhook-id`: the same on every attempt for the same events.' }),
  FirstNumber: EventNumber,
  LastNumber: EventNumber,
  EventCount: Type.Integer({ minimum: 1 }),
  StartedAt: Type.Instant,
  DurationMs: Type.Integer({ minimum: 0 }),
  Outcome: Type.oneOf(['Taken', 'Refused', 'Failed'], {
    description: '`Taken`: answered with 2xx. `Refused`: with 400, 409, 413, 415 or 422. `Failed`: everything else.',
  }),
  StatusCode: Type.orNull(Type.Integer(), { description: 'What was answered.' }),
  Answer: Type.textOrNull({ description: 'The first kilobyte, control characters replaced.' }),
  Error: Type.textOrNull({ description: 'Why it was not taken.' }),
});
export type EndpointAttempt = Type.Static<typeof EndpointAttempt>;

export const SetAsideEvent = shape('SetAsideEvent', {
  Number: EventNumber,
  Type: Type.String(),
  RefusedAt: Type.Instant,
  Error: Type.String({ examples: ['answered 422'] }),
});
export type SetAsideEvent = Type.Static<typeof SetAsideEvent>;

export const EndpointInFull = shape('EndpointInFull', {
  ...fields,
  SetAside: Type.Array(SetAsideEvent, { description: `Oldest first, up to ${MOST_SHOWN.setAside}.` }),
  Attempts: Type.Array(EndpointAttempt, { description: `Newest first, up to ${MOST_SHOWN.attempts}.` }),
});

const { Address, ...otherSettings } = settings;
const newFields = { Address, ...Type.Partial(Type.Object({ ...otherSettings, ...header, Secret })).properties };
export const NewEndpoint = input('NewEndpoint', newFields);
export type NewEndpoint = Type.Static<typeof NewEndpoint>;
export const NewManagedEndpoint = input('NewManagedEndpoint', {
  ...newFields,
  ...Type.Partial(Type.Object(owner)).properties,
});

export const EndpointChange = change('EndpointChange', { ...settings, ...header });
export type EndpointChange = Type.Static<typeof EndpointChange>;

export const SecretRotation = change('SecretRotation', {
  Secret,
  Overlap: Type.Integer({
    minimum: 0,
    maximum: 604_800,
    default: 86_400,
    description: 'Seconds for which the old secret signs, too. 0 when it has leaked.',
  }),
});

export const Resumption = change('EndpointResumption', {
  After: Type.Integer({ ...MAX_NUMBER, description: 'Go on after the event with this number.' }),
  Since: Type.String({
    maxLength: 40,
    description:
      'Go on with the events since this moment, in ISO 8601 with Z or an offset. Those of the minute before may come, too.',
  }),
  FromNow: Type.Boolean({ description: 'true: leave out everything that waits.' }),
});
export type Resumption = Type.Static<typeof Resumption>;

export const Resending = input('EndpointResending', { Number: Type.Integer({ ...MAX_NUMBER, minimum: 1 }) });
