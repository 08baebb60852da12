import { randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import { countOtherwiseWrapped, rewrapDataKeys } from '../platform/data-keys.ts';
import { inTransaction } from '../platform/database.ts';
import { type MasterKeys, registerCurrent, retireOtherKeys } from '../platform/master-keys.ts';
import { KEY_BYTES } from '../platform/secrets.ts';
import { recordAudit } from './audit.ts';

const MOST_PER_CALL = 200;

export type RotationOutcome =
  | { readonly kind: 'moved'; readonly rewrapped: number; readonly remaining: number }
  | { readonly kind: 'needs-new-key' };

/**
 * One step of a rotation of the master key, to be called until nothing remains. Sealing goes on meanwhile: both keys open
 * what they wrapped. Killed anywhere, the next call goes on: the new key is on disk and known to the database before
 * anything is wrapped with it, each step is a transaction, and the old key is forgotten only when nothing needs it.
 *
 * Where the keys are given from outside (MASTER_KEY, MASTER_KEY_FILE), the operator puts the new one first on every
 * instance; making one here would leave the other instances without it.
 */
export async function rotateMasterKey(pool: Pool, masterKeys: MasterKeys, actor: string): Promise<RotationOutcome> {
  if ((await countOtherwiseWrapped(pool, masterKeys)) === 0) {
    if (!masterKeys.isOwnFile) return { kind: 'needs-new-key' };
    await masterKeys.add(randomBytes(KEY_BYTES));
    await inTransaction(pool, async (tx) => {
      await registerCurrent(tx, masterKeys);
      await audit(tx, actor, 'master-key.rotation-started');
    });
  }
  const rewrapped = await inTransaction(pool, (tx) => rewrapDataKeys(tx, masterKeys, MOST_PER_CALL));
  const remaining = await countOtherwiseWrapped(pool, masterKeys);
  if (remaining === 0) {
    await inTransaction(pool, async (tx) => {
      await retireOtherKeys(tx, masterKeys);
      await audit(tx, actor, 'master-key.rotated');
    });
    await masterKeys.retireOthers();
  }
  return { kind: 'moved', rewrapped, remaining };
}

function audit(tx: Parameters<typeof recordAudit>[0], actor: string, action: string): Promise<void> {
  return recordAudit(tx, {
    actor,
    action,
    taxpayerId: undefined,
    subject: 'master key',
    before: undefined,
    after: undefined,
  });
}
