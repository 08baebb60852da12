import { createDataKey } from '../../platform/data-keys.ts';
import type { Transaction } from '../../platform/database.ts';
import type { MasterKeys } from '../../platform/master-keys.ts';
import { insertTaxpayer, type NewTaxpayer } from './store.ts';

/** Adds a taxpayer together with the data key that will protect its secrets. */
export async function addTaxpayer(tx: Transaction, masterKeys: MasterKeys, taxpayer: NewTaxpayer): Promise<void> {
  await insertTaxpayer(tx, taxpayer);
  await createDataKey(tx, masterKeys, taxpayer.taxpayerId);
}
