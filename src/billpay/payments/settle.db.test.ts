import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestBillpay, type TestBillpay } from '../../../test/support/billpay/billpay.ts';
import { PAYMENT_STATES, type PaymentState } from '../../contract/billpay/payment.ts';
import { decimal } from '../../kernel/decimal.ts';
import { inTransaction } from '../../platform/database/database.ts';
import { createConnectors } from '../connectors/registry.ts';
import type { Payment, PaymentRequest } from '../core/payment.ts';
import { mayBecome } from '../core/payment-state.ts';
import { type Admission, admitPayments } from './admit-payments.ts';
import { type Change, settlePayments } from './settle.ts';

let billpay: TestBillpay;
let offline: string;
let online: string;
beforeAll(async () => {
  billpay = await createTestBillpay({ billerDeadlineMs: 20 });
  const target = { TargetAmount: decimal('1000') };
  offline = await billpay.addBiller(target);
  online = await billpay.addBiller({ Connector: 'Test', ...target });
});
afterAll(() => billpay.close());

const clock = () => billpay.now;
let count = 0;
const admission = (changes: Partial<PaymentRequest> = {}): Admission => {
  count += 1;
  const request: PaymentRequest = {
    vendorReference: `S-${count}`,
    billerCode: online,
    memberNumber: '1',
    memberName: undefined,
    currency: 'USD',
    amount: decimal('2'),
    products: [],
    paymentType: 'Cash',
    metaData: [],
    ...changes,
  };
  return { vendorId: billpay.vendor.vendorId, wants: 'payment', request, isAuthorised: true };
};
const admit = (admissions: readonly Admission[]) => {
  const connectors = createConnectors({ clock, lateMs: 0, pendingMs: 0 });
  return inTransaction(billpay.pool, (tx) =>
    admitPayments(tx, { clock, connectors, inquireAfterMs: 1000 }, admissions),
  );
};
const settle = (changes: readonly Change[]) => inTransaction(billpay.pool, (tx) => settlePayments(tx, clock, changes));
const changeOf = ({ vendorId, paymentId, billerCode }: Payment, to: PaymentState): Change => ({
  vendorId,
  paymentId,
  billerCode,
  to,
  cause: 'test',
});
const recorded = async (changes: Partial<PaymentRequest> = {}): Promise<Payment> => {
  const [admitted] = await admit([admission(changes)]);
  if (admitted?.kind !== 'recorded') throw new Error('the payment was not recorded');
  return admitted.payment;
};

describe('a transaction whose answer got lost is run again', () => {
  test('and finds the payments it had recorded', async () => {
    const batch = [admission(), admission({ billerCode: offline }), admission()];
    const first = await admit(batch);
    expect(first.map(({ kind }) => kind)).toEqual(['recorded', 'recorded', 'recorded']);
    const again = await admit(batch);
    expect(again.map(({ kind }) => kind)).toEqual(['replayed', 'replayed', 'replayed']);
    expect(first).toMatchObject(again.map((one) => ({ ...one, kind: 'recorded' })));
  });

  test('and changes nothing that it had changed', async () => {
    const payment = await recorded();
    const [first] = await settle([changeOf(payment, 'Paid')]);
    expect(first).toMatchObject({ kind: 'changed', payment: { status: 'Paid' } });
    const [again] = await settle([changeOf(payment, 'Paid')]);
    expect(again).toEqual({ ...first, kind: 'unchanged' });
  });
});

test('only the ways of payment-state.ts lead from one state to another', async () => {
  const waysTo: Readonly<Record<PaymentState, readonly PaymentState[]>> = {
    Authorised: [],
    BeingPaid: [],
    Paid: ['Paid'],
    Failed: ['Failed'],
    Flagged: ['Flagged'],
    Reversed: ['Paid', 'Reversed'],
  };
  for (const from of PAYMENT_STATES.filter((state) => state !== 'Authorised')) {
    for (const to of PAYMENT_STATES) {
      const payment = await recorded();
      for (const step of waysTo[from]) await settle([changeOf(payment, step)]);
      const [changed] = await settle([
        { ...changeOf(payment, to), nextAttemptAt: to === 'BeingPaid' ? clock() : undefined },
      ]);
      expect(changed?.kind, `${from} to ${to}`).toBe(mayBecome(from, to) ? 'changed' : 'unchanged');
    }
  }
});

