import { Type } from 'typebox';
import type { Answer, RouteDocumentation } from '../../platform/http/documentation.ts';

const textOrNull = (description?: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], ...(description === undefined ? {} : { description }) });
const objectOrNull = Type.Unsafe<object | null>({ type: ['object', 'null'], additionalProperties: true });
const Amount = Type.Number({ description: 'Exact, with two decimals.' });

const TaxLineSchema = Type.Object(
  {
    TaxId: Type.Integer(),
    TaxName: Type.String(),
    TaxPercent: Type.Unsafe<number | null>({ type: ['number', 'null'], description: 'null: exempt.' }),
    Amount,
  },
  { title: 'DayReportTax' },
);

const DayReportSchema = Type.Object(
  {
    Kind: Type.String({ enum: ['X', 'Z'], description: 'Z once the day is closed, X before.' }),
    Seller: Type.Object({
      TaxpayerName: Type.String(),
      TIN: Type.String(),
      VatNumber: textOrNull('null: not registered for VAT.'),
      BranchName: textOrNull(),
      BranchAddress: objectOrNull,
      BranchContacts: objectOrNull,
    }),
    AuthorityDeviceId: Type.Integer(),
    DeviceSerialNumber: Type.String(),
    FiscalDayNumber: Type.Integer(),
    State: Type.String({ enum: ['Closed', 'Opening', 'Opened', 'Closing', 'CloseInitiated', 'CloseFailed'] }),
    Opened: Type.String({ description: 'Device local time.' }),
    Closed: textOrNull("Device local time, the authority's."),
    Reconciliation: textOrNull('Auto: closed by the device. Manual: by a person at the authority.'),
    ReceiptCount: Type.Integer({ description: 'Receipts sealed here.' }),
    Currencies: Type.Array(
      Type.Object(
        {
          Currency: Type.String(),
          NetSales: Type.Array(TaxLineSchema),
          TotalNet: Amount,
          Taxes: Type.Array(TaxLineSchema, { description: 'Above 0 % only.' }),
          TotalTax: Amount,
          GrossSales: Type.Array(TaxLineSchema),
          TotalGross: Amount,
          Documents: Type.Array(Type.Object({ Type: Type.String(), Quantity: Type.Integer(), Amount })),
          TotalDocuments: Type.Object({ Quantity: Type.Integer(), Amount }),
          Balances: Type.Array(Type.Object({ MoneyType: Type.String(), Amount })),
          OtherCounters: Type.Array(Type.Object({ Name: Type.String(), Amount }), {
            description: 'Counters not known here with which a person at the authority closed the day. Usually empty.',
          }),
        },
        { title: 'DayReportCurrency' },
      ),
    ),
  },
  { title: 'DayReport' },
);

const tax = { TaxId: 517, TaxName: 'Standard rated', TaxPercent: 15.5 };
export const dayReportExample = {
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
  ReceiptCount: 2,
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

export const dayReportAnswer: Answer = {
  description: 'The report.',
  schema: DayReportSchema,
  examples: { z: { summary: 'Z report of a closed day', value: dayReportExample } },
  otherContents: { 'text/plain': { type: 'string' }, 'application/pdf': { type: 'string', format: 'binary' } },
};

export const dayReportDescription =
  'Z report when the day is closed, from the counters it was closed with; X report before that, from the receipts as they ' +
  'stand now. Amounts of credit notes are negative. A tax of 0 % and exempt sales are shown under net and gross. As text of ' +
  '48 columns or as PDF it is what a till prints.';

export const getDayReportDocumentation: RouteDocumentation = {
  operationId: 'getDayReport',
  tag: 'Devices',
  summary: 'X or Z report of a fiscal day',
  description: dayReportDescription,
  parameters: {
    type: 'object',
    properties: { authorityDeviceId: { type: 'integer' }, fiscalDayNumber: { type: 'integer' } },
  },
  answers: { 200: dayReportAnswer },
  refusals: ['NotFound'],
};
