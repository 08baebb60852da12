import { setTimeout as delay } from 'node:timers/promises';
import { until } from '../../test/support/process.ts';
import type { World } from '../world/world.ts';
import type { Step } from './step.ts';

/** A day closes after everything is submitted, and notes wait for originals of other devices: with this load it can take minutes. */
const PATIENCE_MS = 120_000;
const HEALING_MS = 300_000;
const LOOK_AGAIN_MS = 500;

/** An operator closes a day under load, the authority fails it once, and the next day begins. */
export const closeFailed: Step = {
  name: 'the authority: close-failed, in the middle of the day',
  isForLongRuns: true,
  run: async ({ world, random }) => {
    const { books, admin, shop } = world;
    const deviceId = (await leastBehind(world)) ?? random.pick(shop.deviceIds);
    const day = (await books.days(deviceId)).at(-1)?.fiscalDayNo ?? 0;
    const statusOf = async (number: number) =>
      (await books.days(deviceId)).find(({ fiscalDayNo }) => fiscalDayNo === number)?.fiscalDayStatus;
    const code = random.pick(['CountersMismatch', 'MissingReceipts', 'BadCertificateSignature']);
    await books.fault({ kind: 'close-failed', code, count: 1, deviceId });
    try {
      await admin.call('POST', `devices/${deviceId}/day`, { Action: 'close' });
      const hasFailed = async () => (await statusOf(day)) === 'FiscalDayCloseFailed';
      await until(hasFailed, `day ${day} of device ${deviceId} fails to close`, PATIENCE_MS);
    } finally {
      await openAgain(world, deviceId);
    }
    // While the authority does not answer, the day opens here first.
    const hasOpened = async () =>
      (await statusOf(day)) === 'FiscalDayClosed' && (await statusOf(day + 1)) !== undefined;
    await until(hasOpened, `day ${day + 1} of device ${deviceId} is open at the authority`, PATIENCE_MS);
    return `day ${day} of device ${deviceId} failed to close with ${code}, was closed again, and day ${day + 1} opened`;
  },
};

/** The device with the fewest receipts to submit: any other would be closing for the rest of the run. */
async function leastBehind({ database }: World): Promise<number | undefined> {
  const { rows } = await database.pool
    .query<{ deviceId: number }>(
      `select device_id as "deviceId" from device_heads h join device_lanes l using (taxpayer_id, device_id)
        where h.day_state = 'Opened' order by h.global_counter - l.submitted_through limit 1`,
    )
    .catch(() => ({ rows: [] }));
  return rows[0]?.deviceId;
}

/** Does what an operator would do until the device has an open day: closes again what failed, and opens what is closed. */
export async function openAgain({ database, admin }: World, deviceId: number): Promise<void> {
  const deadline = Date.now() + HEALING_MS;
  for (;;) {
    const { rows } = await database.pool
      .query<{ state: string; asked: string | null }>(
        `select h.day_state as state, l.requested as asked
           from device_heads h join device_lanes l using (taxpayer_id, device_id) where h.device_id = $1`,
        [deviceId],
      )
      .catch(() => ({ rows: [] }));
    const { state, asked } = rows[0] ?? {};
    if (state === 'Opened' && asked === null) return;
    if (Date.now() > deadline) throw new Error(`the day of device ${deviceId} stays ${state}`);
    if (asked === null && state === 'CloseFailed')
      await admin.call('POST', `devices/${deviceId}/day`, { Action: 'close' });
    if (asked === null && state === 'Closed') await admin.call('POST', `devices/${deviceId}/day`, { Action: 'open' });
    await delay(LOOK_AGAIN_MS);
  }
}
