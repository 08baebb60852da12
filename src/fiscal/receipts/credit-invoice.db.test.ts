import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cookieOf, makePerson, withCookie } from '../../../test/support/people.ts';
import { invoice } from '../../../test/support/receipts/receipts.ts';
import { createTestService, type TestService, type TestTaxpayer } from '../../../test/support/service.ts';

let service: TestService;
let shop: TestTaxpayer;
let deviceId: number;
let other: TestTaxpayer;
const cookies: Record<string, string> = {};

beforeAll(async () => {
  service = await createTestService({ submissionWaitMs: 0 });
  shop = await service.addTaxpayer();
  other = await service.addTaxpayer();
  deviceId = await service.addDevice(shop.taxpayerId);
  for (const [name, taxpayerId, role] of [
    ['rudo.the.clerk.of.the.shop', shop.taxpayerId, 'clerk'],
    ['owner', shop.taxpayerId, 'owner'],
    ['viewer', shop.taxpayerId, 'viewer'],
    ['stranger', other.taxpayerId, 'owner'],
  ] as const) {
    const email = `${name}@example.com`;
    await makePerson(service.pool, email, role, { tenant: { kind: 'taxpayer', id: taxpayerId } });
    cookies[name.split('.', 1)[0] ?? ''] = await cookieOf(service.app, email);
  }
});
afterAll(() => service.close());

/** Signs an invoice; returns its number. */
async function sell(reference: string, changes: object = {}): Promise<number> {
  const signed = await service.sign(shop.token, invoice(deviceId, reference, changes));
  expect(signed.statusCode, signed.body).toBe(200);
  return signed.json().GlobalCounter;
}

const credit = (globalCounter: number, body: object, who = 'rudo', device = deviceId) =>
  withCookie(service.app, cookies[who] ?? '', 'POST', `/api/admin/devices/${device}/receipts/${globalCounter}/credit`, {
    Notes: 'Goods returned',
    ...body,
  });

const line = (Name: string, UnitPrice: number | undefined, Quantity: number, LineTotal: number, rest: object) => ({
  Type: 'Sale',
  Name,
  HsCode: '85160000',
  UnitPrice,
  Quantity,
  LineTotal,
  ...rest,
});

/** Two taxes, tax added to the prices, a discount, a line without a price, in another currency, with a buyer. */
const MIXED = {
  Currency: 'ZWG',
  ReceiptLinesTaxInclusive: false,
  TotalAmount: 123.46,
  ReceiptLines: [
    line('Kettle', 33.33, 3, 99.99, { TaxPercent: 15.5 }),
    line('Rebate', undefined, 1, -10, { Type: 'Discount', TaxPercent: 15.5 }),
    line('Bread', undefined, 3, 19.52, { TaxPercent: 0 }),
  ],
  Taxes: [
    { TaxPercent: 15.5, SalesAmountWithTax: 103.94, TaxAmount: 13.95 },
    { TaxPercent: 0, SalesAmountWithTax: 19.52, TaxAmount: 0 },
  ],
  Payments: [{ Type: 'Card', Amount: 123.46 }],
  BuyerName: 'Baobab',
  BuyerTIN: '2000000042',
};

