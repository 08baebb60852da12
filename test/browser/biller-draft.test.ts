import { expect, test } from 'vitest';
import { PLAIN_BILLER } from '../../src/contract/billpay/plain-biller.ts';
import type { Biller } from '../../web/src/api/answers.ts';
import { billerJson, draftOf, feeCurrencies, newProduct, priceCurrencies } from '../../web/src/biller/biller-draft.ts';
import { timesIn } from '../../web/src/parts/times.ts';

const TIMES = timesIn('Africa/Harare');

const BILLER: Biller = {
  ...PLAIN_BILLER,
  Code: 'WATER',
  Name: 'City Water',
  Fees: [{ Currency: 'ZWG', Fixed: 0.5, Percent: 1 }],
  MemberNumberRegex: '[0-9]{8}',
  Products: [
    {
      Code: 'KL5',
      Name: '5 kl',
      Description: null,
      Enabled: true,
      Prices: [{ Currency: 'ZWG', Price: '12345678901234567.89' }],
    },
  ],
  VendorMustInvoicePayments: true,
  InvoiceHsCode: '99001000',
  InvoiceTaxPercent: 15.5,
  InvoiceTaxInclusive: false,
  AllowFeed: true,
  TargetAmount: 250000,
  TargetUnits: null,
  TargetAchievedSinceDate: '2026-01-01T00:00:07.123Z',
  Revision: 7,
  ChangedAt: '2026-11-15T06:00:00.000Z',
  CreatedAt: '2026-11-15T06:00:00.000Z',
};

test('saving what was read changes nothing: not a digit, not a second', () => {
  const text = billerJson(draftOf(BILLER, TIMES), TIMES, BILLER);
  expect(text).toContain('"Price":12345678901234567.89');
  const { ChangedAt: _at, CreatedAt: _since, Products: _products, ...rest } = BILLER;
  expect(JSON.parse(text)).toMatchObject(rest);
});

test('a currency that is taken away takes its fees and prices with it', () => {
  const draft = { ...draftOf(BILLER, TIMES), Currencies: ['USD'] };
  expect(JSON.parse(billerJson(draft, TIMES, BILLER))).toMatchObject({ Fees: [], Products: [{ Prices: [] }] });
});

test('what is no number is sent as it was typed, so that the service can say so', () => {
  const draft = { ...draftOf(BILLER, TIMES), TargetAmount: '1,000', InvoiceTaxPercent: '' };
  expect(JSON.parse(billerJson(draft, TIMES, BILLER))).toMatchObject({
    TargetAmount: '1,000',
    InvoiceTaxPercent: null,
  });
});

test('errors find their field: entries are sent in the order of the currencies, empty ones left out', () => {
  const draft = draftOf(BILLER, TIMES);
  const product = { ...newProduct(draft), Prices: { USD: ' ', ZWG: '5' } };
  expect([feeCurrencies(draft), priceCurrencies(draft, product), product.id]).toEqual([['ZWG'], ['ZWG'], 1]);
});

test('a new biller is sent without a revision', () => {
  expect(billerJson(draftOf(BILLER, TIMES), TIMES)).not.toContain('Revision');
});
