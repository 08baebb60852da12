import { setTimeout as delay } from 'node:timers/promises';
import type { FaultRequest } from '../../test/support/authority-books.ts';
import { until } from '../../test/support/process.ts';
import type { World } from '../world/world.ts';
import { countOf, type Stage, type Step } from './step.ts';

const PATIENCE_MS = 60_000;
const STRIKES = 3;

type Struck = FaultRequest & { readonly struck: number };

const struckSoFar = async ({ books }: World) =>
  (await books.control<Struck[]>('GET', '/faults')).reduce((sum, { struck }) => sum + struck, 0);

/** Makes the fault, waits until it has struck, and lets the simulator say how often. */
async function strike({ world, isShort }: Stage, fault: FaultRequest, least: number): Promise<number> {
  await world.books.fault(fault);
  try {
    await until(async () => (await struckSoFar(world)) >= least, `${fault.kind} strikes`, PATIENCE_MS);
    await delay(isShort ? 100 : 1500);
    return await struckSoFar(world);
  } finally {
    await world.books.clearFaults();
  }
}

const FAULTS: readonly FaultRequest[] = [
  { kind: 'outage', every: 2 },
  { kind: 'delay', delayMs: 700 },
  { kind: 'delay-answer', delayMs: 700, every: 2 },
  { kind: 'lose-answer', every: 2 },
  { kind: 'error-500', every: 2 },
  { kind: 'error-500', status: 429, every: 3 },
  { kind: 'remark', code: 'RCPT031', colour: 'Yellow' },
];

const faultSteps: readonly Step[] = FAULTS.map((fault) => ({
  name: `the authority: ${fault.kind}${fault.status === undefined ? '' : ` (${fault.status})`}`,
  run: async (stage) => `the simulator counted ${await strike(stage, fault, STRIKES)} calls struck`,
}));

/** Nobody can connect at all. The service has to notice: there is no call left to count. */
const outage: Step = {
  name: 'the authority: outage, nobody connects',
  run: async ({ world, isShort }) => {
    const noticed = () =>
      world.instances.reduce((sum, one) => sum + countOf(one.logs(), 'the authority does not answer'), 0);
    const before = noticed();
    await world.books.fault({ kind: 'outage' });
    try {
      await until(() => noticed() > before, 'an instance notices', PATIENCE_MS);
      await delay(isShort ? 300 : 4000);
      return `${noticed() - before} instances logged that the authority does not answer`;
    } finally {
      await world.books.clearFaults();
    }
  },
};

/** A receipt is refused for good, the lane stops, and an operator decides to send it again. */
const refuse: Step = {
  name: 'the authority: refuse',
  run: async (stage) => {
    const struck = await strike(stage, { kind: 'refuse', code: 'RCPT02', count: 1 }, 1);
    const { world } = stage;
    let decided = 0;
    await until(
      async () => {
        decided += await decideStopped(world);
        return decided > 0;
      },
      'a lane has stopped',
      PATIENCE_MS,
    );
    return `the simulator refused ${struck} receipt with RCPT02; ${decided} lane stopped, and an operator had it sent again`;
  },
};

/** Sends refused receipts again, as an operator would; how many there were. */
export async function decideStopped({ database, admin }: World): Promise<number> {
  const { rows } = await database.pool
    .query<{ device_id: number; global_counter: number }>(
      `select s.device_id, s.global_counter from submissions s join device_lanes l using (taxpayer_id, device_id)
        where s.state = 'Refused' and l.stopped_reason is not null`,
    )
    .catch(() => ({ rows: [] }));
  for (const { device_id, global_counter } of rows)
    await admin.call('POST', `devices/${device_id}/receipts/${global_counter}/decision`, { Decision: 'retry' });
  return rows.length;
}

/** An operator closes a day under load, the authority fails it once, and the next day begins. */
const closeFailed: Step = {
  name: 'the authority: close-failed, in the middle of the day',
  run: async ({ world, random }) => {
    const { books, admin, shop } = world;
    const deviceId = random.pick(shop.deviceIds);
    const day = (await books.days(deviceId)).at(-1)?.fiscalDayNo ?? 0;
    const untilDay = (status: string, number: number) =>
      until(
        async () =>
          (await books.days(deviceId)).some((one) => one.fiscalDayNo === number && one.fiscalDayStatus === status),
        `day ${number} of device ${deviceId} is ${status}`,
        PATIENCE_MS,
      );
    const code = random.pick(['CountersMismatch', 'MissingReceipts', 'BadCertificateSignature']);
    await books.fault({ kind: 'close-failed', code, count: 1, deviceId });
    try {
      await admin.call('POST', `devices/${deviceId}/day`, { Action: 'close' });
      await untilDay('FiscalDayCloseFailed', day);
    } finally {
      await books.clearFaults();
    }
    await untilState(world, deviceId, 'CloseFailed');
    await admin.call('POST', `devices/${deviceId}/day`, { Action: 'close' });
    await untilDay('FiscalDayClosed', day);
    await untilState(world, deviceId, 'Closed');
    await admin.call('POST', `devices/${deviceId}/day`, { Action: 'open' });
    await untilDay('FiscalDayOpened', day + 1);
    return `day ${day} of device ${deviceId} failed to close with ${code}, was closed again, and day ${day + 1} opened`;
  },
};

function untilState({ database }: World, deviceId: number, state: string): Promise<void> {
  const isSo = async () => {
    const found = await database.pool
      .query('select from device_heads where device_id = $1 and day_state = $2', [deviceId, state])
      .catch(() => ({ rowCount: 0 }));
    return found.rowCount === 1;
  };
  return until(isSo, `device ${deviceId} is ${state} here`, PATIENCE_MS);
}

export const authoritySteps: readonly Step[] = [...faultSteps, outage, refuse, closeFailed];
