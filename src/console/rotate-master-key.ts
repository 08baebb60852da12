import { randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import { recordAudit } from '../platform/database/audit.ts';
import { inTransaction } from '../platform/database/database.ts';
import { countOtherwiseWrapped, rewrapDataKeys } from '../platform/secrets/data-keys.ts';
import { lockOtherKeys, type MasterKeys, registerKey, retireOtherKeys } from '../platform/secrets/master-keys.ts';
import { KEY_BYTES } from '../platform/secrets/secrets.ts';

const MAX_PER_CALL = 200;

export type RotationOutcome =
  | { readonly kind: 'moved'; readonly rewrapped: number; readonly remaining: number }
  | { readonly kind: 'needs-new-key' };

/**
 * One step of a rotation of the master key, to be called until nothing remains. Sealing continues in the meantime: both keys
 * unwrap what they wrapped. Killed anywhere, the next call continues: the new key is on disk and known to the database before
 * anything is wrapped with it, each step is a transaction, and the old key is forgotten only when nothing needs it.
 *
 * Where the keys are given from outside (MASTER_KEY, MASTER_KEY_FILE), the operator puts the new one first on every
 * instance; making one here would leave the other instances without it.
 */
export function rotateMasterKey(pool: Pool, masterKeys: MasterKeys, actor: string): Promise<RotationOutcome> {
  const before = running.get(masterKeys) ?? Promise.resolve();
  const step = before.catch(() => {}).then(() => takeStep(pool, masterKeys, actor));
  running.set(masterKeys, step);
  return step;
}

/** One after the other: two at once would each make a key, and the file would keep only one of them. */
const running = new WeakMap<MasterKeys, Promise<unknown>>();

async function takeStep(pool: Pool, masterKeys: MasterKeys, actor: string): Promise<RotationOutcome> {
  if ((await countOtherwiseWrapped(pool, masterKeys)) === 0) {
    if (!masterKeys.isOwnFile) return { kind: 'needs-new-key' };
    const key = randomBytes(KEY_BYTES);
    await masterKeys.add(key, () =>
      inTransaction(pool, async (tx) => {
        await registerKey(tx, key);
        await audit(tx, actor, 'master-key.rotation-started');
      }),
    );
  }
  const rewrapped = await inTransaction(pool, (tx) => rewrapDataKeys(tx, masterKeys, MAX_PER_CALL));
  const remaining = await retireIfUnused(pool, masterKeys, actor);
  if (remaining === 0) await masterKeys.retireOthers();
  return { kind: 'moved', rewrapped, remaining };
}

/** How much still needs another key than the current one; the others are retired when nothing does. */
function retireIfUnused(pool: Pool, masterKeys: MasterKeys, actor: string): Promise<number> {
  return inTransaction(pool, async (tx) => {
    // First: what is being wrapped with one of them at this moment must be counted.
    await lockOtherKeys(tx, masterKeys);
    const remaining = await countOtherwiseWrapped(tx, masterKeys);
    if (remaining > 0) return remaining;
    await retireOtherKeys(tx, masterKeys);
    await audit(tx, actor, 'master-key.rotated');
    return 0;
  });
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
