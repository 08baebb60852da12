import { addBiller, addVendor, changeVisibility } from '../../../src/billpay/index.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { inTransaction } from '../../../src/platform/database/database.ts';
import { singleMasterKey } from '../../../src/platform/secrets/master-keys.ts';
import { issueToken } from '../../../src/platform/tokens/issue-token.ts';
import type { Stage } from './stage.ts';

/** Vendors that all see these billers. Resolves with a token of the first. */
export async function addVendors(
  { pool, masterKey }: Stage,
  count: number,
  billers: readonly Parameters<typeof addBiller>[1][],
): Promise<string> {
  const vendorIds = Array.from({ length: count }, () => newId());
  const now = new Date();
  return inTransaction(pool, async (tx) => {
    for (const [place, vendorId] of vendorIds.entries()) {
      const vendor = { vendorId, vendorCode: `BENCH-${place + 1}`, name: 'Bench' };
      await addVendor(tx, singleMasterKey(masterKey), vendor, now);
    }
    for (const biller of billers) {
      await addBiller(tx, biller, now);
      for (const vendorId of vendorIds) await changeVisibility(tx, vendorId, biller.Code, true, now);
    }
    const [vendorId = ''] = vendorIds;
    return (await issueToken(tx, { vendorId, name: 'app', scopes: ['pay', 'read'] })).token;
  });
}
