import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createTestBillpay, type TestBillpay } from '../../../test/support/billpay/billpay.ts';
import { BookBiller } from '../../../test/support/billpay/book-biller.ts';
import { createConnectors, offlineConnector } from '../connectors/registry.ts';

const DEADLINE_MS = 100;
/** Late also on a machine that is busy with other things. */
const LATE_MS = 2000;

let count = 0;
const payment = (BillerCode: string, MemberNumber: string) => {
  count += 1;
  return { VendorReference: `V-${count}`, BillerCode, MemberNumber, Currency: 'USD', Amount: 7 };
};

const stage = (billpay: TestBillpay) => {
  const statusOf = async (reference: string) =>
    (await billpay.send('GET', `/api/payment/status?vendorReference=${reference}`)).json<{
      Status: string;
      Narration: string | null;
      BillPayReference: string;
      Transitions: { From: string | null; To: string; Cause: string }[];
    }>();
  return {
    pay: (body: object) => billpay.send('POST', '/api/payment/pay', body),
    auth: (body: object) => billpay.send('POST', '/api/payment/auth', body),
    reverse: (body: object) => billpay.send('POST', '/api/payment/reverse', body),
    statusOf,
    untilStatus: async (reference: string, status: string) => {
      await vi.waitFor(async () => expect((await statusOf(reference)).Status).toBe(status), {
        timeout: 50_000,
        interval: 20,
      });
      return statusOf(reference);
    },
    pass: (seconds: number) => {
      billpay.now = new Date(billpay.now.getTime() + seconds * 1000);
    },
  };
};

