import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { collect, judge } from '../checker/check.ts';
import type { Evidence } from '../checker/evidence.ts';
import type { Verdict } from '../checker/verdict.ts';
import type { Settled } from '../common/report.ts';
import { Driver } from '../driver/driver.ts';
import { Ledger, type Load, loadOf } from '../driver/ledger.ts';
import { openAgain } from '../nemesis/day-steps.ts';
import { runNemesis } from '../nemesis/nemesis.ts';
import type { StepRecord } from '../nemesis/step.ts';
import { seededRandom } from '../world/random.ts';
import { placesOf } from '../world/site.ts';
import { World } from '../world/world.ts';
import { settle } from './settle.ts';

export interface RunOptions {
  readonly folder: string;
  readonly seed: number;
  readonly minutes: number;
  /** Each fault for as short a time as possible: for the tests. */
  readonly isShort: boolean;
  readonly isKept: boolean;
  readonly tell: (line: string) => void;
}

export interface RunResult {
  readonly instances: number;
  readonly devices: number;
  readonly load: Load;
  readonly steps: readonly StepRecord[];
  readonly settled: Settled;
  readonly verdicts: readonly Verdict[];
  readonly evidence: Evidence;
  readonly isWell: boolean;
}

const INSTANCES = 3;
const DISK_MEGABYTES = 768;

/** Starts the world and its load, makes faults, waits until everything is settled, and checks. */
export async function runChaos(options: RunOptions): Promise<RunResult> {
  const { folder, seed, minutes, isShort, tell } = options;
  await mkdir(folder, { recursive: true });
  const devices = isShort ? 3 : 6;
  const world = await World.start({ folder, instances: INSTANCES, devices, diskMegabytes: DISK_MEGABYTES, seed });
  const ledgerFile = join(folder, 'ledger.jsonl');
  const ledger = await Ledger.open(ledgerFile);
  try {
    if (world.disk.whyNot !== undefined) tell(`no small disk: ${world.disk.whyNot}`);
    tell(`three instances, ${devices} devices and the authority are up`);
    const random = seededRandom(seed);
    const size = isShort
      ? { tills: 10, payers: 2, returns: 1, pauseMs: 120 }
      : { tills: 8, payers: 3, returns: 3, pauseMs: 250 };
    const driver = new Driver(world, ledger, random.fork('driver'), size);
    const steps = await runNemesis({
      stage: { world, driver, ledger, random: random.fork('nemesis'), isShort },
      until: Date.now() + minutes * 60_000,
      tell: (record) => tell(`${record.outcome}: ${record.name}: ${record.proof}`),
    });
    tell('no more faults: waiting until everything is answered and delivered');
    world.receiver.heal();
    for (const deviceId of world.shop.deviceIds) await openAgain(world, deviceId);
    await driver.stop();
    await ledger.close();
    const settled = await settle(world);
    tell(`settled in ${settled.seconds.toFixed(1)} s; closing the days, sending everything again, checking`);
    const evidence = await collect(placesOf(world, ledgerFile));
    const verdicts = judge(evidence);
    // Another fault may keep one from being shown. Of every kind at least one has to be.
    const shown = new Set(steps.flatMap(({ name, outcome }) => (outcome === 'unproved' ? [] : [name])));
    const isProved = steps.every(({ name }) => shown.has(name));
    const isWell = isProved && settled.open.length === 0 && verdicts.every(({ problems }) => problems.length === 0);
    const load = loadOf(ledger);
    const facts = { instances: INSTANCES, devices, load };
    return { ...facts, steps, settled, verdicts, evidence, isWell };
  } finally {
    await world.end({ isKept: options.isKept });
  }
}
