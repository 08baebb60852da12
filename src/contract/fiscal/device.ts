import { HOLD_KINDS } from '../shared/kinds.ts';
import { operation } from '../shared/operation.ts';
import { DAY_STATES, LIMIT_SECONDS, REGISTRATION } from '../shared/values.ts';
import { answered, change, input, pages, shape, Type } from '../shared/vocabulary.ts';
import { TillBehind } from './till.ts';

export const DayState = Type.oneOf(DAY_STATES);

const DeviceTax = shape('DeviceTax', {
  TaxId: Type.Integer(),
  Name: Type.String(),
  TaxPercent: Type.orNull(Type.decimal({ description: 'null is exempt, which is not 0.' })),
  ValidFrom: Type.String({ format: 'date' }),
  ValidTill: Type.textOrNull({ format: 'date' }),
  Since: Type.orNull(Type.Instant, {
    description: 'In force without a break since then: valid, and listed by the authority for this device.',
  }),
});

const EndedTax = shape('EndedTax', {
  ...DeviceTax.properties,
  EndedAt: Type.String({
    format: 'date-time',
    description: 'Its validity ended, or a configuration was received that does not list it.',
  }),
});

const DeviceHold = shape('DeviceHold', {
  Kind: Type.oneOf(HOLD_KINDS),
  Reason: Type.String({ examples: ['Stolen'] }),
  Since: Type.Instant,
  EndedBy: Type.String({ description: 'Who or what ends it, in words.' }),
});

export const Device = shape('Device', {
  AuthorityDeviceId: Type.Integer(),
  SerialNumber: Type.String(),
  State: Type.oneOf(['Active', 'Blocked', 'GivenUp'], {
    description:
      '`Blocked` while there is a hold: nothing is signed. `GivenUp`: nor is it opened or looked after; its receipts stay.',
  }),
  BlockedReason: Type.textOrNull({ description: "The operators' own block; null without one." }),
  Holds: Type.Array(DeviceHold, { description: 'Why nothing is signed, each on its own.' }),
  Zone: Type.String({ description: 'IANA name; the local time that is signed.' }),
  DatePolicy: Type.oneOf(REGISTRATION.DatePolicy.enum, {
    description: '`advance` moves a date that is not later than the one before; `strict` refuses it.',
  }),
  AdvanceLimitSeconds: Type.Integer({ minimum: 0 }),
  FutureLimitSeconds: Type.Integer({ minimum: 0 }),
  FiscalDay: Type.Object({
    State: DayState,
    Number: Type.Integer({ minimum: 0 }),
    OpenedAt: Type.orNull(Type.Instant),
    EndsAt: Type.orNull(Type.Instant, { description: 'When the day reaches its maximum length.' }),
    ReceiptCount: Type.Integer({ minimum: 0 }),
    OpensAt: Type.orNull(Type.Instant, {
      description:
        'If not open: when the next day opens, unless an operator opens it earlier. null while it is open, about to open, or when that is unknown.',
    }),
    RedReceipts: Type.Array(Type.String(), {
      description:
        'References of receipts of this day that the authority marked red, at most five. While there is one, closing the day is certain to fail.',
    }),
  }),
  Submission: Type.Object(
    {
      IsStopped: Type.Boolean({
        description: 'The authority refused a receipt: nothing more is submitted until an operator decides about it.',
      }),
      StoppedBy: Type.orNull(Type.Object({ Reference: Type.String(), GlobalCounter: Type.Integer({ minimum: 1 }) }), {
        description: 'The receipt that stopped it.',
      }),
      WaitingReceipts: Type.Integer({
        minimum: 0,
        description: 'Sealed, and not settled at the authority yet; includes the one that stopped it.',
      }),
      WaitingSince: Type.orNull(Type.Instant, { description: 'When the first of them was sealed.' }),
      Error: Type.textOrNull({ description: 'What prevents submission, in words; null when nothing does.' }),
    },
    { description: 'The state of submitting its receipts to the authority. Sealing does not depend on it.' },
  ),
  TillsBehind: Type.Array(TillBehind, { description: 'Tills that have unsealed sales of this device.' }),
  GlobalCounter: Type.Integer({ minimum: 0, description: 'Number of the last receipt.' }),
  LastReceiptDate: Type.textOrNull({ description: 'Device local time.' }),
  NextMaintenanceWindow: Type.Object({
    Start: Type.String({ format: 'date-time', description: 'Nothing is signed from here on …' }),
    End: Type.String({ format: 'date-time', description: '… until here.' }),
  }),
  ApplicableTaxes: Type.Array(DeviceTax, { description: 'In force now.' }),
  EndedTaxes: Type.Array(EndedTax, {
    description: 'No longer in force, the last first. Only receipts dated earlier and notes on them use these.',
  }),
  CertificateValidTill: Type.orNull(Type.Instant),
  ConnectedAt: Type.orNull(Type.Instant, {
    description: 'When the authority last answered that it knows the device to be on; it is told every few minutes.',
  }),
});
export type Device = Type.Static<typeof Device>;

/** As operators see it. */
export const ManagedDevice = shape('ManagedDevice', {
  TaxpayerId: Type.String({ format: 'uuid' }),
  MaintenanceStart: Type.String({ description: 'Local HH:mm.' }),
  ...Device.properties,
});
export type ManagedDevice = Type.Static<typeof ManagedDevice>;

