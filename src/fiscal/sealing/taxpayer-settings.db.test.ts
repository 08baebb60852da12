import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { creditNote, invoice } from '../../../test/support/receipts/receipts.ts';
import { serviceOfFile } from '../../../test/support/service.ts';
import { addToken, errorsOf, openShop, plainReceipt } from '../../../test/support/shop.ts';

const service = await serviceOfFile();

const line = (changes: object) => ({ Type: 'Sale', Name: 'Goods', Quantity: 1, ...changes });

test("a token's default cashier replaces the one that was sent, and is put in where none was", async () => {
  const { taxpayerId, token, deviceId } = await openShop(service);
  const rudo = await addToken(service, { taxpayerId, defaultCashier: 'Rudo' });
  const sent = await service.sign(rudo, invoice(deviceId, 'C-1', { Cashier: 'Tino' }));
  expect(sent.json()).toMatchObject({ Cashier: 'Rudo' });
  expect((await service.sign(rudo, invoice(deviceId, 'C-2'))).json()).toMatchObject({ Cashier: 'Rudo' });
  expect((await service.sign(token, invoice(deviceId, 'C-3', { Cashier: 'Tino' }))).json()).toMatchObject({
    Cashier: 'Tino',
  });
  expect((await service.sign(token, invoice(deviceId, 'C-4'))).json()).toHaveProperty('Cashier', null);
});

test('automatic HS codes fill each kind of tax and replace no code that was sent', async () => {
  const defaultHsCodes = { Taxed: '8516', ZeroRated: '19059010', Exempt: '99990000' };
  const { token, deviceId } = await openShop(service, {}, { defaultHsCodes });
  const receipt = invoice(deviceId, 'H-1', {
    TotalAmount: 119.5,
    ReceiptLines: [
      line({ LineTotal: 115.5, TaxPercent: 15.5, HsCode: null }),
      line({ LineTotal: 1, TaxPercent: 0 }),
      line({ LineTotal: 2, TaxPercent: null }),
      line({ LineTotal: 1, TaxPercent: 0, HsCode: '12345678' }),
    ],
    Payments: [{ Type: 'Cash', Amount: 119.5 }],
    Taxes: [
      { TaxPercent: 15.5, SalesAmountWithTax: 115.5, TaxAmount: 15.5 },
      { TaxPercent: 0, SalesAmountWithTax: 2, TaxAmount: 0 },
      { TaxPercent: null, SalesAmountWithTax: 2, TaxAmount: 0 },
    ],
  });
  const answer = await service.sign(token, receipt);
  expect(answer.statusCode, answer.body).toBe(200);
  const codes = answer.json<{ ReceiptLines: { HsCode: string }[] }>().ReceiptLines.map(({ HsCode }) => HsCode);
  expect(codes).toEqual(['8516', '19059010', '99990000', '12345678']);
});

test('without automatic HS codes a missing one is RCPT047 or RCPT048 at its line', async () => {
  const { token, deviceId } = await openShop(service);
  const answer = await service.sign(
    token,
    invoice(deviceId, 'H-2', { ReceiptLines: [line({ LineTotal: 115.5, TaxPercent: 15.5 })] }),
  );
  expect(answer.statusCode).toBe(400);
  expect(errorsOf(answer)).toEqual([expect.stringMatching(/^ReceiptLines\[0\]\.HsCode RCPT04[78]$/)]);
});

test("a taxpayer's own list of currencies is the only one that counts, and the message gives it", async () => {
  const { token, deviceId } = await openShop(service, {}, { currencies: ['USD', 'ZWG'] });
  expect((await service.sign(token, plainReceipt(deviceId, 'M-1', '1', { Currency: 'ZIG' }))).statusCode).toBe(200);
  const answer = await service.sign(token, plainReceipt(deviceId, 'M-2', '1', { Currency: 'ZAR' }));
  expect([answer.statusCode, errorsOf(answer)]).toEqual([400, ['Currency RCPT010']]);
  expect(answer.body).toContain('USD, ZWG');
});

