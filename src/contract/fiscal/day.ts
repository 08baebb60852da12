import { Type } from 'typebox';
import { operation } from '../shared/operation.ts';
import {
  answered,
  closed,
  decimal,
  Instant,
  oneOf,
  orNull,
  pageOf,
  pageQuery,
  textOrNull,
} from '../shared/vocabulary.ts';
import { DayState, DeviceId } from './device.ts';

export const REPORT_FORMATS = ['json', 'text', 'pdf'] as const;

const Opened = Type.String({ description: 'Device local time.' });
const Closed = textOrNull({ description: "Device local time, the authority's." });
const Reconciliation = orNull(oneOf(['Auto', 'Manual']), {
  description: 'Auto: closed by the device. Manual: by a person at the authority.',
});

export const FiscalDay = Type.Object(
  {
    FiscalDayNumber: Type.Integer(),
    State: DayState,
    Opened,
    OpenedAt: Instant,
    IsOpenConfirmed: Type.Boolean({ description: 'Whether the authority has opened it too.' }),
    Closed,
    ClosedAt: orNull(Instant),
    CloseReason: textOrNull(),
    CloseError: textOrNull({ description: 'Why the last attempt to close it failed.' }),
    Reconciliation,
    ReceiptCount: orNull(Type.Integer()),
  },
  { title: 'FiscalDay' },
);
export type FiscalDay = Type.Static<typeof FiscalDay>;

/** As the authority sent it. */
const Sent = Type.Unsafe<object | null>({ type: ['object', 'null'], additionalProperties: true });
const Amount = decimal({ description: 'Exact.' });
const Taxes = (description?: string) =>
  Type.Array(
    Type.Object(
      {
        TaxId: Type.Integer(),
        TaxName: Type.String(),
        TaxPercent: orNull(decimal(), { description: 'null: exempt.' }),
        Amount,
      },
      { title: 'DayReportTax' },
    ),
    description === undefined ? {} : { description },
  );

const ReceiptOfDay = Type.Object({
  FiscalDayCounter: Type.Integer(),
  GlobalCounter: Type.Integer(),
  Reference: Type.String(),
});

export const DayReport = Type.Object(
  {
    Kind: oneOf(['X', 'Z'], { description: 'Z once the day is closed, X before.' }),
    Seller: Type.Object({
      TaxpayerName: Type.String(),
      TIN: Type.String(),
      VatNumber: textOrNull({ description: 'null: not registered for VAT.' }),
      BranchName: textOrNull(),
      BranchAddress: Sent,
      BranchContacts: Sent,
    }),
    AuthorityDeviceId: Type.Integer(),
    DeviceSerialNumber: Type.String(),
    FiscalDayNumber: Type.Integer(),
    State: DayState,
    Opened,
    Closed,
    Reconciliation,
    Closing: orNull(oneOf(['Accepted', 'Manual', 'Pending', 'Failed']), {
      description:
        'Accepted: the authority accepted the closing. Manual: a person at the authority closed the day. Pending: its answer has ' +
        'not arrived yet. Failed: it did not close the day, which continues. null: the day is not being closed.',
    }),
    ReceiptCount: Type.Integer({ description: 'Receipts sealed here.' }),
    FirstReceipt: orNull(ReceiptOfDay, { description: 'null: there is none in this day.' }),
    LastReceipt: orNull(ReceiptOfDay),
    Currencies: Type.Array(
      Type.Object(
        {
          Currency: Type.String(),
          NetSales: Taxes(),
          TotalNet: Amount,
          Taxes: Taxes('Above 0 % only.'),
          TotalTax: Amount,
          GrossSales: Taxes(),
          TotalGross: Amount,
          Documents: Type.Array(Type.Object({ Type: Type.String(), Quantity: Type.Integer(), Amount })),
          TotalDocuments: Type.Object({ Quantity: Type.Integer(), Amount }),
          Balances: Type.Array(Type.Object({ MoneyType: Type.String(), Amount })),
          OtherCounters: Type.Array(Type.Object({ Name: Type.String(), Amount }), {
            description: 'Unknown counters with which a person at the authority closed the day. Usually empty.',
          }),
        },
        { title: 'DayReportCurrency' },
      ),
    ),
  },
  { title: 'DayReport' },
);
export type DayReport = Type.Static<typeof DayReport>;

