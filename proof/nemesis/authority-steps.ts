import { setTimeout as delay } from 'node:timers/promises';
import { connect } from 'node:tls';
import type { FaultRequest } from '../../test/support/authority/books.ts';
import { until } from '../../test/support/process.ts';
import type { Office } from '../world/site.ts';
import { countOf, type Stage, type Step } from './step.ts';

const PATIENCE_MS = 120_000;
const NOTICED_MS = 15_000;

type ActiveFault = FaultRequest & { readonly struck: number };

/**
 * Makes a fault that strikes a number of calls, and waits until the simulator has counted them. The outage below clears all faults
 * at once; one that was cleared too early is made again.
 */
async function strike({ world: { books } }: Stage, fault: FaultRequest & { readonly count: number }): Promise<number> {
  const isMine = (one: ActiveFault) =>
    (['kind', 'count', 'status', 'code', 'delayMs'] as const).every((name) => one[name] === fault[name]);
  await books.fault(fault);
  const hasStruck = async () => {
    const mine = (await books.control<ActiveFault[]>('GET', '/faults')).filter(isMine).at(-1);
    if (mine === undefined) await books.fault(fault);
    return mine?.struck === fault.count;
  };
  await until(hasStruck, `${fault.kind} strikes`, PATIENCE_MS);
  return fault.count;
}

/** After three failures the service asks only rarely: more of these would take minutes. */
const FAILS = new Set(['outage', 'lose-answer', 'error-500']);
const IN_SHORT_RUNS = new Set(['lose-answer', 'error-500']);
const FAULTS: readonly FaultRequest[] = [
  { kind: 'outage' },
  { kind: 'delay', delayMs: 700 },
  { kind: 'delay', delayMs: 6000 },
  { kind: 'delay-answer', delayMs: 700 },
  { kind: 'lose-answer' },
  { kind: 'error-500' },
  { kind: 'error-500', status: 429 },
  { kind: 'remark', code: 'RCPT031', colour: 'Yellow' },
];

function variantOf({ status, delayMs }: FaultRequest): string {
  if (status !== undefined) return ` (${status})`;
  return delayMs === undefined ? '' : ` (${delayMs} ms)`;
}

export const faultSteps: readonly Step[] = FAULTS.map((fault) => ({
  name: `the authority: ${fault.kind}${variantOf(fault)}`,
  isForLongRuns: fault.status !== undefined || !IN_SHORT_RUNS.has(fault.kind),
  run: async (stage) => {
    const count = stage.isShort ? 2 : stage.random.between(2, FAILS.has(fault.kind) ? 4 : 12);
    return `the simulator counted ${await strike(stage, { ...fault, count })} calls struck`;
  },
}));

/** Nobody can connect. Shown by trying to connect, because a service that has paused its calls would not notice. */
export const outage: Step = {
  name: 'the authority: outage, nobody connects',
  run: async ({ world, isShort }) => {
    const noticed = () =>
      world.instances.reduce((sum, one) => sum + countOf(one.logs(), 'the authority does not answer'), 0);
    const before = noticed();
    await world.books.fault({ kind: 'outage' });
    try {
      await until(() => isCutOff(world.authority.url), 'a connection is cut', PATIENCE_MS);
      await delay(isShort ? 1000 : 5000);
      return `a connection was cut before its handshake; ${noticed() - before} instances logged that the authority does not answer`;
    } finally {
      await world.books.clearFaults();
    }
  },
};

function isCutOff(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port), rejectUnauthorized: false });
    const end = (isCut: boolean) => {
      socket.destroy();
      resolve(isCut);
    };
    socket.once('secureConnect', () => end(false));
    socket.once('error', () => end(true));
    socket.once('close', () => end(true));
  });
}

/**
 * A receipt is refused for good, the lane stops, and an operator has it sent again. Where another fault cut off the answer,
 * the service does not know of the refusal and simply sends the same receipt again.
 */
export const refuse: Step = {
  name: 'the authority: refuse',
  run: async (stage) => {
    const struck = await strike(stage, { kind: 'refuse', code: 'RCPT02', count: 1 });
    const deadline = Date.now() + NOTICED_MS;
    let decided = 0;
    while (decided === 0 && Date.now() < deadline) {
      await delay(100);
      decided = await decideStopped(stage.world);
    }
    return `the simulator refused ${struck} receipt with RCPT02; ${decided} lane stopped, and an operator had it sent again`;
  },
};

/** Has refused receipts sent again, as an operator would; returns how many. */
export async function decideStopped({ database, admin }: Office): Promise<number> {
  const { rows } = await database.pool
    .query<{ device_id: number; global_counter: number }>(
      `select s.device_id, s.global_counter from submissions s join device_lanes l using (taxpayer_id, device_id)
        where s.state = 'Refused' and l.stopped_reason is not null`,
    )
    .catch(() => ({ rows: [] }));
  for (const { device_id, global_counter } of rows) {
    const path = `devices/${device_id}/receipts/${global_counter}/decision`;
    await admin.call('POST', path, { Decision: 'retry' }).catch((error: Error) => {
      // Where the first answer was lost, the call was repeated: there is nothing left to decide.
      if (!error.message.includes(`${path}: 404`)) throw error;
    });
  }
  return rows.length;
}
