import type { Pool } from 'pg';
import { addTaxpayer, issueToken } from '../../../src/fiscal/index.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { inTransaction } from '../../../src/platform/database/database.ts';
import type { MasterKeys } from '../../../src/platform/secrets/master-keys.ts';

export interface BenchShop {
  readonly taxpayerId: string;
  readonly token: string;
  readonly tin: string;
}

/** A taxpayer with a token for its tills. */
export async function addShop(pool: Pool, masterKeys: MasterKeys, tin: string): Promise<BenchShop> {
  const taxpayerId = newId();
  return inTransaction(pool, async (tx) => {
    await addTaxpayer(tx, masterKeys, { taxpayerId, name: 'Test shop', tin, vatNumber: '220000001' });
    const { token } = await issueToken(tx, { taxpayerId, name: 'till', scopes: ['sign', 'read'] });
    return { taxpayerId, token, tin };
  });
}

/** A token for an operator of the whole installation. */
export async function addOperator(pool: Pool): Promise<string> {
  const { token } = await issueToken(pool, { taxpayerId: null, name: 'operator', scopes: ['admin'] });
  return token;
}
