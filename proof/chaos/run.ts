import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { collect, judge } from '../checker/check.ts';
import type { Evidence } from '../checker/evidence.ts';
import type { Verdict } from '../checker/verdict.ts';
import { seededRandom } from '../clients/tills/random.ts';
import { Driver } from '../driver/driver.ts';
import { Ledger } from '../driver/ledger.ts';
import { openAgain } from '../nemesis/day-steps.ts';
import { runNemesis } from '../nemesis/nemesis.ts';
import type { StepRecord } from '../nemesis/step.ts';
import { type Site, World } from '../world/world.ts';
import { type Settled, settle } from './settle.ts';

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
  readonly startedAt: Date;
  readonly options: Pick<RunOptions, 'seed' | 'minutes' | 'isShort'>;
  readonly instances: number;
  readonly devices: number;
  readonly load: Load;
  readonly steps: readonly StepRecord[];
  readonly settled: Settled;
  readonly verdicts: readonly Verdict[];
  readonly evidence: Evidence;
  readonly isWell: boolean;
}

export interface Load {
  readonly requests: number;
  readonly attempts: number;
  readonly answered: number;
  readonly refused: number;
  readonly unknown: number;
  /** Attempts by status; 0 is no answer. */
  readonly byStatus: Readonly<Record<string, number>>;
  readonly byAct: Readonly<Record<string, number>>;
}

const INSTANCES = 3;
const DISK_MEGABYTES = 768;

/** Starts the world and its load, makes faults, waits until everything is settled, and checks. */
export async function runChaos(options: RunOptions): Promise<RunResult> {
  const { folder, seed, minutes, isShort, tell } = options;
  const startedAt = new Date();
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
    const facts = { startedAt, options: { seed, minutes, isShort }, instances: INSTANCES, devices, load };
    return { ...facts, steps, settled, verdicts, evidence, isWell };
  } finally {
    await world.end({ isKept: options.isKept });
  }
}

export function placesOf(world: Site, ledgerFile: string) {
  const { shop, database, adminToken, callbacksFile, eventsFile, endpoints } = world;
  return {
    ledgerFile,
    callbacksFile,
    eventsFile,
    endpoints,
    database: database.connection,
    controlUrl: world.authority.controlUrl,
    serviceUrls: world.instances.map(({ url }) => url),
    adminToken,
    token: shop.token,
    vendorToken: shop.vendorToken,
    webhookSecret: shop.webhookSecret,
    deviceIds: shop.deviceIds,
  };
}

export function loadOf({ attempts, intents }: Ledger): Load {
  const count = (keyOf: (attempt: Ledger['attempts'][number]) => string) => {
    const counts: Record<string, number> = {};
    for (const attempt of attempts) counts[keyOf(attempt)] = (counts[keyOf(attempt)] ?? 0) + 1;
    return counts;
  };
  const where = (test: (status: number) => boolean) => attempts.filter(({ status }) => test(status)).length;
  return {
    requests: intents,
    attempts: attempts.length,
    answered: where((status) => status === 200),
    refused: where((status) => status >= 400),
    unknown: where((status) => status === 0),
    byStatus: count(({ status }) => String(status)),
    byAct: count(({ act, status }) => (status === 200 ? act : `${act}, other`)),
  };
}
