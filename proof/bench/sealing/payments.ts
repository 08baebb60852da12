import type { Pool } from 'pg';
import { PLAIN_BILLER } from '../../../src/contract/billpay/plain-biller.ts';
import { decimal } from '../../../src/kernel/decimal.ts';
import type { Question } from '../shared/connection.ts';
import { drive } from '../shared/load.ts';
import { newReference } from '../shared/receipt.ts';
import { progress } from '../shared/run.ts';
import type { Stage } from '../shared/stage.ts';
import { addVendors } from '../shared/vendors.ts';
import { watchingMemory } from './rates.ts';

const WARM_UP_REQUESTS = 8000;
const BILLER = {
  ...PLAIN_BILLER,
  Code: 'BENCH-WATER',
  Name: 'Bench Water',
  Fees: [{ Currency: 'USD', Fixed: decimal('0.25'), Percent: decimal('1') }],
  MemberNumberRegex: '[0-9]{8}',
  Products: [
    { Code: 'KL5', Name: 'Water, 5 kilolitres', Enabled: true, Prices: [{ Currency: 'USD', Price: decimal('5') }] },
  ],
  AllowFeed: true,
};

/** How many payments of one vendor the service takes: every one waits for the same biller's clock. */
export async function measurePayments(stage: Stage, seconds: number) {
  progress('payments: warming up');
  const token = await addVendors(stage, 1, [BILLER]);
  const question = (): Question => {
    const reference = newReference();
    const isRight = (answer: string) => answer.includes(reference) && answer.includes('"Status":"Paid"');
    return { path: '/api/payment/pay', token, body: `{"VendorReference":"${reference}",${CONTENT}`, isRight };
  };
  const { url, signal } = stage;
  const pay = async (requests: number) =>
    stage.count(await drive({ url, signal, questionOf: question, requests: Math.ceil(requests) }), 0);
  const warm = await pay(WARM_UP_REQUESTS);
  progress('payments: measuring');
  const { result, rssMb } = await watchingMemory(stage, () => pay(warm.perSecond * seconds));
  return { ...result, rssMb, lost: await countLostPayments(stage.pool, warm.answered + result.answered) };
}

/** What a mobile wallet sends: two units of a product, with a fee and some metadata, about 300 bytes. */
const CONTENT = JSON.stringify({
  BillerCode: BILLER.Code,
  MemberNumber: '10023456',
  MemberName: 'Tendai Moyo',
  Currency: 'USD',
  Amount: 10,
  Products: [{ Code: 'KL5', Quantity: 2, Price: 5 }],
  PaymentType: 'MobileWallet',
  MetaData: [
    { Key: 'Meter', Value: '0142-77' },
    { Key: 'Phone', Value: '+263771234567' },
  ],
}).slice(1);

/** Payments answered but not in the table, or the other way round; or without their event or transition. */
async function countLostPayments(pool: Pool, answered: number): Promise<number> {
  const { rows } = await pool.query<{ payments: bigint; events: bigint; transitions: bigint }>(
    `select (select count(*) from payments where status = 'Paid') as payments,
            (select count(*) from events where type = 'payment.paid') as events,
            (select count(*) from payment_transitions where to_status = 'Paid') as transitions`,
  );
  const found = rows[0];
  if (found === undefined) throw new Error('nothing was counted');
  const astray = [found.payments, found.events, found.transitions].map((one) => Math.abs(Number(one) - answered));
  return Math.max(...astray);
}
