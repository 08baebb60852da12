import { Remark } from '../fiscal/receipt.ts';
import { operation } from '../shared/operation.ts';
import { only, shape, Type } from '../shared/vocabulary.ts';

const device = { AuthorityDeviceId: Type.Integer() };
const day = { ...device, FiscalDayNumber: Type.Integer({ minimum: 1 }) };
const receipt = {
  Reference: Type.String(),
  ...device,
  GlobalCounter: Type.Integer({ minimum: 1, description: 'Number of the receipt among all receipts of the device.' }),
};

const alert = {
  AlertId: Type.String({ description: 'The same in `alert.raised` and `alert.solved`.' }),
  Kind: Type.String({ description: 'Such as `DeviceStopped`; docs/operations/alerts has all of them.' }),
  Message: Type.String({ description: 'What happened and what to do.' }),
  AuthorityDeviceId: Type.orNull(Type.Integer()),
  TaxpayerId: Type.textOrNull(),
  VendorId: Type.textOrNull({ description: 'Both null: a matter of the whole installation.' }),
  TenantName: Type.textOrNull({ description: 'Of the taxpayer or vendor.' }),
  EndpointId: Type.textOrNull({ description: 'Of the endpoint that it is about, which is not told itself.' }),
  RaisedAt: Type.Instant,
};
/** In every feed. What is over within five seconds is not among them. */
const ALERTS = {
  'alert.raised': Type.Object(alert, { description: 'Something needs a person.' }),
  'alert.solved': Type.Object({ ...alert, SolvedAt: Type.Instant }, { description: 'It is over.' }),
};

/** What a taxpayer's event carries, by its type. Written, read and described by this. */
export const TAXPAYER_EVENTS = {
  'receipt.signed': Type.Object(
    {
      ...receipt,
      ...day,
      Type: Type.String({ description: 'FiscalInvoice, CreditNote or DebitNote.' }),
      FiscalDayCounter: Type.Integer({ minimum: 1, description: 'Number of the receipt in its fiscal day.' }),
    },
    { description: 'A receipt was sealed.' },
  ),
  'receipt.submitted': Type.Object(
    { ...receipt, Remarks: Type.Array(Remark, { description: 'With a Red one, do not treat it as simply accepted.' }) },
    { description: 'The authority has accepted a receipt.' },
  ),
  'receipt.submission_failed': Type.Object(
    { ...receipt, Error: Type.String() },
    { description: 'The authority refused a receipt. Its device submits nothing more until an operator decides.' },
  ),
  'day.opened': Type.Object(
    { ...day, IsKnownToAuthority: Type.Boolean({ description: 'False: opened here while the authority was down.' }) },
    { description: 'A fiscal day was opened.' },
  ),
  'day.closed': Type.Object(
    {
      ...day,
      Reconciliation: Type.String({ enum: ['Auto', 'Manual'], description: 'Manual: by a person at the authority.' }),
      ReceiptCount: Type.Integer({ minimum: 0 }),
    },
    { description: 'A fiscal day was closed.' },
  ),
  'day.close_failed': Type.Object(
    { ...day, Error: Type.String({ description: 'As the authority named it.' }), Explanation: Type.String() },
    { description: 'The authority did not close a fiscal day.' },
  ),
  'device.blocked': Type.Object(
    { ...device, Reason: Type.String() },
    { description: 'A device is on hold, for this reason, and seals nothing. It may come again for another reason.' },
  ),
  'device.released': Type.Object(device, { description: 'The last hold of a device has ended: it may seal again.' }),
  ...ALERTS,
};

export type EventType = keyof typeof TAXPAYER_EVENTS;

const references = { VendorReference: Type.String(), BillPayReference: Type.String() };
const payment = { ...references, BillerCode: Type.String() };