const tax = { TaxId: 517, TaxName: 'Standard rated', TaxPercent: 15.5 };
const reportExample = {
  Kind: 'Z',
  Seller: {
    TaxpayerName: 'Demo Trading (Pvt) Ltd',
    TIN: '2000000001',
    VatNumber: '220000001',
    BranchName: 'Harare',
    BranchAddress: { province: 'Harare', city: 'Harare', street: 'Samora Machel Avenue', houseNo: '1' },
    BranchContacts: null,
  },
  AuthorityDeviceId: 1001,
  DeviceSerialNumber: 'SN-0001',
  FiscalDayNumber: 12,
  State: 'Closed',
  Opened: '2026-11-15T04:00:00',
  Closed: '2026-11-16T02:00:09',
  Reconciliation: 'Auto',
  Closing: 'Accepted',
  ReceiptCount: 2,
  FirstReceipt: { FiscalDayCounter: 1, GlobalCounter: 4711, Reference: 'INV-000148' },
  LastReceipt: { FiscalDayCounter: 2, GlobalCounter: 4712, Reference: 'CN-000012' },
  Currencies: [
    {
      Currency: 'USD',
      NetSales: [{ ...tax, Amount: 90 }],
      TotalNet: 90,
      Taxes: [{ ...tax, Amount: 13.95 }],
      TotalTax: 13.95,
      GrossSales: [{ ...tax, Amount: 103.95 }],
      TotalGross: 103.95,
      Documents: [
        { Type: 'FiscalInvoice', Quantity: 1, Amount: 115.5 },
        { Type: 'CreditNote', Quantity: 1, Amount: -11.55 },
        { Type: 'DebitNote', Quantity: 0, Amount: 0 },
      ],
      TotalDocuments: { Quantity: 2, Amount: 103.95 },
      Balances: [{ MoneyType: 'Cash', Amount: 103.95 }],
      OtherCounters: [],
    },
  ],
};

const report = {
  description:
    'Z report when the day is closed, from the counters it was closed with; X report before that, from the receipts so ' +
    'far. Amounts of credit notes are negative. A tax of 0 % and exempt sales are shown under net and gross. As text of ' +
    '48 columns or as PDF it is what a till prints.',
  query: Type.Object(
    { format: Type.Optional(oneOf(REPORT_FORMATS, { default: 'json', description: 'json by default.' })) },
    closed,
  ),
  answer: {
    ...answered('The report.', DayReport, reportExample),
    otherContents: { 'text/plain': { type: 'string' }, 'application/pdf': { type: 'string', format: 'binary' } },
  },
  refusals: ['NotFound'],
} as const;

export const getDayReport = operation('GET /api/device/:authorityDeviceId/day/:fiscalDayNumber/report', {
  ...report,
  access: 'taxpayer that reads',
  tag: 'Devices',
  summary: 'X or Z report of a fiscal day',
  params: Type.Object({ authorityDeviceId: Type.Integer(), fiscalDayNumber: Type.Integer() }),
  hasOpenParams: true,
});

export const getManagedDayReport = operation('GET /api/admin/devices/:authorityDeviceId/days/:fiscalDayNumber/report', {
  ...report,
  access: 'viewer',
  summary: 'X or Z report of a fiscal day of any device',
  params: Type.Object({ authorityDeviceId: DeviceId, fiscalDayNumber: DeviceId }),
});

export const listDays = operation('GET /api/admin/devices/:authorityDeviceId/days', {
  access: 'viewer',
  summary: 'The fiscal days of a device',
  description: 'Newest first.',
  params: Type.Object({ authorityDeviceId: DeviceId }),
  query: Type.Object({ ...pageQuery, Cursor: Type.Optional(DeviceId) }, closed),
  answer: answered('A page.', pageOf('Days', FiscalDay, 'FiscalDayList'), {
    Days: [
      {
        FiscalDayNumber: 12,
        State: 'Closed',
        Opened: '2026-11-15T04:00:00',
        OpenedAt: '2026-11-15T02:00:00.000Z',
        IsOpenConfirmed: true,
        Closed: '2026-11-16T02:00:09',
        ClosedAt: '2026-11-16T00:00:10.114Z',
        CloseReason: 'maintenance window',
        CloseError: null,
        Reconciliation: 'Auto',
        ReceiptCount: 431,
      },
    ],
    NextCursor: null,
  }),
  refusals: ['NotFound'],
});
