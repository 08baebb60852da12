import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { toJson } from '../../../test/support/exact-number.ts';
import { arbitraryReceipt, type GeneratedReceipt } from '../../../test/support/receipts/arbitrary-receipt.ts';
import { invoice } from '../../../test/support/receipts/receipts.ts';
import { createTestService, type TestService } from '../../../test/support/service.ts';

let service: TestService;
let shop: { readonly taxpayerId: string; readonly token: string };
let deviceId: number;
let nextReference = 0;

beforeAll(async () => {
  service = await createTestService();
  shop = await service.addTaxpayer();
  deviceId = await service.addDevice(shop.taxpayerId);
});
afterAll(() => service.close());

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
    { numRuns: 60 },
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
