import type { Pool } from 'pg';
import { inTransaction } from '../../../src/platform/database/database.ts';

/** Leaves the database as a standby that had got no further than this receipt of the device would show it when it is promoted. */
export function loseRows(pool: Pool, deviceId: number, lastCounter: number): Promise<void> {
  return inTransaction(pool, async (tx) => {
    // Receipts are append-only for everybody else.
    await tx.query('set local session_replication_role = replica');
    await tx.query('delete from submissions where device_id = $1 and global_counter > $2', [deviceId, lastCounter]);
    await tx.query('delete from receipts where device_id = $1 and global_counter > $2', [deviceId, lastCounter]);
    await tx.query(
      `update device_heads h
          set global_counter = r.global_counter, fiscal_day_counter = r.fiscal_day_counter, last_hash = r.hash,
              last_date = r.signed_date
         from receipts r where r.device_id = $1 and r.global_counter = $2 and h.device_id = $1`,
      [deviceId, lastCounter],
    );
    await tx.query('update device_lanes set submitted_through = least(submitted_through, $2) where device_id = $1', [
      deviceId,
      lastCounter,
    ]);
  });
}