/** What a vendor's event carries, by its type. Written, read and described by this. */
export const VENDOR_EVENTS = {
  'payment.paid': Type.Object({ ...payment, PaidAt: Type.Instant }, { description: 'A payment was paid.' }),
  'payment.failed': Type.Object(
    { ...payment, FailedAt: Type.Instant, Narration: Type.textOrNull({ description: 'Why.' }) },
    { description: 'A payment failed: it is not paid, and never will be under this reference.' },
  ),
  'payment.flagged': Type.Object(
    { ...payment, FlaggedAt: Type.Instant, Narration: Type.textOrNull({ description: 'Why.' }) },
    {
      description:
        'Whether a payment is paid is in doubt; a person settles it, and payment.paid or payment.failed follows.',
    },
  ),
  'payment.fiscalised': Type.Object(
    {
      ...references,
      VendorInvoiceReference: Type.String(),
      VendorFiscalSignature: Type.String({ description: 'To be printed as a QR code on the invoice.' }),
      VendorFiscalMetadata: Type.Object({
        VerificationCode: Type.String(),
        DeviceId: Type.Integer(),
        DeviceSerialNumber: Type.String(),
        FiscalDayNumber: Type.Integer(),
        FiscalDayCounter: Type.Integer(),
        GlobalCounter: Type.Integer(),
      }),
    },
    { description: 'The invoice of a payment is sealed.' },
  ),
  'payment.reversed': Type.Object(
    { ...payment, ReversedAt: Type.Instant },
    { description: 'A paid payment was reversed.' },
  ),
  'biller.changed': Type.Object(
    { BillerCode: Type.String() },
    { description: 'What `ListBillers` shows of a biller has changed.' },
  ),
  ...ALERTS,
};

export type VendorEventType = keyof typeof VENDOR_EVENTS;

/** An event as it is recorded, with the data of its type. */
type Recorded<Kinds extends Record<string, Type.TSchema>> = {
  [Kind in keyof Kinds]: { readonly type: Kind; readonly data: Type.Static<Kinds[Kind]> };
}[keyof Kinds];
export type TypedEvent = Recorded<typeof TAXPAYER_EVENTS>;
export type TypedVendorEvent = Recorded<typeof VENDOR_EVENTS>;
export type AlertEvent = Recorded<typeof ALERTS> & { readonly at: Date };

const EVENTS = { ...TAXPAYER_EVENTS, ...VENDOR_EVENTS };
type Kinds = typeof EVENTS;
export type Event = {
  [Kind in keyof Kinds]: {
    readonly Number: number;
    readonly Type: Kind;
    readonly At: string;
    readonly Data: Type.Static<Kinds[Kind]>;
  };
}[keyof Kinds];

/** payment.paid: PaymentPaidEvent. */
function titleOf(kind: string): string {
  const words = kind.split(/[._]/).map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${words.join('')}Event`;
}

/** Any event: its type says what it carries, so that code generated from this has one type for each. */
const Event = Type.Unsafe<Event>({
  title: 'Event',
  type: 'object',
  description:
    'Those of receipts, days and devices are for taxpayers; those of payments and billers for vendors; those of alerts for both.',
  oneOf: Object.entries(EVENTS).map(([kind, data]) => ({
    title: titleOf(kind),
    type: 'object',
    required: ['Number', 'Type', 'At', 'Data'],
    properties: {
      Number: Type.Integer({
        minimum: 1,
        description: 'Without gaps per taxpayer or vendor, in the order in which things happened.',
      }),
      Type: { type: 'string', const: kind },
      At: Type.Instant,
      Data: data,
    },
  })),
  discriminator: {
    propertyName: 'Type',
    mapping: Object.fromEntries(Object.keys(EVENTS).map((kind) => [kind, `#/components/schemas/${titleOf(kind)}`])),
  },
});

const number = (description: string) => Type.Optional(Type.String({ pattern: '^[0-9]{1,18}$', description }));
const seconds = (description: string) => Type.Optional(Type.Integer({ minimum: 0, maximum: 30, description }));
const pageSize = (more: object) => Type.Optional(Type.Integer({ minimum: 1, maximum: 500, ...more }));

export const listEvents = operation('GET /api/events', {
  access: 'tenant that reads',
  tag: 'Events',
  summary: 'What happened, in order',
  description:
    'With the token of a taxpayer its own events, with the token of a vendor those of the vendor. Ask with `After` = the last number you have; nothing is skipped and nothing is repeated. With `Wait` the answer comes ' +
    'as soon as there is an event, or empty when the time is up; a token may have 200 requests waiting.',
  // In the letters of all other lists, and in small ones, as it was at first.
  query: only({
    After: number('Number of the last event you have.'),
    Wait: seconds('Seconds to wait for an event.'),
    Limit: pageSize({ default: 100 }),
    after: number('The same as `After`.'),
    wait: seconds('The same as `Wait`.'),
    limit: pageSize({ description: 'The same as `Limit`.' }),
  }),
  answer: {
    description: 'The events after that number.',
    schema: shape('EventList', { Events: Type.Array(Event), LastNumber: Type.Integer({ minimum: 0 }) }),
  },
});
