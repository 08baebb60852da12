import type { Transaction } from '../../platform/database/database.ts';
import { createDataKey } from '../../platform/secrets/data-keys.ts';
import type { MasterKeys } from '../../platform/secrets/master-keys.ts';
import { insertTaxpayer, type NewTaxpayer } from './store.ts';

/** Adds a taxpayer together with the data key that will protect its secrets. */
export async function addTaxpayer(tx: Transaction, masterKeys: MasterKeys, taxpayer: NewTaxpayer): Promise<void> {
  await insertTaxpayer(tx, taxpayer);
  await createDataKey(tx, masterKeys, taxpayer.taxpayerId);
}