describe('the test connector makes trouble on demand', () => {
  let billpay: TestBillpay;
  let test1: string;
  let at: ReturnType<typeof stage>;
  beforeAll(async () => {
    const connectors = createConnectors({ clock: () => billpay.now, lateMs: LATE_MS, pendingMs: 5000 });
    billpay = await createTestBillpay({ billerDeadlineMs: DEADLINE_MS, connectors });
    test1 = await billpay.addBiller({ Connector: 'Test' });
    at = stage(billpay);
    billpay.service.startWorkers();
  });
  afterAll(() => billpay.close());

  test('no prefix: paid, by way of BeingPaid', async () => {
    const body = payment(test1, '1001');
    expect((await at.pay(body)).json()).toMatchObject({ Status: 'Paid', Narration: null });
    const { Transitions } = await at.statusOf(body.VendorReference);
    expect(Transitions.map(({ From, To }) => [From, To])).toEqual([
      [null, 'BeingPaid'],
      ['BeingPaid', 'Paid'],
    ]);
  });

  test('AF: the authorisation is refused at the member number, and nothing is recorded', async () => {
    for (const ask of [at.auth, at.pay]) {
      const body = payment(test1, 'AF-1');
      const answer = await ask(body);
      expect(answer.statusCode).toBe(400);
      expect(answer.json()).toMatchObject({ errors: [{ Field: 'MemberNumber', Code: 'MemberRefused' }] });
      const status = await billpay.send('GET', `/api/payment/status?vendorReference=${body.VendorReference}`);
      expect(status.statusCode).toBe(404);
    }
  });

  test('AT: an authorisation that comes too late is 503 with Retry-After, and nothing is recorded', async () => {
    const body = payment(test1, 'AT-1');
    const answer = await at.pay(body);
    expect(answer.statusCode).toBe(503);
    expect(answer.headers['retry-after']).toBeDefined();
    const status = await billpay.send('GET', `/api/payment/status?vendorReference=${body.VendorReference}`);
    expect(status.statusCode).toBe(404);
  });

  test('PF: the payment fails with its reason, and stays failed', async () => {
    const body = payment(test1, 'PF-1');
    const failed = await at.pay(body);
    expect(failed.statusCode).toBe(200);
    expect(failed.json()).toMatchObject({
      Status: 'Failed',
      Narration: 'The biller did not take the payment.',
      PaidAt: null,
    });
    const again = await at.pay(body);
    expect(again.headers['idempotent-replay']).toBe('true');
    expect(again.json()).toMatchObject({ Status: 'Failed' });
  });

  test('PFF: the payment is flagged, an operator is told, and settles it', async () => {
    const body = payment(test1, 'PFF-1');
    const { BillPayReference } = (await at.pay(body)).json<{ BillPayReference: string }>();
    expect(await at.statusOf(body.VendorReference)).toMatchObject({ Status: 'Flagged' });
    const openAlerts = async () =>
      (await billpay.admin('GET', '/alerts')).json<{ Alerts: { Kind: string; Subject: string }[] }>().Alerts;
    expect(await openAlerts()).toMatchObject([{ Kind: 'PaymentFlagged', Subject: BillPayReference }]);
    const settle = { Outcome: 'Paid', Reason: 'Confirmed by telephone' };
    const settled = await billpay.admin('POST', `/payments/${BillPayReference}/settle`, settle);
    expect(settled.json()).toMatchObject({ Status: 'Paid', Narration: 'Confirmed by telephone' });
    expect(await openAlerts()).toEqual([]);
    const audit = await billpay.admin('GET', `/audit?Subject=payment%20${BillPayReference}`);
    expect(audit.json()).toMatchObject({
      Entries: [{ Action: 'payment.settled', Before: { Status: 'Flagged' }, After: { Status: 'Paid' } }],
    });
    const again = await billpay.admin('POST', `/payments/${BillPayReference}/settle`, { ...settle, Outcome: 'Failed' });
    expect(again.statusCode).toBe(400);
    expect(await at.statusOf(body.VendorReference)).toMatchObject({ Status: 'Paid' });
  });

  test('a vendor reads that a payment failed, was flagged, and what an operator settled it as', async () => {
    const last = (await billpay.send('GET', '/api/events?limit=500')).json<{ LastNumber: number }>().LastNumber;
    const [failing, flagged] = [payment(test1, 'PF-2'), payment(test1, 'PFF-2')];
    await at.pay(failing);
    const { BillPayReference } = (await at.pay(flagged)).json<{ BillPayReference: string }>();
    const settle = { Outcome: 'Failed', Reason: 'The biller never got it' };
    await billpay.admin('POST', `/payments/${BillPayReference}/settle`, settle);
    const { Events } = (await billpay.send('GET', `/api/events?after=${last}`)).json<{ Events: object[] }>();
    const told = (VendorReference: string, fields: object) => ({ VendorReference, BillerCode: test1, ...fields });
    expect(Events).toMatchObject([
      {
        Type: 'payment.failed',
        Data: told(failing.VendorReference, {
          Narration: 'The biller did not take the payment.',
          FailedAt: expect.stringMatching(/Z$/),
        }),
      },
      { Type: 'payment.flagged', Data: told(flagged.VendorReference, { BillPayReference }) },
      { Type: 'payment.failed', Data: told(flagged.VendorReference, { BillPayReference, Narration: settle.Reason }) },
    ]);
  });

  test('PP: it is being paid until the inquiry finds it paid', async () => {
    const body = payment(test1, 'PP-1');
    expect((await at.pay(body)).json()).toMatchObject({ Status: 'BeingPaid', PaidAt: null });
    at.pass(4);
    expect((await at.pay(body)).json()).toMatchObject({ Status: 'BeingPaid' });
    at.pass(10);
    const { Transitions } = await at.untilStatus(body.VendorReference, 'Paid');
    expect(Transitions.at(-1)?.Cause).toBe('the biller was asked what became of it');
  });

  test('one whose lease lies hours ahead, from a clock that was wrong, is asked about all the same', async () => {
    const body = payment(test1, 'PP-2');
    expect((await at.pay(body)).json()).toMatchObject({ Status: 'BeingPaid' });
    const ahead = new Date(billpay.now.getTime() + 3 * 3_600_000);
    await billpay.pool.query("update payments set locked_until = $1 where status = 'BeingPaid'", [ahead]);
    at.pass(14);
    await at.untilStatus(body.VendorReference, 'Paid');
  });

  test('PT: the vendor is answered at the deadline, and the late answer pays', async () => {
    const body = payment(test1, 'PT-1');
    const { VendorReference } = body;
    expect((await at.pay(body)).json()).toMatchObject({ Status: 'BeingPaid' });
    const { Transitions } = await at.untilStatus(VendorReference, 'Paid');
    expect(Transitions.map(({ To }) => To)).toEqual(['BeingPaid', 'Paid']);
  });

  test('an authorised payment is not authorised again when it is paid', async () => {
    const body = payment(test1, '2002');
    expect((await at.auth(body)).json()).toMatchObject({ Status: 'Authorised' });
    expect((await at.pay(body)).json()).toMatchObject({ Status: 'Paid' });
    const { Transitions } = await at.statusOf(body.VendorReference);
    expect(Transitions.map(({ To }) => To)).toEqual(['Authorised', 'BeingPaid', 'Paid']);
  });
});

