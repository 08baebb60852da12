import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { toJson } from '../../../test/support/exact-number.ts';
import { runs } from '../../../test/support/property-runs.ts';
import { arbitraryReceipt, type GeneratedReceipt } from '../../../test/support/receipts/arbitrary-receipt.ts';
import { invoice } from '../../../test/support/receipts/receipts.ts';
import { serviceOfFile } from '../../../test/support/service.ts';

const service = await serviceOfFile();
let nextReference = 0;
const shop = await service.addTaxpayer();
const deviceId = await service.addDevice(shop.taxpayerId);

const calculate = (draft: object | string) => service.post(shop.token, '/api/receipt/calculate', draft);
const sign = (receipt: object | string) => service.sign(shop.token, receipt);

/** Without its sums, and without the amount of one of its payments. */
function draftOf({ TotalAmount: _total, Taxes: _taxes, ...rest }: GeneratedReceipt, open: number) {
  const Payments = rest.Payments.map(({ Type, Amount }, index) => (index === open ? { Type } : { Type, Amount }));
  return { ...rest, Payments };
}

test('a draft gives a receipt that signs as it is, whose sums are those of a second implementation', async () => {
  const percents = (taxes: readonly { TaxPercent: unknown }[]) => new Set(taxes.map((tax) => String(tax.TaxPercent)));
  const value = (number: { exact: string }) => Number(number.exact);
  await fc.assert(
    fc.asyncProperty(arbitraryReceipt({ largestCents: 10n ** 12n }), fc.nat(), async (generated, pick) => {
      nextReference += 1;
      const wire = { ...generated, AuthorityDeviceId: deviceId, Reference: `DRAFT ${nextReference}` };
      const answer = await calculate(toJson(draftOf(wire, pick % wire.Payments.length)));
      expect(answer.statusCode, answer.body).toBe(200);
      const complete = answer.json<{
        TotalAmount: number;
        Taxes: { TaxPercent: number | null; TaxAmount: number }[];
      }>();
      expect(complete.TotalAmount).toBe(value(wire.TotalAmount));
      expect(percents(complete.Taxes)).toEqual(
        percents(wire.Taxes.map((tax) => ({ TaxPercent: tax.TaxPercent && value(tax.TaxPercent) }))),
      );
      for (const { TaxPercent, TaxAmount } of wire.Taxes) {
        const percent = TaxPercent && value(TaxPercent);
        expect(complete.Taxes.find((tax) => tax.TaxPercent === percent)?.TaxAmount).toBe(value(TaxAmount));
      }
      const signed = await sign(answer.body);
      expect(signed.statusCode, signed.body).toBe(200);
      expect((await sign(answer.body)).headers['idempotent-replay']).toBe('true');
      const again = await calculate(answer.body);
      expect([again.statusCode, again.headers['idempotent-replay']]).toEqual([200, 'true']);
    }),
    runs(120),
  );
});

test('a draft keeps every digit, also of amounts that came as text', async () => {
  const line = { Type: 'Sale', Name: 'Bond', HsCode: '12345678', Quantity: '1', LineTotal: '9007199254740993.01' };
  const draft = { ...invoice(deviceId, 'DIGITS'), TotalAmount: null, Taxes: null, Payments: [{ Type: 'Cash' }] };
  const answer = await calculate({ ...draft, ReceiptLines: [{ ...line, TaxPercent: '0.00' }] });
  expect(answer.statusCode, answer.body).toBe(200);
  expect(answer.body).toContain('"TotalAmount":9007199254740993.01,');
  expect(answer.body).toContain('"Payments":[{"Type":"Cash","Amount":9007199254740993.01}]');
  expect((await sign(answer.body)).statusCode).toBe(200);
});

const priced = (UnitPrice: string, Quantity: string, more: object = {}) => ({
  Type: 'Sale',
  Name: 'Maize meal',
  HsCode: '11022000',
  UnitPrice,
  Quantity,
  TaxPercent: '15.5',
  ...more,
});
const pricedDraft = (reference: string, ReceiptLines: readonly object[], more: object = {}) => {
  const { TotalAmount: _total, Taxes: _taxes, ...rest } = invoice(deviceId, reference);
  return { ...rest, ReceiptLines, Payments: [{ Type: 'Cash' }], ...more };
};

