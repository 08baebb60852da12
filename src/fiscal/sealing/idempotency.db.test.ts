import { expect, test } from 'vitest';
import { headOf } from '../../../test/support/receipts/chain.ts';
import { invoice } from '../../../test/support/receipts/receipts.ts';
import { serviceOfFile } from '../../../test/support/service.ts';
import { addToken, codeOf, errorsOf, openShop, plainReceipt } from '../../../test/support/shop.ts';

const service = await serviceOfFile();
const shop = await openShop(service);

/** Signs both, and expects the second to be a replay that consumed nothing. */
async function expectReplay(first: object | string, second: object | string, token = shop.token, again = token) {
  const sealed = await service.sign(token, first);
  expect(sealed.statusCode, sealed.body).toBe(200);
  expect(sealed.headers).not.toHaveProperty('idempotent-replay');
  const head = await headOf(service.pool, shop.deviceId);
  const replay = await service.sign(again, second);
  expect(replay.statusCode, replay.body).toBe(200);
  expect(replay.headers['idempotent-replay']).toBe('true');
  expect(replay.body).toBe(sealed.body);
  expect(await headOf(service.pool, shop.deviceId)).toEqual(head);
}

test('an identical retry is answered with the same bytes and consumes no number', async () => {
  await expectReplay(invoice(shop.deviceId, 'I-1'), invoice(shop.deviceId, 'I-1'));
});

test.each([
  ['10 is 10.00', '10', '10.00'],
  ['1e1 is 10', '1e1', '10'],
  ['0.30 is 0.3', '0.30', '0.3'],
  ['16 digits are compared exactly', '9999999999999999.90', '9999999999999999.9'],
])('numbers are compared by value: %s', async (name, before, after) => {
  await expectReplay(plainReceipt(shop.deviceId, name, before), plainReceipt(shop.deviceId, name, after));
});

test('a difference in the last of seventeen digits is a conflict, not a replay', async () => {
  const sealed = await service.sign(shop.token, plainReceipt(shop.deviceId, 'I-17', '10000000000000000.01'));
  expect(sealed.statusCode, sealed.body).toBe(200);
  const other = await service.sign(shop.token, plainReceipt(shop.deviceId, 'I-17', '10000000000000000.02'));
  expect(other.statusCode).toBe(409);
  expect(errorsOf(other)).toContain('TotalAmount ReferenceConflict');
});

test('ZIG and ZWG are the same currency, and the answer says ZWG', async () => {
  const receipt = (Currency: string) => invoice(shop.deviceId, 'I-2', { Currency });
  await expectReplay(receipt('ZIG'), receipt('ZWG'));
  const stored = await service.get(shop.token, '/api/receipt/I-2');
  expect(stored.json()).toMatchObject({ Currency: 'ZWG' });
});

test('null, absent and the default print form are the same', async () => {
  const nulls = { BuyerName: null, BuyerTIN: null, Cashier: null, OriginalGlobalCounter: null, Notes: null };
  await expectReplay(
    invoice(shop.deviceId, 'I-3', { ...nulls, ReceiptPrintForm: null }),
    invoice(shop.deviceId, 'I-3', { ReceiptPrintForm: 'Receipt48' }),
  );
});

test.each([
  ['local and Z', '2026-11-15T12:00:00', '2026-11-15T10:00:00Z'],
  ['local and an offset', '2026-11-15T12:00:00', '2026-11-15T11:00:00+01:00'],
  ['Z and an offset', '2026-11-15T10:00:00Z', '2026-11-15T04:30:00-05:30'],
  ['a cut fraction and none', '2026-11-15T12:00:00.999', '2026-11-15T12:00:00'],
  ['two fractions of one second', '2026-11-15T10:00:00.001Z', '2026-11-15T12:00:00.999999'],
])('dates are compared as instants: %s', async (name, before, after) => {
  const receipt = (date: string) => invoice(shop.deviceId, `date ${name}`, { Date: date });
  await expectReplay(receipt(before), receipt(after));
});

test('a retry after the date was advanced is a replay, and the signed date sent as if requested is a conflict', async () => {
  const sealed = await service.sign(shop.token, invoice(shop.deviceId, 'I-4'));
  expect(Number(sealed.headers['date-advanced'])).toBeGreaterThan(0);
  const replay = await service.sign(shop.token, invoice(shop.deviceId, 'I-4'));
  expect([replay.statusCode, replay.headers['idempotent-replay']]).toEqual([200, 'true']);
  const { Date: signed } = sealed.json<{ Date: string }>();
  const other = await service.sign(shop.token, invoice(shop.deviceId, 'I-4', { Date: signed }));
  expect([other.statusCode, errorsOf(other)]).toEqual([409, ['Date ReferenceConflict']]);
});

