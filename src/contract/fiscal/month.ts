/** What a taxpayer's accountant asks for. */
import { operation } from '../shared/operation.ts';
import { answered, only, shape, Type } from '../shared/vocabulary.ts';
import { csvAnswer } from './csv.ts';
import { CurrencySums, documentSums } from './day.ts';

const Month = Type.String({
  pattern: '^20[0-9]{2}-(0[1-9]|1[0-2])$',
  description: 'The days that were opened in it, on the clock of their device.',
  examples: ['2026-11'],
});
const Days = Type.Integer({ description: 'Closed fiscal days that were opened in it.' });

export const SalesMonth = shape('SalesMonth', {
  TaxpayerId: Type.String({ format: 'uuid' }),
  TaxpayerName: Type.String(),
  TIN: Type.String(),
  VatNumber: Type.textOrNull({ description: 'null: not registered for VAT.' }),
  Month,
  Days,
  Currencies: Type.Array(CurrencySums, { description: 'Of all devices: the sum of the Z reports of these days.' }),
  Devices: Type.Array(
    Type.Object({
      AuthorityDeviceId: Type.Integer(),
      DeviceSerialNumber: Type.String(),
      Days,
      Currencies: Type.Array(CurrencySums),
    }),
  ),
  Cashiers: Type.Array(
    Type.Object({
      Cashier: Type.textOrNull({ description: 'null: the receipts name nobody.' }),
      Currency: Type.String(),
      ...documentSums,
    }),
    {
      description:
        'Counted from the receipts of these days, also those with which a day was closed without the authority having them.',
    },
  ),
  OpenDays: Type.Array(
    Type.Object({
      AuthorityDeviceId: Type.Integer(),
      FiscalDayNumber: Type.Integer(),
      Opened: Type.String({ description: 'Device local time.' }),
      Sales: Type.Array(Type.Object({ Currency: Type.String(), ...documentSums })),
    }),
    { description: 'Days that are not closed yet, so far; they are in none of the sums above.' },
  ),
});
export type SalesMonth = Type.Static<typeof SalesMonth>;

/** A line of the table; its names are the columns. */
export const MONTH_CSV = {
  Part: 'Tax',
  AuthorityDeviceId: '1001',
  FiscalDayNumber: '',
  Cashier: '',
  Currency: 'USD',
  Tax: 'Standard rated 15.5%',
  TaxPercent: '15.5',
  Net: '100.00',
  TaxAmount: '15.50',
  Gross: '115.50',
  Receipts: '',
};

export const getMonth = operation('GET /api/admin/taxpayers/:taxpayerId/months/:month', {
  access: { installation: 'viewer', taxpayer: 'viewer', practice: 'viewer' },
  summary: 'Sales and VAT of a month',
  description:
    'By tax and currency, over all devices and for each: exactly the sum of the Z reports of the fiscal days that were opened in the month. ' +
    'As PDF in the style of a Z report; as a table for spreadsheets with a line for each tax, cashier and open day, by `Part`.',
  params: Type.Object({ taxpayerId: Type.Id, month: Month }),
  query: only({
    format: Type.Optional(Type.oneOf(['json', 'csv', 'pdf'], { default: 'json', description: 'json by default.' })),
  }),
  answer: {
    ...answered('The month.', SalesMonth),
    otherContents: { 'text/csv': csvAnswer(MONTH_CSV).schema, 'application/pdf': { type: 'string', format: 'binary' } },
  },
  refusals: ['NotFound'],
});