test('a line without LineTotal gets price times quantity to the last digit, and signs as it is', async () => {
  const lines = [
    priced('3.333333', '3000000'),
    priced('0.1', '3', { LineTotal: null }),
    priced('9007199254740993', '0.01', { TaxPercent: 0 }),
    priced('-0.05', '0.2', { Type: 'Discount' }),
    priced('2.5', '2', { LineTotal: '5.00' }),
  ];
  const answer = await calculate(pricedDraft('PRICED', lines));
  expect(answer.statusCode, answer.body).toBe(200);
  const totals = [...answer.body.matchAll(/"LineTotal":([^,]*)/g)].map(([, total]) => total);
  expect(totals).toEqual(['9999999', '0.3', '90071992547409.93', '-0.01', '5']);
  expect(answer.body).toContain('"TotalAmount":90072002547414.22,');
  expect(answer.body).toContain('"Payments":[{"Type":"Cash","Amount":90072002547414.22}]');
  expect((await sign(answer.body)).statusCode).toBe(200);
});

test('a product that is not whole cents is never rounded, and a line without a price says what to send', async () => {
  const errors = async (...lines: object[]) =>
    (await calculate(pricedDraft('UNPRICED', lines))).json<{ errors: object[] }>().errors;
  expect(await errors(priced('1', '1'), priced('3.333', '3'))).toEqual([
    { Field: 'ReceiptLines[1].LineTotal', Code: 'RCPT024', Message: expect.stringContaining('got 9.999, which is') },
  ]);
  // By the rules of signing, which say that a quantity is never negative.
  expect(await errors(priced('5', '-1'))).toContainEqual(
    expect.objectContaining({ Field: 'ReceiptLines[0].Quantity', Code: 'RCPT023' }),
  );
  const { UnitPrice: _price, ...bare } = priced('1', '1');
  expect(await errors(bare)).toEqual([
    {
      Field: 'ReceiptLines[0].LineTotal',
      Code: 'Required',
      Message: 'LineTotal is missing: send it, or the UnitPrice by which Quantity is multiplied',
    },
  ]);
});

test('a draft without payments is told what to write', async () => {
  const words = async (Payments: unknown) => {
    const answer = await calculate(pricedDraft('UNPAID', [priced('2.31', '50')], { Payments }));
    return answer.json<{ errors: { Message: string }[] }>().errors[0]?.Message;
  };
  expect(await words(undefined)).toBe(
    'Payments is missing: send how it was paid, [{ "Type": "Cash" }], and its Amount is computed',
  );
  expect(await words([])).toContain('such as [{ "Type": "Cash", "Amount": 115.50 }]');
});

test('a draft is checked in what it gives, instead of changing it', async () => {
  const wrong = await calculate({ ...invoice(deviceId, 'GIVEN'), TotalAmount: 115, Taxes: undefined });
  expect(wrong.json<{ errors: { Code: string }[] }>().errors.map(({ Code }) => Code)).toEqual([
    'RCPT019',
    'RCPT038',
    'RCPT039',
  ]);
});

test('a draft says which payment cannot be completed, and why', async () => {
  const errors = async (Payments: object[]) =>
    (await calculate({ ...invoice(deviceId, 'PAYMENTS'), TotalAmount: null, Taxes: null, Payments })).json<{
      errors: object[];
    }>().errors;
  expect(await errors([{ Type: 'Cash' }, { Type: 'Card', Amount: null }])).toEqual([
    {
      Field: 'Payments[1].Amount',
      Code: 'Required',
      Message: 'Amount is missing: only one payment may be without it, and gets what the others leave of TotalAmount',
    },
  ]);
  expect(await errors([{ Type: 'Cash' }, { Type: 'Card', Amount: 120 }])).toEqual([
    {
      Field: 'Payments[0].Amount',
      Code: 'RCPT039',
      Message: 'the other payments, 120, exceed TotalAmount, 115.5: nothing is left for this one',
    },
  ]);
});

test('amounts as text are the same content as numbers', async () => {
  const first = await sign(invoice(deviceId, 'TEXT'));
  expect(first.statusCode).toBe(200);
  const again = await sign(
    invoice(deviceId, 'TEXT', {
      TotalAmount: '115.50',
      Payments: [{ Type: 'Cash', Amount: '115.50' }],
      Taxes: [{ TaxPercent: '15.50', SalesAmountWithTax: '115.5', TaxAmount: 15.5 }],
    }),
  );
  expect([again.statusCode, again.headers['idempotent-replay']]).toEqual([200, 'true']);
  expect(again.body).toContain('"TotalAmount":115.5,');
});

test('a draft without a date is one of now, and signs as it is', async () => {
  const { Date: _date, ...draft } = invoice(deviceId, 'NOW-1');
  const answer = await calculate(draft);
  expect(answer.json()).toMatchObject({ Date: '2026-11-15T10:00:00Z' });
  expect((await sign(answer.body)).statusCode).toBe(200);
});
