import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestBillpay, type TestBillpay } from '../../../test/support/billpay/billpay.ts';

let billpay: TestBillpay;
let plain: string;
let count = 0;
beforeAll(async () => {
  billpay = await createTestBillpay();
  plain = await billpay.addBiller();
});
afterAll(() => billpay.close());

const pay = async (changes: object = {}) => {
  count += 1;
  const body = { VendorReference: `V-${count}`, BillerCode: plain, MemberNumber: '7', Currency: 'USD', Amount: 5 };
  const answer = await billpay.send('POST', '/api/payment/pay', { ...body, ...changes });
  return answer.json<{ VendorReference: string; BillPayReference: string; PaidAt: string }>();
};
const reverse = (body: object, authorization?: string) =>
  billpay.send('POST', '/api/payment/reverse', body, authorization);

describe('a reversal', () => {
  test('takes a paid payment back, by either reference, and tells the vendor', async () => {
    const { VendorReference, BillPayReference, PaidAt } = await pay();
    const answer = await reverse({ VendorReference, Reason: 'Paid twice' });
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['idempotent-replay']).toBeUndefined();
    const reversed = answer.json<{ ReversedAt: string }>();
    expect(reversed).toMatchObject({ Status: 'Reversed', PaidAt });
    expect(Date.parse(reversed.ReversedAt)).toBeGreaterThanOrEqual(Date.parse(PaidAt));
    const again = await reverse({ BillPayReference });
    expect(again.headers['idempotent-replay']).toBe('true');
    expect(again.body).toBe(answer.body);
    const { rows } = await billpay.pool.query(
      `select type from events where data ->> 'BillPayReference' = $1 order by number`,
      [BillPayReference],
    );
    expect(rows).toEqual([{ type: 'payment.paid' }, { type: 'payment.reversed' }]);
    const status = await billpay.send('GET', `/api/payment/status?billPayReference=${BillPayReference}`);
    expect(status.json()).toMatchObject({
      Transitions: [{ To: 'Paid' }, { From: 'Paid', To: 'Reversed', Cause: 'taken back: Paid twice' }],
    });
  });

  test('happens once, however many ask for it at the same moment', async () => {
    const { VendorReference, BillPayReference } = await pay();
    const answers = await Promise.all(Array.from({ length: 10 }, () => reverse({ VendorReference })));
    expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers['idempotent-replay'] === undefined)).toHaveLength(1);
    const { rows } = await billpay.pool.query(
      `select type from events where data ->> 'BillPayReference' = $1 and type = 'payment.reversed'`,
      [BillPayReference],
    );
    expect(rows).toHaveLength(1);
  });

  test('of what is not there, or is not yours, is 404', async () => {
    const { VendorReference, BillPayReference } = await pay();
    const stranger = `Bearer ${(await billpay.addVendor()).token}`;
    expect((await reverse({ VendorReference }, stranger)).statusCode).toBe(404);
    expect((await reverse({ BillPayReference }, stranger)).statusCode).toBe(404);
    expect((await reverse({ VendorReference: 'NONE' })).statusCode).toBe(404);
  });

  test('that names no payment or two is an error', async () => {
    for (const body of [{}, { VendorReference: 'A', BillPayReference: 'B' }]) {
      const answer = await reverse(body);
      expect(answer.statusCode).toBe(400);
      expect(answer.json<{ errors: object[] }>().errors).toMatchObject([{ Field: 'VendorReference' }]);
    }
  });

  test('by an operator is in the audit log', async () => {
    const { BillPayReference } = await pay();
    const answer = await billpay.admin('POST', `/payments/${BillPayReference}/reverse`, { Reason: 'Asked by phone' });
    expect(answer.json()).toMatchObject({ Status: 'Reversed' });
    const again = await billpay.admin('POST', `/payments/${BillPayReference}/reverse`, { Reason: 'Asked by phone' });
    expect(again.headers['idempotent-replay']).toBe('true');
    const audit = await billpay.admin('GET', `/audit?Subject=payment%20${BillPayReference}`);
    expect(audit.json<{ Entries: object[] }>().Entries).toMatchObject([
      { Action: 'payment.reversed', After: { Status: 'Reversed', Reason: 'Asked by phone' } },
    ]);
  });
});