describe('a credit note by a person', () => {
  test('over all of an invoice mirrors it to the cent, under the name of the person, on the chain of the device', async () => {
    const sold = await sell('MIXED-1', MIXED);
    const answer = await credit(sold, { Reference: 'MIXED-1-CN1' });
    expect(answer.statusCode, answer.body).toBe(200);
    expect(answer.json()).toMatchObject({
      Type: 'CreditNote',
      OriginalReference: 'MIXED-1',
      Notes: 'Goods returned',
      Cashier: 'rudo.the.clerk.of.th',
      Currency: 'ZWG',
      ReceiptLinesTaxInclusive: false,
      TotalAmount: -123.46,
      ReceiptLines: [
        { Type: 'Sale', UnitPrice: -33.33, Quantity: 3, LineTotal: -99.99 },
        { Type: 'Discount', Quantity: 1, LineTotal: 10 },
        { Type: 'Sale', Quantity: 3, LineTotal: -19.52 },
      ],
      Taxes: [
        { TaxPercent: 15.5, SalesAmountWithTax: -103.94, TaxAmount: -13.95 },
        { TaxPercent: 0, SalesAmountWithTax: -19.52, TaxAmount: 0 },
      ],
      Payments: [{ Type: 'Card', Amount: -123.46 }],
      BuyerName: 'Baobab',
      BuyerTIN: '2000000042',
      GlobalCounter: sold + 1,
    });
    const read = await service.get(shop.token, '/api/receipt/MIXED-1-CN1');
    expect(read.json().DeviceSignature).toBe(answer.json().DeviceSignature);
    const detail = await withCookie(
      service.app,
      cookies['viewer'] ?? '',
      'GET',
      `/api/admin/devices/${deviceId}/receipts/${sold}`,
    );
    expect(detail.json().Notes).toMatchObject([{ Reference: 'MIXED-1-CN1', TotalAmount: -123.46 }]);
  });

  test('takes quantities of lines; what does not come to whole cents is rounded down', async () => {
    const sold = await sell('MIXED-2', MIXED);
    const part = (number: number, ReceiptLines: object[]) =>
      credit(sold, { Reference: `MIXED-2-CN${number}`, PaymentType: 'Cash', ReceiptLines });
    const first = await part(1, [
      { Line: 3, Quantity: 1 },
      { Line: 1, Quantity: 2 },
    ]);
    expect(first.json()).toMatchObject({
      ReceiptLines: [
        { Name: 'Bread', Quantity: 1, LineTotal: -6.5, UnitPrice: null },
        { Name: 'Kettle', Quantity: 2, LineTotal: -66.66, UnitPrice: -33.33 },
      ],
      Taxes: [
        { TaxPercent: 0, SalesAmountWithTax: -6.5, TaxAmount: 0 },
        { TaxPercent: 15.5, SalesAmountWithTax: -76.99, TaxAmount: -10.33 },
      ],
      TotalAmount: -83.49,
      Payments: [{ Type: 'Cash', Amount: -83.49 }],
    });
    const tooMuch = await part(2, [{ Line: 1 }]);
    expect(tooMuch.json().errors).toMatchObject([
      {
        Field: 'ReceiptLines',
        Code: 'RCPT035',
        Message:
          'at most 39.97 of MIXED-2 can still be credited: TotalAmount must be between -39.97 and 0; these lines come to -115.49: credit fewer of them, or smaller quantities',
      },
    ]);
    expect((await part(2, [{ Line: 3, Quantity: 2 }])).json().TotalAmount).toBe(-13.01);
  });

  test('asked for again gets the same note, also later and by somebody else; another wish under its reference is refused', async () => {
    const sold = await sell('AGAIN');
    const first = await credit(sold, { Reference: 'AGAIN-CN1' });
    service.now = new Date(service.now.getTime() + 60_000);
    for (const who of ['rudo', 'owner']) {
      const again = await credit(sold, { Reference: 'AGAIN-CN1' }, who);
      expect([again.statusCode, again.headers['idempotent-replay']]).toEqual([200, 'true']);
      expect(again.json().DeviceSignature).toBe(first.json().DeviceSignature);
    }
    const different = await credit(sold, { Reference: 'AGAIN-CN1', Notes: 'Something else' });
    expect(different.json()).toMatchObject({ Code: 'ReferenceConflict', errors: [{ Field: 'Notes' }] });
  });

  test('asked for twice at once is one note; under two references only one of them finds enough left', async () => {
    const [same, two] = [await sell('ONCE-1'), await sell('ONCE-2')];
    const twins = await Promise.all([1, 2, 3].map(() => credit(same, { Reference: 'ONCE-1-CN1' })));
    expect(new Set(twins.map((answer) => answer.json().GlobalCounter)).size).toBe(1);
    const rivals = await Promise.all(['A', 'B'].map((name) => credit(two, { Reference: `ONCE-2-${name}` })));
    expect(new Set(rivals.map(({ statusCode }) => statusCode))).toEqual(new Set([200, 400]));
    expect(rivals.find(({ statusCode }) => statusCode === 400)?.json().errors).toMatchObject([
      {
        Field: 'ReceiptLines',
        Code: 'RCPT035',
        Message: expect.stringContaining('nothing of ONCE-2 is left to credit'),
      },
    ]);
  });

  test('is refused with what is wrong with each line, and with anything but an invoice', async () => {
    const sold = await sell('WRONG');
    const wrong = await credit(sold, {
      Reference: 'WRONG-CN1',
      ReceiptLines: [{ Line: 1, Quantity: 2 }, { Line: 1 }, { Line: 7 }],
    });
    expect(wrong.json().errors).toEqual([
      {
        Field: 'ReceiptLines[0].Quantity',
        Code: 'OutOfRange',
        Message: 'line 1 (Kettle) has 1: credit at most that',
      },
      {
        Field: 'ReceiptLines[1].Line',
        Code: 'Duplicate',
        Message: 'line 1 is chosen twice: choose it once, with all that is to be credited of it',
      },
      { Field: 'ReceiptLines[2].Line', Code: 'OutOfRange', Message: 'the invoice has no line 7: choose 1 to 1' },
    ]);
    const note = await credit(sold, { Reference: 'WRONG-CN1' });
    const ofNote = await credit(note.json().GlobalCounter, { Reference: 'WRONG-CN2' });
    expect(ofNote.json().errors).toEqual([
      { Field: 'globalCounter', Code: 'RCPT032', Message: 'WRONG-CN1 is a CreditNote: choose the invoice' },
    ]);
  });

  test('is signed by another device where that is asked for, and never by one of another taxpayer', async () => {
    const sold = await sell('ELSEWHERE');
    const theirs = await service.addDevice(other.taxpayerId);
    const foreign = await credit(sold, { Reference: 'ELSEWHERE-CN1', AuthorityDeviceId: theirs });
    expect(foreign.json().errors).toMatchObject([{ Field: 'AuthorityDeviceId', Code: 'DeviceUnknown' }]);
    const second = await service.addDevice(shop.taxpayerId);
    const signed = await credit(sold, { Reference: 'ELSEWHERE-CN1', AuthorityDeviceId: second });
    expect(signed.json()).toMatchObject({ AuthorityDeviceId: second, GlobalCounter: 1 });
  });

  test('is for clerks and owners of its taxpayer, and for whoever may issue a token that signs', async () => {
    const sold = await sell('WHO');
    expect((await credit(sold, { Reference: 'WHO-CN1' }, 'viewer')).statusCode).toBe(403);
    expect((await credit(sold, { Reference: 'WHO-CN1' }, 'stranger')).statusCode).toBe(404);
    expect((await credit(99_999, { Reference: 'WHO-CN1' })).statusCode).toBe(404);
    await makePerson(service.pool, 'admin@example.com', 'admin');
    cookies['admin'] = await cookieOf(service.app, 'admin@example.com');
    await service.pool.query('update taxpayers set suspended_at = now() where taxpayer_id = $1', [shop.taxpayerId]);
    for (const who of ['owner', 'admin']) {
      const refused = await credit(sold, { Reference: 'WHO-CN1' }, who);
      expect([refused.statusCode, refused.json().detail]).toEqual([403, expect.stringContaining('suspended')]);
    }
    await service.pool.query('update taxpayers set suspended_at = null where taxpayer_id = $1', [shop.taxpayerId]);
    expect((await credit(sold, { Reference: 'WHO-CN1' }, 'admin')).json().Cashier).toBe('admin');
    const { rows } = await service.pool.query(
      `select actor from audit_log where action = 'receipt.credit-requested' and subject = 'receipt WHO'`,
    );
    expect(rows).toEqual([{ actor: 'admin@example.com' }]);
  });
});
