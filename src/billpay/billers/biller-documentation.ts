import { Type } from 'typebox';
import type { RouteDocumentation } from '../../platform/http/documentation.ts';
import { BillerSchema } from '../core/biller-schema.ts';

const BILLER_CODE = 'CITYWATER';

export const billerExample = {
  Code: BILLER_CODE,
  Name: 'City Water',
  Description: 'Water accounts of the city council',
  Enabled: true,
  Currencies: ['USD', 'ZWG'],
  Fees: [
    { Currency: 'USD', Fixed: 0.5, Percent: 1.5 },
    { Currency: 'ZWG', Fixed: 10, Percent: 1.5 },
  ],
  MemberNumberRegex: '[0-9]{8}',
  Products: [
    {
      Code: 'PREPAID-10',
      Name: 'Prepaid water, 10 m³',
      Description: null,
      Enabled: true,
      Prices: [{ Currency: 'USD', Price: 12.5 }],
    },
  ],
  VendorMustInvoicePayments: true,
  InvoiceHsCode: '22011000',
  InvoiceTaxPercent: 15.5,
  InvoiceTaxInclusive: true,
  AllowFeed: false,
  TargetAmount: 250000,
  TargetUnits: 10000,
  TargetAchievedSinceDate: '2026-01-01T00:00:00.000Z',
};

export const listBillersDocumentation: RouteDocumentation = {
  operationId: 'listBillers',
  tag: 'Payments',
  summary: 'List the billers you may take payments for',
  description:
    'Each with its whole configuration, ordered by code. Ask with `changedSince` = `AsOf` of the last answer for what changed; ' +
    'that moment is included, so the last change may come again. A biller that was withdrawn from you is listed then, as not ' +
    'enabled. Send `If-None-Match` with the last `ETag` and an unchanged list is answered 304 without a body.',
  answers: {
    200: {
      description: 'The billers.',
      headers: { ETag: { description: 'Changes with the answer.', schema: { type: 'string' } } },
      schema: Type.Object(
        {
          Billers: Type.Array(BillerSchema),
          AsOf: Type.String({ format: 'date-time', description: 'The last change you know of now.' }),
        },
        { title: 'BillerList' },
      ),
      examples: {
        one: { summary: 'One biller', value: { Billers: [billerExample], AsOf: '2026-11-15T10:00:00.000Z' } },
      },
    },
  },
};
