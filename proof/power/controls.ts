import { join } from 'node:path';
import { LANGUAGES, type Language, languageAt, missing } from '../../clients/languages.ts';
import { bundlePrograms } from '../../test/support/programs.ts';
import type { Control, Stage } from '../common/run.ts';
import { type Change, changedCopy } from '../world/changed-copy.ts';
import { type Random, seededRandom } from '../world/random.ts';
import { OutboxWorld } from './outbox-world.ts';
import { type PlannedCut, planCut } from './service-plan.ts';
import { ServiceWorld } from './service-world.ts';

interface NamedChange extends Change {
  readonly name: string;
}

const SERVER = 'src/platform/embedded-postgres/server.ts';
const MOST_CUTS = 40;
const OF_A_BUSY_MACHINE = /are not answered|waited in vain/;

/** The product has no setting for these, so they are changed in a copy of its source. */
const FSYNC: NamedChange = {
  name: 'fsync-off',
  file: SERVER,
  right: 'fsync: on,',
  wrong: "fsync: 'off',",
};
const PAGES: NamedChange = {
  name: 'full-page-writes-off',
  file: SERVER,
  right: 'full_page_writes: on,',
  wrong: "full_page_writes: 'off',",
};
const OUTBOXES: Readonly<Record<string, NamedChange>> = {
  typescript: {
    name: 'typescript-synchronous-off',
    file: 'clients/typescript/src/outbox/file.ts',
    right: 'synchronous: 2,',
    wrong: 'synchronous: 0,',
  },
  python: {
    name: 'python-synchronous-off',
    file: 'clients/python/tillseal/outbox_file.py',
    // After it has looked whether it is on.
    right: '    if (mode, flush, is_deleting) !=',
    wrong: '    db.execute("pragma synchronous=off")\n    if (mode, flush, is_deleting) !=',
  },
};

/** The same cuts without something that keeps the data safe. */
export const controls: readonly Control[] = [
  serviceControl(FSYNC, (own) => planCut('a sale', own)),
  // Pages are torn where a checkpoint writes them.
  serviceControl(PAGES, (own) => ({ ...planCut('a checkpoint', own), keep: 'tear' })),
  ...LANGUAGES.flatMap((language) => {
    const change = OUTBOXES[language.name];
    return change === undefined ? [] : [outboxControl(change, language)];
  }),
];

function serviceControl(change: NamedChange, plan: (random: Random) => PlannedCut): Control {
  const run = async ({ folder, seed }: Stage) => {
    const random = seededRandom(seed);
    await bundlePrograms();
    const root = await changedCopy(join(folder, 'copy'), [change]);
    const world = await ServiceWorld.make({ folder: join(folder, 'world'), random, root });
    try {
      const first = await world.recover();
      if (first.length > 0) throw new Error(`the copy does not start: ${first.join('; ')}`);
      // Otherwise the first cut would leave no database at all, and say nothing about receipts.
      await world.flush();
      return await untilFound(async () => {
        await world.cut(plan(random));
        return world.recover();
      });
    } finally {
      await world.end();
    }
  };
  return { name: change.name, run };
}

function outboxControl(change: NamedChange, language: Language): Control {
  const run = async ({ folder, seed }: Stage) => {
    const root = await changedCopy(join(folder, 'copy'), [change], [`clients/${language.name}`, 'package.json']);
    await bundlePrograms();
    const random = seededRandom(seed);
    const world = await OutboxWorld.make({
      folder: join(folder, 'world'),
      languages: [languageAt(language, root)],
      random,
    });
    try {
      return await untilFound(async () => {
        // Otherwise the cut would leave no file, or one without tables, and say nothing about sales.
        await world.flush(language.name);
        return (await world.cut(language.name, 'drop')).problems;
      });
    } finally {
      await world.end();
    }
  };
  const lacks = missing(language).join(', ');
  return { name: change.name, whyNot: lacks === '' ? undefined : `no ${lacks}`, run };
}

async function untilFound(cut: () => Promise<readonly string[]>): Promise<readonly string[]> {
  for (let cuts = 1; cuts <= MOST_CUTS; cuts += 1) {
    const found = (await cut()).filter((problem) => !OF_A_BUSY_MACHINE.test(problem));
    if (found.length > 0) return found;
  }
  return [];
}
