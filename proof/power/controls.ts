import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { LANGUAGES, type Language, missing } from '../../clients/languages.ts';
import type { Random } from '../clients/tills/random.ts';
import { type Change, changedCopy, ROOT } from '../world/changed-copy.ts';
import { OutboxWorld } from './outbox-world.ts';
import { type PlannedCut, planCut } from './service-plan.ts';
import { ServiceWorld } from './service-world.ts';

/** The same run without something that keeps the data safe. If nothing is found, the run proves nothing. */
export interface Control {
  readonly name: string;
  readonly cuts: number;
  /** What was found after the last cut, shortened. */
  readonly found: readonly string[];
}

interface NamedChange extends Change {
  readonly name: string;
}

const CLIENTS = join(ROOT, 'clients');
const SERVER = 'src/platform/embedded-postgres/server.ts';
const MOST_CUTS = 40;
const SHOWN = 3;
const SHOWN_LETTERS = 300;

/** The product has no setting for these, so they are changed in a copy of its source. */
const FSYNC: NamedChange = {
  name: 'PostgreSQL with `fsync=off`',
  file: SERVER,
  right: 'fsync: on,',
  wrong: "fsync: 'off',",
};
const PAGES: NamedChange = {
  name: 'PostgreSQL with `full_page_writes=off`',
  file: SERVER,
  right: 'full_page_writes: on,',
  wrong: "full_page_writes: 'off',",
};
const OUTBOXES: Readonly<Record<string, NamedChange>> = {
  typescript: {
    name: 'the outbox in TypeScript with `synchronous=off`',
    file: 'clients/typescript/src/outbox/file.ts',
    right: 'synchronous: 2,',
    wrong: 'synchronous: 0,',
  },
  python: {
    name: 'the outbox in Python with `synchronous=off`',
    file: 'clients/python/tillseal/outbox_file.py',
    // After it has looked whether it is on.
    right: '    if (mode, flush, is_deleting) !=',
    wrong: '    db.execute("pragma synchronous=off")\n    if (mode, flush, is_deleting) !=',
  },
};

export async function runControls(folder: string, random: Random, tell: (line: string) => void): Promise<Control[]> {
  const runs = [
    () => serviceControl(FSYNC, (own) => planCut('a sale', own)),
    // Pages are torn where a checkpoint writes them.
    () => serviceControl(PAGES, (own) => ({ ...planCut('a checkpoint', own), keep: 'tear' })),
    ...LANGUAGES.flatMap((language) => {
      const change = OUTBOXES[language.name];
      return change === undefined || missing(language).length > 0 ? [] : [() => outboxControl(change, language)];
    }),
  ];
  const controls: Control[] = [];
  for (const run of runs) {
    const control = await run();
    const { name, cuts, found } = control;
    tell(`control, ${name}: ${found.length === 0 ? 'FOUND NOTHING' : 'noticed'} after ${cuts} cuts`);
    controls.push(control);
    await rm(folder, { recursive: true, force: true });
  }
  return controls;

  async function serviceControl(change: NamedChange, plan: (random: Random) => PlannedCut): Promise<Control> {
    const own = random.fork(change.name);
    const root = await changedCopy(join(folder, 'copy'), [change]);
    const world = await ServiceWorld.make({ folder: join(folder, 'world'), random: own, root });
    try {
      const first = await world.recover();
      if (first.length > 0) throw new Error(`the copy does not start: ${first.join('; ')}`);
      // Otherwise the first cut would leave no database at all, and say nothing about receipts.
      await world.flush();
      return await untilFound(change, async () => {
        await world.cut(plan(own));
        return world.recover();
      });
    } finally {
      await world.end();
    }
  }

  async function outboxControl(change: NamedChange, language: Language): Promise<Control> {
    const root = await changedCopy(join(folder, 'copy'), [change], [`clients/${language.name}`, 'package.json']);
    const changed: Language = {
      ...language,
      till: (at) => language.till(at).map((word) => word.replace(CLIENTS, join(root, 'clients'))) as [string],
    };
    const own = random.fork(change.name);
    const world = await OutboxWorld.make({ folder: join(folder, 'world'), languages: [changed], random: own });
    try {
      return await untilFound(change, async () => {
        // Otherwise the cut would leave no file, or one without tables, and say nothing about sales.
        await world.flush(language.name);
        return (await world.cut(language.name, 'drop')).problems;
      });
    } finally {
      await world.end();
    }
  }
}

async function untilFound({ name }: NamedChange, cut: () => Promise<readonly string[]>): Promise<Control> {
  for (let cuts = 1; cuts <= MOST_CUTS; cuts += 1) {
    const found = await cut();
    if (found.length > 0) return { name, cuts, found: shortened(found) };
  }
  return { name, cuts: MOST_CUTS, found: [] };
}

function shortened(found: readonly string[]): string[] {
  const more = found.length > SHOWN ? [`and ${found.length - SHOWN} more`] : [];
  return [
    ...found.slice(0, SHOWN).map((one) =>
      one
        .replace(/\s+/g, ' ')
        .replace(/\/\S+\/disk\//g, '')
        .slice(0, SHOWN_LETTERS)
        .trim(),
    ),
    ...more,
  ];
}
