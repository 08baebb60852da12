import { Type } from 'typebox';
import type { RouteDocumentation } from '../../platform/http/documentation.ts';

const instant = (description: string) => Type.String({ format: 'date-time', description });
const textOrNull = (options: object) => Type.Unsafe<string | null>({ type: ['string', 'null'], ...options });

const TaxOfDeviceSchema = Type.Object(
  {
    TaxId: Type.Integer(),
    Name: Type.String(),
    TaxPercent: Type.Unsafe<number | null>({
      type: ['number', 'null'],
      description: 'null is exempt, which is not 0.',
    }),
    ValidFrom: Type.String({ format: 'date' }),
    ValidTill: textOrNull({ format: 'date' }),
  },
  { title: 'DeviceTax' },
);

export const DeviceSchema = Type.Object(
  {
    AuthorityDeviceId: Type.Integer(),
    SerialNumber: Type.String(),
    State: Type.String({ enum: ['Active', 'Blocked'] }),
    BlockedReason: textOrNull({}),
    Zone: Type.String({ description: 'IANA name; the local time that is signed.' }),
    DatePolicy: Type.String({
      enum: ['advance', 'strict'],
      description: '`advance` moves a date that is not later than the one before; `strict` refuses it.',
    }),
    AdvanceLimitSeconds: Type.Integer({ minimum: 0 }),
    FutureLimitSeconds: Type.Integer({ minimum: 0 }),
    FiscalDay: Type.Object({
      State: Type.String({ enum: ['Closed', 'Opening', 'Opened', 'Closing', 'CloseInitiated', 'CloseFailed'] }),
      Number: Type.Integer({ minimum: 0 }),
      OpenedAt: textOrNull({ format: 'date-time' }),
      EndsAt: textOrNull({ format: 'date-time', description: 'When the day has its greatest length.' }),
      ReceiptCount: Type.Integer({ minimum: 0 }),
      OpensAt: textOrNull({
        format: 'date-time',
        description:
          'Not open: when the next day opens, if nobody opens it earlier. null while it is open, about to open, or when that is not known.',
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
        StoppedBy: Type.Union(
          [Type.Object({ Reference: Type.String(), GlobalCounter: Type.Integer({ minimum: 1 }) }), Type.Null()],
          { description: 'The receipt that stopped it.' },
        ),
        WaitingReceipts: Type.Integer({
          minimum: 0,
          description: 'Sealed, and not settled at the authority yet; the one that stopped it included.',
        }),
        WaitingSince: textOrNull({ format: 'date-time', description: 'When the first of them was sealed.' }),
        Error: textOrNull({ description: 'What stands in the way, in words; null when nothing does.' }),
      },
      { description: 'How handing its receipts to the authority goes. Sealing does not depend on it.' },
    ),
    GlobalCounter: Type.Integer({ minimum: 0, description: 'Number of the last receipt.' }),
    LastReceiptDate: textOrNull({ description: 'Device local time.' }),
    NextMaintenanceWindow: Type.Object({
      Start: instant('Nothing is signed from here on …'),
      End: instant('… until here.'),
    }),
    ApplicableTaxes: Type.Array(TaxOfDeviceSchema, { description: 'Valid today.' }),
    CertificateValidTill: textOrNull({ format: 'date-time' }),
  },
  { title: 'Device' },
);

export const deviceExample = {
  AuthorityDeviceId: 1001,
  SerialNumber: 'TILLSEAL-DEMO-1',
  State: 'Active',
  BlockedReason: null,
  Zone: 'Africa/Harare',
  DatePolicy: 'advance',
  AdvanceLimitSeconds: 300,
  FutureLimitSeconds: 120,
  FiscalDay: {
    State: 'Opened',
    Number: 1,
    OpenedAt: '2026-11-15T06:00:00.000Z',
    EndsAt: '2026-11-16T06:00:00.000Z',
    ReceiptCount: 147,
    OpensAt: null,
    RedReceipts: [],
  },
  Submission: { IsStopped: false, StoppedBy: null, WaitingReceipts: 0, WaitingSince: null, Error: null },
  GlobalCounter: 147,
  LastReceiptDate: '2026-11-15T11:58:20',
  NextMaintenanceWindow: { Start: '2026-11-16T00:00:00.000Z', End: '2026-11-16T02:00:00.000Z' },
  ApplicableTaxes: [
    { TaxId: 1, Name: 'Exempt', TaxPercent: null, ValidFrom: '2020-01-01', ValidTill: null },
    { TaxId: 2, Name: 'Zero rated', TaxPercent: 0, ValidFrom: '2020-01-01', ValidTill: null },
    { TaxId: 517, Name: 'Standard rated', TaxPercent: 15.5, ValidFrom: '2026-01-01', ValidTill: null },
  ],
  CertificateValidTill: null,
};

export const getDeviceDocumentation: RouteDocumentation = {
  operationId: 'getDevice',
  tag: 'Devices',
  summary: 'Read the state of a device',
  description:
    'Fiscal day, counters, what waits for the authority and what stopped it, maintenance window, taxes and certificate. Needs the scope `read`.',
  parameters: Type.Object({
    authorityDeviceId: Type.Integer({ description: "The authority's number of the device.", examples: [1001] }),
  }),
  answers: {
    200: {
      description: 'The device.',
      schema: DeviceSchema,
      examples: { open: { summary: 'A device whose day is open', value: deviceExample } },
    },
  },
  refusals: ['NotFound'],
};