test('two changes of one payment in a batch come one after the other', async () => {
  const payment = await recorded();
  const changed = await settle([changeOf(payment, 'Paid'), changeOf(payment, 'Reversed')]);
  expect(changed.map(({ kind }) => kind)).toEqual(['changed', 'again']);
});

test('whatever comes at the same moment, every payment goes an allowed way, and is told and counted once', async () => {
  const prefixes = ['', 'PF', 'PFF', 'PP', 'PT', 'AF'];
  const bodies = Array.from({ length: 30 }, (_, index) => ({
    VendorReference: `CHAOS-${index}`,
    BillerCode: index % 3 === 0 ? offline : online,
    MemberNumber: `${prefixes[index % prefixes.length]}-${index % 7}`,
    Currency: 'USD',
    Amount: 1 + index,
  }));
  const send = (path: string, body: object) => billpay.send('POST', `/api/payment/${path}`, body);
  for (let round = 0; round < 3; round += 1) {
    const references = await billpay.pool.query<{ reference: string }>(
      `select bill_pay_reference as reference from payments where vendor_reference like 'CHAOS-%'`,
    );
    const byHand = references.rows.flatMap(({ reference }, index) =>
      ['Paid', 'Failed'].map((Outcome) =>
        billpay.admin('POST', `/payments/${reference}/settle`, { Outcome, Reason: `round ${index}` }),
      ),
    );
    const answers = await Promise.all([
      ...byHand,
      ...bodies.flatMap((body, index) => [
        send(index % 2 === 0 ? 'auth' : 'pay', body),
        send('pay', body),
        ...(round > 0 && index % 2 === 0
          ? [
              send('reverse', { VendorReference: body.VendorReference }),
              send('reverse', { VendorReference: body.VendorReference }),
            ]
          : []),
      ]),
    ]);
    expect(answers.filter(({ statusCode }) => statusCode >= 500).map(({ body }) => body)).toEqual([]);
  }
  await expectConsistent();
});

/** Looks at everything the database holds: states, histories, moments, events and figures agree. */
async function expectConsistent(): Promise<void> {
  const { rows } = await billpay.pool.query<{
    status: PaymentState;
    path: (PaymentState | null)[];
    ends: PaymentState[];
  }>(
    `select p.status, array_agg(t.from_status order by t.number) as path, array_agg(t.to_status order by t.number) as ends
       from payments p join payment_transitions t using (vendor_id, payment_id) group by p.vendor_id, p.payment_id, p.status`,
  );
  expect(rows.length).toBeGreaterThan(20);
  for (const { status, path, ends } of rows) {
    expect(path).toEqual([null, ...ends.slice(0, -1)]);
    expect(ends.at(-1)).toBe(status);
    for (const [index, to] of ends.entries()) {
      const from = path[index];
      if (from) expect(mayBecome(from, to), `${from} to ${to}`).toBe(true);
    }
  }
  const { rows: figures } = await billpay.pool.query(
    `select not exists (
              (select t.to_status, p.bill_pay_reference, t.at
                 from payment_transitions t join payments p using (vendor_id, payment_id)
                where t.to_status in ('Paid', 'Failed', 'Flagged', 'Reversed')
               except all
               select initcap(substr(type, 9)), data->>'BillPayReference', at from events)
              union all
              (select initcap(substr(type, 9)), data->>'BillPayReference', at from events where type like 'payment.%'
               except all
               select t.to_status, p.bill_pay_reference, t.at
                 from payment_transitions t join payments p using (vendor_id, payment_id))) as every_end_told_once,
            (select count(distinct (biller_code, paid_at)) = count(*) from payments where paid_at is not null) as moments_unique,
            (select sum(amount) from payments where status = 'Paid')
              = (select sum(amount) from target_totals where currency = 'USD') as counted_once,
            (select count(*) from alerts where cleared_at is null)
              = (select count(*) from payments where status = 'Flagged') as alerts_open`,
  );
  expect(figures).toEqual([{ every_end_told_once: true, moments_unique: true, counted_once: true, alerts_open: true }]);
}