describe('the list', () => {
  interface Page {
    readonly Payments: { VendorReference: string; Status: string; MemberNumber: string }[];
    readonly NextCursor: string | null;
  }
  const list = async (query: string) => (await billpay.send('GET', `/api/payment/list?${query}`)).json<Page>();

  test('goes through all of them, newest first, each once', async () => {
    const member = 'LISTED';
    const made: string[] = [];
    for (let paid = 0; paid < 7; paid += 1) made.push((await pay({ MemberNumber: member })).VendorReference);
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: Page = await list(`MemberNumber=${member}&Limit=3${cursor && `&Cursor=${cursor}`}`);
      seen.push(...page.Payments.map(({ VendorReference }) => VendorReference));
      cursor = page.NextCursor;
    }
    expect(seen).toEqual(made.toReversed());
  });

  test('filters by biller, status, currency, member and time', async () => {
    const { VendorReference } = await pay({ MemberNumber: 'F', Currency: 'ZWG' });
    await reverse({ VendorReference });
    const at = encodeURIComponent(billpay.now.toISOString());
    const found = async (query: string) => (await list(`MemberNumber=F&${query}`)).Payments.length;
    expect(await found(`BillerCode=${plain}&Status=Reversed&Currency=ZIG&From=${at}`)).toBe(1);
    expect(await found('BillerCode=OTHER')).toBe(0);
    expect(await found('Status=Paid')).toBe(0);
    expect(await found('Currency=USD')).toBe(0);
    expect(await found(`To=${at}`)).toBe(0);
    expect((await billpay.send('GET', '/api/payment/list?From=yesterday')).statusCode).toBe(400);
    expect((await billpay.send('GET', '/api/payment/list?To=2026-02-31T00:00:00Z')).statusCode).toBe(400);
    expect((await billpay.send('GET', '/api/payment/list?Cursor=abc')).statusCode).toBe(400);
  });

  test('finds references by how they begin, letter by letter', async () => {
    const stranger = await billpay.addVendor();
    for (const VendorReference of ['RB_1', 'RB_10', 'RBX1', 'RB%1', 'XRB_1']) await pay({ VendorReference });
    const found = async (text: string) =>
      (await list(`VendorReferenceStarts=${encodeURIComponent(text)}`)).Payments.map(
        (payment) => payment.VendorReference,
      );
    expect(await found('RB_')).toEqual(['RB_10', 'RB_1']);
    expect(await found('RB%')).toEqual(['RB%1']);
    expect(await found('rb')).toEqual([]);
    const first = await list('VendorReferenceStarts=RB&Limit=3');
    const second = await list(`VendorReferenceStarts=RB&Limit=3&Cursor=${first.NextCursor}`);
    const both = [...first.Payments, ...second.Payments].map((payment) => payment.VendorReference);
    expect(both).toEqual(['RB%1', 'RBX1', 'RB_10', 'RB_1']);
    const path = '/api/payment/list?VendorReferenceStarts=RB';
    const theirs = await billpay.send('GET', path, undefined, `Bearer ${stranger.token}`);
    expect(theirs.json()).toEqual({ Payments: [], NextCursor: null });
  });

  test("shows nobody another vendor's payments, and operators all of them", async () => {
    const stranger = await billpay.addVendor();
    const theirs = await billpay.send('GET', '/api/payment/list', undefined, `Bearer ${stranger.token}`);
    expect(theirs.json()).toEqual({ Payments: [], NextCursor: null });
    billpay.now = new Date(billpay.now.getTime() + 1000);
    const { VendorReference } = await pay();
    const all = await billpay.admin('GET', '/payments?Limit=1');
    expect(all.json()).toMatchObject({
      Payments: [{ VendorCode: billpay.vendor.vendorCode, Payment: { VendorReference } }],
      NextCursor: expect.any(String),
    });
    const { NextCursor } = all.json<Page>();
    const next = await billpay.admin('GET', `/payments?Limit=1&Cursor=${NextCursor}`);
    expect(next.body).not.toContain(`"${VendorReference}"`);
    const crossed = await billpay.send('GET', `/api/payment/list?Cursor=${NextCursor}`);
    expect(crossed.statusCode).toBe(400);
  });
});
