import type { Pool } from 'pg';
import { inTransaction } from '../../platform/database.ts';
import { lockHead, setDayState, setMaintenanceStart } from '../devices/store.ts';

/**
 * For the demo alone, while no authority is connected that could close a day: moves its maintenance window away, and ends
 * a day that is near its maximum so that the next one can be opened.
 */
export async function restartDemoDay(
  pool: Pool,
  demo: { taxpayerId: string; deviceId: number; maintenanceStartMinute: number; now: Date },
): Promise<void> {
  await inTransaction(pool, async (tx) => {
    const head = await lockHead(tx, demo.taxpayerId, demo.deviceId);
    if (head === undefined) return;
    await setMaintenanceStart(tx, demo.taxpayerId, demo.deviceId, demo.maintenanceStartMinute);
    const openSeconds = demo.now.getTime() / 1000 - (head.dayOpenedAtSeconds ?? 0);
    if (openSeconds > 12 * 3600) await setDayState(tx, demo.taxpayerId, demo.deviceId, 'Closed');
  });
}
