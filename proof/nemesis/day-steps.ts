import { setTimeout as delay } from 'node:timers/promises';
import { until } from '../../test/support/process.ts';
import type { World } from '../world/world.ts';
import type { Step } from './step.ts';

/** A day closes after everything is submitted. */
const PATIENCE_MS = 120_000;
const HEALING_MS = 300_000;
const LOOK_AGAIN_MS = 500;

/**
 * An operator closes a day under load, the authority fails it once, and the next day begins. On a device without notes on originals of
 * others: those wait for the other's backlog, and a day that closes after minutes of waiting closes after the run.
 */
export const closeFailed: Step = {
  name: 'the authority: close-failed, in the middle of the day',
  isForLongRuns: true,
  run: async ({ world, random }) => {
    const { books, admin, shop } = world;
    const deviceId = shop.closingDeviceId ?? random.pick(shop.deviceIds);
    const day = (await books.days(deviceId)).at(-1)?.fiscalDayNo ?? 0;
    const statusOf = async (number: number) =>
      (await books.days(deviceId)).find(({ fiscalDayNo }) => fiscalDayNo === number)?.fiscalDayStatus;
    const code = random.pick(['CountersMismatch', 'MissingReceipts', 'BadCertificateSignature']);
    await books.fault({ kind: 'close-failed', code, count: 1, deviceId });
    let waited = '';
    try {
      await admin.call('POST', `devices/${deviceId}/day`, { Action: 'close' });
      const hasFailed = async () => (await statusOf(day)) === 'FiscalDayCloseFailed';
      waited = await watchClosing(world, deviceId, hasFailed);
    } finally {
      await openAgain(world, deviceId);
    }
    // While the authority does not answer, the day opens here first.
    const hasOpened = async () =>
      (await statusOf(day)) === 'FiscalDayClosed' && (await statusOf(day + 1)) !== undefined;
    await until(hasOpened, `day ${day + 1} of device ${deviceId} is open at the authority`, PATIENCE_MS);
    return `day ${day} of device ${deviceId} failed to close with ${code} (it had waited ${waited || 'for nothing'}), was closed again, and day ${day + 1} opened`;
  },
};

/** Resolves with what the device waited for until the authority has failed its closing, which comes after everything else. */
async function watchClosing(world: World, deviceId: number, hasFailed: () => Promise<boolean>): Promise<string> {
  const deadline = Date.now() + PATIENCE_MS;
  const waits = new Map<string, number>();
  const words = () => [...waits].map(([what, ms]) => `${(ms / 1000).toFixed(1)} s for ${what}`).join(', ');
  for (let since = performance.now(); ; ) {
    if (await hasFailed()) return words();
    if (Date.now() > deadline) throw new Error(`the closing of device ${deviceId} did not fail: waited ${words()}`);
    const what = await waitsFor(world, deviceId);
    await delay(LOOK_AGAIN_MS);
    const now = performance.now();
    waits.set(what, (waits.get(what) ?? 0) + now - since);
    since = now;
  }
}

interface ClosingLane {
  readonly behind: number;
  readonly isPaused: boolean;
  /** Where the original of its next receipt waits, if on another device. */
  readonly otherId: number | null;
}

async function waitsFor({ database }: World, deviceId: number): Promise<string> {
  const { rows } = await database.pool
    .query<ClosingLane>(
      `select h.global_counter - l.submitted_through as behind, coalesce(l.paused_until > now(), false) as "isPaused",
              o.device_id as "otherId"
         from device_heads h join device_lanes l using (taxpayer_id, device_id)
         left join receipts r on r.taxpayer_id = h.taxpayer_id and r.device_id = h.device_id
                             and r.global_counter = l.submitted_through + 1
         left join device_lanes o on o.taxpayer_id = r.taxpayer_id and o.device_id = r.original_device_id
                                 and o.device_id <> r.device_id and o.submitted_through < r.original_global_counter
        where h.device_id = $1`,
      [deviceId],
    )
    .catch(() => ({ rows: [] }));
  const [lane] = rows;
  if (lane === undefined) return 'the database';
  if (lane.behind === 0) return 'the answer to its closing';
  if (lane.otherId !== null) return `an original in the backlog of device ${lane.otherId}`;
  return lane.isPaused ? 'the end of a pause after a failure' : 'its own receipts';
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
