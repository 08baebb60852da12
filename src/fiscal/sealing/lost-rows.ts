import type { Pool } from 'pg';
import type { Clock } from '../../platform/clock.ts';
import { inTransaction } from '../../platform/database/database.ts';
import type { Log } from '../../platform/logging/log.ts';
import { holdDevice, type LastReceipt } from '../devices/hold-device.ts';
import { lockHead } from '../devices/store.ts';
import { wakeLane } from '../lanes/store.ts';
import type { Acknowledged } from './acknowledged.ts';
import { findMissing } from './store.ts';

export interface LostRowsContext {
  readonly pool: Pool;
  readonly acknowledged: Acknowledged;
  readonly clock: Clock;
  readonly log: Log;
}

const PER_STATEMENT = 5000;

/**
 * Looks for every receipt that this process remembers as the last of its device, and puts the devices on hold whose rows are gone: the
 * database is not the one that acknowledged them, but one that had not got that far. Returns their number.
 */
export async function findLostRows(context: LostRowsContext): Promise<number> {
  const known = context.acknowledged.all();
  let found = 0;
  for (let from = 0; from < known.length; from += PER_STATEMENT) {
    const missing = await findMissing(context.pool, known.slice(from, from + PER_STATEMENT));
    found += missing.length;
    await holdForLostRows(context, missing);
  }
  return found;
}

/**
 * Their numbers were printed on paper and may be at the authority: nothing is sealed or sent before a person has decided. Tells whether
 * there was something to hold; not where an operator has passed over them.
 */
export async function holdForLostRows(
  { pool, clock, log }: LostRowsContext,
  lost: readonly LastReceipt[],
): Promise<boolean> {
  let isHeld = false;
  for (const known of lost) {
    const { taxpayerId, deviceId, globalCounter } = known;
    await inTransaction(pool, async (tx) => {
      // A lane before its head, as in the keeper. Its holder looks, and finds the hold.
      const locked = await wakeLane(tx, { taxpayerId, deviceId }, { statusCheckedAt: null });
      const head = await lockHead(tx, taxpayerId, deviceId);
      if (head === undefined || (await findMissing(tx, [known])).length === 0) return;
      const reason = `receipt ${globalCounter} was signed and answered, and is no longer in the database, which ends at ${head.globalCounter}`;
      const message = `Device ${deviceId} is on hold: ${reason}. The database seems to have failed over to a copy that lacked it. Go on behind the missing receipts on the page of the device. Only if little was sold since and the old server still has it: stop the new one, start the old one, run tillseal restore mark there, and take the new one out of DATABASE_URL and rebuild it.`;
      await holdDevice(locked, known, { kind: 'RowsLost', reason, message, known }, clock());
      log.error({ deviceId, globalCounter, head: head.globalCounter }, 'receipts that were answered are missing');
      isHeld = true;
    });
  }
  return isHeld;
}
