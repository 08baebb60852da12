import type { Pool } from 'pg';
import { addBiller, addVendor, changeVisibility } from '../../../src/billpay/index.ts';
import type { Tenant } from '../../../src/console/index.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { inTransaction } from '../../../src/platform/database/database.ts';
import type { MasterKeys } from '../../../src/platform/secrets/master-keys.ts';
import { issueToken } from '../../../src/platform/tokens/issue-token.ts';
import { BILLER } from '../../../test/support/billpay/billpay.ts';
import { makeShop } from '../../../test/support/local-shop.ts';

/** The tables of what is attacked. */
export interface Installation {
  readonly pool: Pool;
  readonly masterKeys: MasterKeys;
  readonly now: Date;
}

/** One of each kind, and tokens of a till and of a vendor's app that may do everything. */
export interface Tenants {
  readonly taxpayerId: string;
  readonly vendorId: string;
  readonly vendorCode: string;
  readonly billerCode: string;
  readonly practiceId: string;
  readonly till: string;
  readonly app: string;
}

/** Each has the word for its name. The vendor sees the biller, and the practice looks after the taxpayer. */
export async function makeTenants({ pool, masterKeys, now }: Installation, word: string): Promise<Tenants> {
  const { taxpayerId, token: till } = await makeShop(pool, masterKeys, { name: word });
  const [vendorId, practiceId, code] = [newId(), newId(), word.toUpperCase()];
  await pool.query('insert into practices (practice_id, name) values ($1, $2)', [practiceId, word]);
  await pool.query('insert into practice_taxpayers (practice_id, taxpayer_id) values ($1, $2)', [
    practiceId,
    taxpayerId,
  ]);
  const app = await inTransaction(pool, async (tx) => {
    await addVendor(tx, masterKeys, { vendorId, vendorCode: code, name: word }, now);
    await addBiller(tx, { ...BILLER, Code: code, Name: word, AllowFeed: true }, now);
    await changeVisibility(tx, vendorId, code, true, now);
    return issueToken(tx, { vendorId, name: word, scopes: ['pay', 'read', 'endpoints'] });
  });
  return { taxpayerId, vendorId, vendorCode: code, billerCode: code, practiceId, till, app: app.token };
}

/** As people act for them. */
export function tenantOf(tenants: Tenants, kind: Exclude<Tenant['kind'], 'installation'>): Tenant {
  const { taxpayerId, vendorId, billerCode, practiceId } = tenants;
  return { kind, id: { taxpayer: taxpayerId, vendor: vendorId, biller: billerCode, practice: practiceId }[kind] };
}
