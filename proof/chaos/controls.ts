import { join } from 'node:path';
import { until } from '../../test/support/process.ts';
import { judge } from '../checker/check.ts';
import { gather } from '../checker/gather.ts';
import type { Control } from '../common/run.ts';
import { Driver } from '../driver/driver.ts';
import { Ledger } from '../driver/ledger.ts';
import { type Change, changedCopy } from '../world/changed-copy.ts';
import { seededRandom } from '../world/random.ts';
import { placesOf } from '../world/site.ts';
import { World } from '../world/world.ts';

const STORE = join('src', 'fiscal', 'sealing', 'store.ts');
const BATCH = join('src', 'endpoints', 'core', 'batch.ts');
const ENOUGH_RECEIPTS = 150;

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
/** The schema alone would stop the fault. */
const CONSTRAINTS = ['receipts_pkey', 'receipts_day_counter_once', 'receipts_no_fork'];
const MUST_FIND = [
  /^fork: device \d+, day 1: T\d+-\d+ and /,
  /^duplicate: device \d+ has number \d+ more than once/,
  /^gap: the taxpayer was sent 41 after 39$/,
];

/** The fault everybody fears: a copy of the source that seals without holding the head of the chain, and leaves events out of what it sends. */
export const controls: readonly Control[] = [
  {
    name: 'no-head-lock',
    run: async ({ folder, seed }) => {
      const root = await changedCopy(join(folder, 'copy'), FAULTS);
      const world = await World.start({ folder, root, instances: 2, devices: 1, diskMegabytes: 768, seed });
      try {
        world.receiver.heal();
        for (const name of CONSTRAINTS)
          await world.database.pool.query(`alter table receipts drop constraint ${name} cascade`);
        const ledgerFile = join(folder, 'ledger.jsonl');
        const ledger = await Ledger.open(ledgerFile);
        const driver = new Driver(world, ledger, seededRandom(seed), { tills: 8, payers: 0, returns: 0, pauseMs: 20 });
        const sealed = () => ledger.attempts.filter(({ act, status }) => act === 'sign' && status === 200).length;
        await until(() => sealed() >= ENOUGH_RECEIPTS, `${ENOUGH_RECEIPTS} receipts`, 60_000);
        await driver.stop(2000);
        await ledger.close();
        const problems = judge(await gather(placesOf(world, ledgerFile), [])).flatMap((verdict) => verdict.problems);
        const found = MUST_FIND.map((words) => problems.find((problem) => words.test(problem)));
        // Each of them: one that is missed is a checker that does not see it.
        return found.every((one) => one !== undefined) ? found : [];
      } finally {
        await world.end({ isKept: false });
      }
    },
  },
];