test('a taxpayer without VAT registration uses no tax above 0, also with an external original', async () => {
  const { token, deviceId } = await openShop(service, {}, { vatNumber: undefined });
  const answer = await service.sign(token, invoice(deviceId, 'V-1'));
  expect([answer.statusCode, errorsOf(answer)]).toEqual([
    400,
    ['ReceiptLines[0].TaxPercent RCPT021', 'Taxes[0].TaxPercent RCPT021'],
  ]);
  const external = { OriginalFiscalDayNumber: 1, OriginalGlobalCounter: 2, OriginalAuthorityDeviceId: 3 };
  const note = await service.sign(token, creditNote(deviceId, 'V-2', 'OLD', external));
  expect(errorsOf(note)).toContain('Taxes[0].TaxPercent RCPT021');
  expect((await service.sign(token, plainReceipt(deviceId, 'V-3', '1'))).statusCode).toBe(200);
});

test('an invoice from the time of the VAT registration stays creditable after it ended', async () => {
  const { taxpayerId, token, deviceId } = await openShop(service);
  expect((await service.sign(token, invoice(deviceId, 'V-4'))).statusCode).toBe(200);
  await service.pool.query('update taxpayers set vat_number = null where taxpayer_id = $1', [taxpayerId]);
  // A token that was never used: what is known of the taxpayer is remembered per token for three seconds.
  const fresh = await addToken(service, { taxpayerId });
  expect((await service.sign(fresh, invoice(deviceId, 'V-5'))).statusCode).toBe(400);
  const note = await service.sign(fresh, creditNote(deviceId, 'V-6', 'V-4'));
  expect(note.statusCode, note.body).toBe(200);
});

const BUYER = { BuyerName: 'Tariro (Pvt) Ltd', BuyerTIN: '2000000009', BuyerAddress: '1 Main, Harare' };
const part = {
  TotalAmount: -11.55,
  ReceiptLines: [{ Type: 'Sale', Name: 'Kettle', HsCode: '8516', Quantity: 1, LineTotal: -11.55, TaxPercent: 15.5 }],
  Payments: [{ Type: 'Cash', Amount: -11.55 }],
  Taxes: [{ TaxPercent: 15.5, SalesAmountWithTax: -11.55, TaxAmount: -1.55 }],
};

test('a note without a buyer takes that of its original where the taxpayer wants it, and a retry is still the same', async () => {
  const { token, deviceId } = await openShop(service, {}, { notesTakeBuyer: true });
  await service.sign(token, invoice(deviceId, 'B-1', BUYER));
  const note = creditNote(deviceId, 'B-2', 'B-1', part);
  const sealed = await service.sign(token, note);
  expect(sealed.json(), sealed.body).toMatchObject({ Type: 'CreditNote', ...BUYER });
  const again = await service.sign(token, note);
  expect([again.statusCode, again.headers['idempotent-replay']], again.body).toEqual([200, 'true']);
  expect(again.json()).toMatchObject(BUYER);
  expect((await service.sign(token, { ...note, ...BUYER })).statusCode).toBe(409);
  const own = await service.sign(token, creditNote(deviceId, 'B-3', 'B-1', { ...part, BuyerName: 'Rudo' }));
  expect(own.json()).toMatchObject({ BuyerName: 'Rudo' });
  expect(own.json()).toHaveProperty('BuyerTIN', null);
  await service.sign(token, invoice(deviceId, 'B-4'));
  const none = await service.sign(token, creditNote(deviceId, 'B-5', 'B-4', part));
  expect(none.json(), none.body).toHaveProperty('BuyerName', null);
});

test('without that setting a note has the buyer that was sent, and a change of it is known at once', async () => {
  const { taxpayerId, token, deviceId } = await openShop(service);
  const cent = {
    TotalAmount: -0.01,
    ReceiptLines: [{ ...part.ReceiptLines[0], LineTotal: -0.01 }],
    Payments: [{ Type: 'Cash', Amount: -0.01 }],
    Taxes: [{ TaxPercent: 15.5, SalesAmountWithTax: -0.01, TaxAmount: 0 }],
  };
  await service.sign(token, invoice(deviceId, 'B-1', BUYER));
  const note = creditNote(deviceId, 'B-2', 'B-1', part);
  expect((await service.sign(token, note)).json()).toHaveProperty('BuyerName', null);
  await service.pool.query('update taxpayers set notes_take_buyer = true where taxpayer_id = $1', [taxpayerId]);
  // Each instance looks for changes once a second.
  await expect
    .poll(async () => (await service.sign(token, creditNote(deviceId, randomUUID(), 'B-1', cent))).body)
    .toContain(BUYER.BuyerTIN);
  expect((await service.sign(token, note)).headers['idempotent-replay']).toBe('true');
});