test('a sale that was built again is led to its seal: nothing in the words advises a second one', async () => {
  const reference = 'I-4/again';
  await service.sign(shop.token, invoice(shop.deviceId, reference));
  const detailOf = async (changes: object) => {
    const answer = await service.sign(shop.token, invoice(shop.deviceId, reference, changes));
    expect([answer.statusCode, answer.json<{ Then: string }>().Then]).toEqual([409, 'SetAside']);
    return answer.json<{ detail: string }>().detail;
  };
  const later = { Date: '2026-11-15T12:01:00' };
  expect(await detailOf(later)).toBe(
    'This sale is sealed already, and only its Date differs: read it with GET /api/receipt/I-4%2Fagain. Nothing was signed.',
  );
  const other = await detailOf({ ...later, Cashier: 'Rudo' });
  expect(other).toContain(
    'Date, Cashier. If this is the same sale, it has its seal: read it with GET /api/receipt/I-4%2Fagain.',
  );
  expect(other).not.toMatch(/send a new|another reference/i);
});

test('the cashier that a token puts in does not count: the same content through any token is a replay', async () => {
  const rudo = await addToken(service, { taxpayerId: shop.taxpayerId, defaultCashier: 'Rudo' });
  const tino = await addToken(service, { taxpayerId: shop.taxpayerId, defaultCashier: 'Tino' });
  const receipt = invoice(shop.deviceId, 'I-5', { Cashier: 'Till 4' });
  await expectReplay(receipt, receipt, rudo, tino);
  const other = await service.sign(rudo, { ...receipt, Cashier: 'Rudo' });
  expect([other.statusCode, errorsOf(other)]).toEqual([409, ['Cashier ReferenceConflict']]);
});

test('a conflict names every differing field with both values and consumes nothing', async () => {
  await service.sign(shop.token, invoice(shop.deviceId, 'I-6', { BuyerName: 'Chipo' }));
  const head = await headOf(service.pool, shop.deviceId);
  const other = await service.sign(
    shop.token,
    invoice(shop.deviceId, 'I-6', {
      Currency: 'ZWG',
      Payments: [{ Type: 'Card', Amount: 115.5 }],
      ReceiptLines: [
        {
          Type: 'Sale',
          Name: 'Pot',
          HsCode: '8516',
          UnitPrice: 57.75,
          Quantity: 2,
          LineTotal: 115.5,
          TaxPercent: 15.5,
        },
      ],
    }),
  );
  expect([other.statusCode, codeOf(other)]).toEqual([409, 'ReferenceConflict']);
  const fields = ['Currency', 'ReceiptLines[0].Name', 'ReceiptLines[0].UnitPrice', 'ReceiptLines[0].Quantity'];
  expect(errorsOf(other)).toEqual(
    [...fields, 'Payments[0].Type', 'BuyerName'].map((field) => `${field} ReferenceConflict`),
  );
  expect(other.json<{ errors: { Message: string }[] }>().errors[0]?.Message).toBe('sealed with USD, now ZWG');
  expect(await headOf(service.pool, shop.deviceId)).toEqual(head);
});

test.each([
  ['another device', { AuthorityDeviceId: 999_999 }, 'AuthorityDeviceId'],
  ['more lines', { ReceiptLines: [] }, 'ReceiptLines'],
  ['a sum that does not add up', { TotalAmount: 1 }, 'TotalAmount'],
  ['a currency that does not exist', { Currency: 'XXX' }, 'Currency'],
  ['a date that does not exist', { Date: '2026-02-30T12:00:00' }, 'Date'],
  ['a date in the future', { Date: '2027-11-15T12:00:00' }, 'Date'],
  [
    'a tax the device does not have',
    { Taxes: [{ TaxPercent: 99, SalesAmountWithTax: 1, TaxAmount: 1 }] },
    'Taxes[0].TaxPercent',
  ],
])('a request that breaks a rule on a sealed reference is a conflict, not a 400: %s', async (name, changes, field) => {
  const reference = `rule ${name}`;
  await service.sign(shop.token, invoice(shop.deviceId, reference));
  const other = await service.sign(shop.token, invoice(shop.deviceId, reference, changes));
  expect(other.statusCode, other.body).toBe(409);
  expect(errorsOf(other)).toContain(`${field} ReferenceConflict`);
});

test('the same reference of another taxpayer is another receipt', async () => {
  const other = await openShop(service);
  await service.sign(shop.token, invoice(shop.deviceId, 'I-7'));
  const answer = await service.sign(other.token, invoice(other.deviceId, 'I-7'));
  expect(answer.statusCode).toBe(200);
  expect(answer.headers).not.toHaveProperty('idempotent-replay');
});
