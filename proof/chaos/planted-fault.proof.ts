/**
 * Would the checker notice? A copy of the source is given the fault everybody fears: it seals without holding the head of the
 * chain. The product has no such switch, so the test writes it into the copy; and since the schema alone would stop the fault,
 * the copy's database loses the constraints that say the same. The copy also leaves events out of what it sends to endpoints.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../../test/support/process.ts';
import { judge } from '../checker/check.ts';
import { gather } from '../checker/gather.ts';
import { seededRandom } from '../clients/tills/random.ts';
import { Driver } from '../driver/driver.ts';
import { Ledger } from '../driver/ledger.ts';
import { type Change, changedCopy } from '../world/changed-copy.ts';
import { World } from '../world/world.ts';
import { placesOf } from './run.ts';

const STORE = join('src', 'fiscal', 'sealing', 'store.ts');
const BATCH = join('src', 'endpoints', 'core', 'batch.ts');
const ENOUGH_RECEIPTS = 150;
const SEED = 3;

/** What keeps two instances from extending the same head, and every event in its batch, and what is left of it in the copy. */
const FAULTS: readonly Change[] = [
  { file: STORE, right: /all_held as \(select 1 where [^\n]+\),/, wrong: 'all_held as (select 1),' },
  {
    file: STORE,
    right: /with held as \(\s+select 1 from device_heads.+?skip locked\),/s,
    wrong: 'with held as (select 1),',
  },
  { file: STORE, right: /for update \$\{wait === 'skip' \? 'skip locked' : ''\}/, wrong: '' },
  { file: BATCH, right: 'read.filter((event) => ', wrong: '$&event.number % 40n !== 0n && ' },
];
const CONSTRAINTS = ['receipts_pkey', 'receipts_day_counter_once', 'receipts_no_fork'];

let folder: string;
let world: World;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tillseal-planted-'));
  const root = await changedCopy(join(folder, 'copy'), FAULTS);
  world = await World.start({ folder, root, instances: 2, devices: 1, diskMegabytes: 768, seed: SEED });
  world.receiver.heal();
  for (const name of CONSTRAINTS)
    await world.database.pool.query(`alter table receipts drop constraint ${name} cascade`);
}, 120_000);

afterAll(async () => {
  await world?.end({ isKept: false });
  await rm(folder, { recursive: true, force: true });
}, 60_000);

test('two instances that seal without the head lock are caught, and that send not every event: the checker names what is wrong', async () => {
  const ledger = await Ledger.open(join(folder, 'ledger.jsonl'));
  const driver = new Driver(world, ledger, seededRandom(SEED), { tills: 8, payers: 0, returns: 0, pauseMs: 20 });
  const sealed = () => ledger.attempts.filter(({ act, status }) => act === 'sign' && status === 200).length;
  await until(() => sealed() >= ENOUGH_RECEIPTS, `${ENOUGH_RECEIPTS} receipts`, 60_000);
  await driver.stop(2000);
  await ledger.close();

  const verdicts = judge(await gather(placesOf(world, join(folder, 'ledger.jsonl')), []));
  const problems = verdicts.flatMap((verdict) => verdict.problems);
  process.stdout.write(`${problems.length} problems, such as ${problems.slice(0, 2).join('; ')}\n`);
  expect(problems.filter((problem) => /^fork: device \d+, day 1: T\d+-\d+ and /.test(problem))).not.toEqual([]);
  expect(
    problems.filter((problem) => /^duplicate: device \d+ has number \d+ more than once/.test(problem)),
  ).not.toEqual([]);
  expect(problems).toContain('gap: the taxpayer was sent 41 after 39');
});
