import type { Pool } from 'pg';
import { insertDay } from '../../src/fiscal/days/store.ts';
import { findDevice, lockHead, setDayState, startDay } from '../../src/fiscal/devices/store.ts';
import { wallOfInstant } from '../../src/kernel/zone.ts';
import { inTransaction } from '../../src/platform/database/database.ts';

/** Opens the next day of a device that no authority knows. Days of registered devices are opened by the keeper. */
export async function openLocalDay(pool: Pool, taxpayerId: string, deviceId: number, openedAt: Date): Promise<void> {
  await inTransaction(pool, async (tx) => {
    const head = await lockHead(tx, taxpayerId, deviceId);
    const stored = await findDevice(tx, taxpayerId, deviceId);
    if (head?.dayState !== 'Closed' || stored === undefined) throw new Error(`device ${deviceId} has no closed day`);
    if (stored.certificatePem !== undefined) throw new Error(`device ${deviceId} belongs to the authority`);
    const fiscalDayNumber = head.fiscalDayNumber + 1;
    const openedWall = wallOfInstant(stored.device.zone, Math.floor(openedAt.getTime() / 1000));
    await startDay(tx, head, fiscalDayNumber, openedAt);
    await insertDay(tx, { taxpayerId, deviceId, fiscalDayNumber }, openedAt, openedWall);
    await setDayState(tx, taxpayerId, deviceId, 'Opened');
  });
}