describe('whatever gets lost on the way, a member is credited once', () => {
  let billpay: TestBillpay;
  let biller: BookBiller;
  let code: string;
  let at: ReturnType<typeof stage>;
  beforeAll(async () => {
    biller = new BookBiller();
    const connectors = { Offline: offlineConnector, Test: biller };
    billpay = await createTestBillpay({ billerDeadlineMs: DEADLINE_MS, connectors });
    code = await billpay.addBiller({ Connector: 'Test' });
    at = stage(billpay);
    billpay.service.startWorkers();
  });
  afterAll(() => billpay.close());
  beforeEach(() => {
    biller.next = 'take';
    biller.takesBack = true;
  });

  test('a payment the biller never got is sent again by the inquiry', async () => {
    const body = payment(code, '1');
    biller.next = 'lose';
    const { BillPayReference, Status } = (await at.pay(body)).json<{ BillPayReference: string; Status: string }>();
    expect(Status).toBe('BeingPaid');
    expect(biller.books.has(BillPayReference)).toBe(false);
    at.pass(30);
    await at.untilStatus(body.VendorReference, 'Paid');
    expect(biller.books.has(BillPayReference)).toBe(true);
    expect(biller.asked.get(BillPayReference)).toBe(2);
  });

  test('a payment whose answer got lost is found, not paid again', async () => {
    const body = payment(code, '2');
    biller.next = 'fail';
    const { BillPayReference } = (await at.pay(body)).json<{ BillPayReference: string }>();
    at.pass(30);
    await at.untilStatus(body.VendorReference, 'Paid');
    expect(biller.asked.get(BillPayReference)).toBe(1);
  });

  test('an answer that comes after the inquiry changes nothing', async () => {
    const body = payment(code, '3');
    biller.next = 'hold';
    const { BillPayReference } = (await at.pay(body)).json<{ BillPayReference: string }>();
    at.pass(30);
    const before = await at.untilStatus(body.VendorReference, 'Paid');
    biller.release();
    // Whatever the late answer writes is written before this next payment is answered: both go through the same desk.
    await at.pay(payment(code, '3'));
    expect(await at.statusOf(body.VendorReference)).toEqual(before);
    const { rows } = await billpay.pool.query(
      "select 1 from events where type = 'payment.paid' and data ->> 'BillPayReference' = $1",
      [BillPayReference],
    );
    expect(rows).toHaveLength(1);
  });

  test('twins at the same moment ask the biller once', async () => {
    const body = payment(code, '4');
    const answers = await Promise.all(Array.from({ length: 10 }, () => at.pay(body)));
    expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
    const references = new Set(answers.map((answer) => answer.json<{ BillPayReference: string }>().BillPayReference));
    expect(references.size).toBe(1);
    expect(biller.asked.get([...references][0] ?? '')).toBe(1);
    await at.untilStatus(body.VendorReference, 'Paid');
  });

  test('what the biller does not take back stays paid', async () => {
    const body = payment(code, '5');
    await at.pay(body);
    biller.takesBack = false;
    const { VendorReference } = body;
    const refused = await at.reverse({ VendorReference });
    expect(refused.statusCode).toBe(409);
    expect(refused.json()).toMatchObject({
      Code: 'NotReversible',
      detail: 'The biller does not reverse the payment: It was passed on already.',
    });
    expect(await at.statusOf(VendorReference)).toMatchObject({ Status: 'Paid' });
    biller.takesBack = true;
    expect((await at.reverse({ VendorReference })).json()).toMatchObject({ Status: 'Reversed' });
  });
});