export const DeviceChange = change('DeviceChange', {
  Zone: Type.String({ maxLength: 60, description: 'IANA name, such as Africa/Harare.' }),
  MaintenanceStart: Type.String({ pattern: REGISTRATION.MaintenanceStart.pattern, description: 'Local HH:mm.' }),
  DatePolicy: Type.oneOf(REGISTRATION.DatePolicy.enum),
  AdvanceLimitSeconds: Type.Integer(LIMIT_SECONDS),
  FutureLimitSeconds: Type.Integer(LIMIT_SECONDS),
  BlockedReason: Type.textOrNull({
    minLength: 1,
    maxLength: 200,
    description: 'Blocks the device; null ends this block, and no other hold.',
  }),
});
export type DeviceChange = Type.Static<typeof DeviceChange>;

export const DeviceRegistration = input('DeviceRegistration', {
  TaxpayerId: Type.Id,
  AuthorityDeviceId: Type.DeviceId,
  SerialNumber: Type.String({ ...REGISTRATION.SerialNumber, description: 'As registered at the authority.' }),
  ActivationKey: Type.String({ ...REGISTRATION.ActivationKey, description: 'From the authority; works once.' }),
  KeyAlgorithm: Type.Optional(Type.oneOf(REGISTRATION.KeyAlgorithm.enum, REGISTRATION.KeyAlgorithm)),
  Zone: Type.Optional(Type.String(REGISTRATION.Zone)),
  MaintenanceStart: Type.Optional(Type.String(REGISTRATION.MaintenanceStart)),
  DatePolicy: Type.Optional(Type.oneOf(REGISTRATION.DatePolicy.enum, REGISTRATION.DatePolicy)),
  AdvanceLimitSeconds: Type.Optional(Type.Integer(REGISTRATION.AdvanceLimitSeconds)),
  FutureLimitSeconds: Type.Optional(Type.Integer(REGISTRATION.FutureLimitSeconds)),
  LastGlobalCounter: Type.Optional(
    Type.Integer({
      ...REGISTRATION.LastGlobalCounter,
      description: "The last receipt number, if it is higher than the authority's, or to confirm the authority's.",
    }),
  ),
  Again: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'Replaces the certificate of a device that is registered here. Not needed where the authority refuses the device or its certificate has expired.',
    }),
  ),
});
export type DeviceRegistration = Type.Static<typeof DeviceRegistration>;

export const getDevice = operation('GET /api/device/:authorityDeviceId', {
  access: 'taxpayer that reads',
  tag: 'Devices',
  summary: 'Read the state of a device',
  description:
    'Fiscal day, counters, what waits for the authority and what stopped it, maintenance window, taxes and certificate. Needs the scope `read`.',
  params: Type.Object({
    authorityDeviceId: Type.Integer({ description: "The authority's number of the device.", examples: [1001] }),
  }),
  hasOpenParams: true,
  answer: answered('The device.', Device),
});

export const listOwnDevices = operation('GET /api/device', {
  access: 'taxpayer that reads',
  tag: 'Devices',
  summary: "List the token's devices with their state",
  description: 'In the order of their numbers. Needs the scope `read`.',
  ...pages('Devices', Device, 'OwnDeviceList', { Cursor: Type.DeviceId }),
});

export const listDevices = operation('GET /api/admin/devices', {
  access: { installation: 'viewer', taxpayer: 'viewer' },
  summary: 'List devices',
  ...pages('Devices', ManagedDevice, 'DeviceList', {
    Cursor: Type.DeviceId,
    TaxpayerId: Type.Id,
    IsStopped: Type.Boolean({ description: 'Only those that are stopped, or only the others.' }),
  }),
});

export const getManagedDevice = operation('GET /api/admin/devices/:authorityDeviceId', {
  access: { installation: 'viewer', taxpayer: 'viewer' },
  summary: 'Read a device of any taxpayer',
  answer: answered('The device.', ManagedDevice),
});

export const changeDevice = operation('PATCH /api/admin/devices/:authorityDeviceId', {
  access: { installation: 'operator', taxpayer: 'owner' },
  summary: "Change a device's settings, block or unblock it",
  description:
    'Only the fields that are sent change. They apply from the next receipt on, on every instance. `BlockedReason` is for operators.',
  body: DeviceChange,
  installationFields: ['BlockedReason'],
  bodyExamples: {
    'Move the maintenance window': { MaintenanceStart: '03:30' },
    Block: { BlockedReason: 'Stolen' },
  },
  answer: answered('As it is now.', ManagedDevice),
});

export const registerDevice = operation('POST /api/admin/devices', {
  access: { installation: 'operator', taxpayer: 'owner' },
  summary: 'Register a device with the tax authority',
  description:
    'Creates the key pair here, asks the authority for a certificate with the activation key and takes over the history of ' +
    'the device. The activation key works once: after a failure, send the same request again, and it continues where it stopped. ' +
    'The first fiscal day is opened immediately.\n\n' +
    'A registered device whose certificate the authority no longer accepts is registered again in the same way, with a fresh activation key: ' +
    'key pair, chain, open day and settings stay.',
  body: DeviceRegistration,
  bodyExamples: {
    'A device': {
      TaxpayerId: '0198b7e2-4c1d-7f3a-9a55-2f1c8e6d0b47',
      AuthorityDeviceId: 1001,
      SerialNumber: 'SN-0001',
      ActivationKey: '00112233',
    },
  },
  answer: answered('The registered device.', ManagedDevice, 201),
  refusals: ['NotFound', 'Unavailable'],
});
