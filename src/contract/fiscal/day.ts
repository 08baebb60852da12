import { operation } from '../shared/operation.ts';
import { answered, only, pages, shape, Type } from '../shared/vocabulary.ts';
import { DayState } from './device.ts';

export const REPORT_FORMATS = ['json', 'text', 'pdf'] as const;

const Opened = Type.String({ description: 'Device local time.' });
const Closed = Type.textOrNull({ description: "Device local time, the authority's." });
const Reconciliation = Type.orNull(Type.oneOf(['Auto', 'Manual']), {
  description: 'Auto: closed by the device. Manual: by a person at the authority.',
});

export const FiscalDay = shape('FiscalDay', {
  FiscalDayNumber: Type.Integer(),
  State: DayState,
  Opened,
  OpenedAt: Type.Instant,
  IsOpenConfirmed: Type.Boolean({ description: 'Whether the authority has opened it too.' }),
  Closed,
  ClosedAt: Type.orNull(Type.Instant),
  CloseReason: Type.textOrNull(),
  CloseError: Type.textOrNull({ description: 'Why the last attempt to close it failed.' }),
  Reconciliation,
  ReceiptCount: Type.orNull(Type.Integer()),
});
export type FiscalDay = Type.Static<typeof FiscalDay>;

/** As the authority sent it. */
const Sent = Type.Unsafe<object | null>({ type: ['object', 'null'], additionalProperties: true });
const Amount = Type.decimal({ description: 'Exact.' });
const Taxes = (description?: string) =>
  Type.Array(
    shape('DayReportTax', {
      TaxId: Type.Integer(),
      TaxName: Type.String(),
      TaxPercent: Type.orNull(Type.decimal(), { description: 'null: exempt.' }),
      Amount,
    }),
    description === undefined ? {} : { description },
  );

export const documentSums = {
  Documents: Type.Array(Type.Object({ Type: Type.String(), Quantity: Type.Integer(), Amount })),
  TotalDocuments: Type.Object({ Quantity: Type.Integer(), Amount }),
};

const ReceiptOfDay = Type.Object({
  FiscalDayCounter: Type.Integer(),
  GlobalCounter: Type.Integer(),
  Reference: Type.String(),
});

/** What was sold in one currency, counted as the authority counts a day. */
export const CurrencySums = shape('DayReportCurrency', {
  Currency: Type.String(),
  NetSales: Taxes(),
  TotalNet: Amount,
  Taxes: Taxes('Above 0 % only.'),
  TotalTax: Amount,
  GrossSales: Taxes(),
  TotalGross: Amount,
  ...documentSums,
  Balances: Type.Array(Type.Object({ MoneyType: Type.String(), Amount })),
  OtherCounters: Type.Array(Type.Object({ Name: Type.String(), Amount }), {
    description: 'Unknown counters with which a person at the authority closed the day. Usually empty.',
  }),
});
export type CurrencySums = Type.Static<typeof CurrencySums>;

export const DayReport = shape('DayReport', {
  Kind: Type.oneOf(['X', 'Z'], { description: 'Z once the day is closed, X before.' }),
  Seller: Type.Object({
    TaxpayerName: Type.String(),
    TIN: Type.String(),
    VatNumber: Type.textOrNull({ description: 'null: not registered for VAT.' }),
    BranchName: Type.textOrNull(),
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
  Closing: Type.orNull(Type.oneOf(['Accepted', 'Manual', 'Pending', 'Failed']), {
    description:
      'Accepted: the authority accepted the closing. Manual: a person at the authority closed the day. Pending: its answer has ' +
      'not arrived yet. Failed: it did not close the day, which continues. null: the day is not being closed.',
  }),
  ReceiptCount: Type.Integer({ description: 'Receipts sealed here.' }),
  FirstReceipt: Type.orNull(ReceiptOfDay, { description: 'null: there is none in this day.' }),
  LastReceipt: Type.orNull(ReceiptOfDay),
  Currencies: Type.Array(CurrencySums),
});
export type DayReport = Type.Static<typeof DayReport>;

const report = {
  description:
    'Z report when the day is closed, from the counters it was closed with; X report before that, from the receipts so ' +
    'far. Amounts of credit notes are negative. A tax of 0 % and exempt sales are shown under net and gross. As text of ' +
    '48 columns or as PDF it is what a till prints.',
  query: only({
    format: Type.Optional(Type.oneOf(REPORT_FORMATS, { default: 'json', description: 'json by default.' })),
  }),
  answer: {
    ...answered('The report.', DayReport),
    otherContents: { 'text/plain': { type: 'string' }, 'application/pdf': { type: 'string', format: 'binary' } },
  },
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
  access: { installation: 'viewer', taxpayer: 'viewer' },
  summary: 'X or Z report of a fiscal day of any device',
});

export const listDays = operation('GET /api/admin/devices/:authorityDeviceId/days', {
  access: { installation: 'viewer', taxpayer: 'viewer' },
  summary: 'List the fiscal days of a device',
  description: 'Newest first.',
  ...pages('Days', FiscalDay, 'FiscalDayList', { Cursor: Type.DeviceId }),
});
