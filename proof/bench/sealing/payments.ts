import type { Pool } from 'pg';
import { addBiller, addVendor, changeVisibility } from '../../../src/billpay/index.ts';
import { PLAIN_BILLER } from '../../../src/contract/billpay/plain-biller.ts';
import { decimal } from '../../../src/kernel/decimal.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { inTransaction } from '../../../src/platform/database/database.ts';
import { singleMasterKey } from '../../../src/platform/secrets/master-keys.ts';
import { issueToken } from '../../../src/platform/tokens/issue-token.ts';

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

/** A vendor whose app pays one biller: every payment of the run waits for the same biller's clock. */
export async function makeVendor(pool: Pool, masterKey: Buffer): Promise<{ readonly token: string }> {
  const now = new Date();
  return inTransaction(pool, async (tx) => {
    const vendorId = newId();
    await addVendor(tx, singleMasterKey(masterKey), { vendorId, vendorCode: 'BENCH', name: 'Bench' }, now);
    await addBiller(tx, BILLER, now);
    await changeVisibility(tx, vendorId, BILLER.Code, true, now);
    const { token } = await issueToken(tx, { vendorId, name: 'app', scopes: ['pay'] });
    return { token };
  });
}

/** What a mobile wallet sends: two units of a product, with a fee and some metadata, about 300 bytes. */
export function paymentBody(reference: string): string {
  return `{"VendorReference":"${reference}",${CONTENT}`;
}

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
export async function countLostPayments(pool: Pool, answered: number): Promise<number> {
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
