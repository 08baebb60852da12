import { rmSync } from 'node:fs';
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LANGUAGES } from '../../clients/conformance/tills/languages.ts';
import type { Random } from '../world/random.ts';
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

interface Change {
  readonly name: string;
  readonly file: string;
  readonly right: string;
  readonly wrong: string;
}

const ROOT = join(import.meta.dirname, '..', '..');
const SERVER = 'src/platform/embedded-postgres/server.ts';
const MOST_CUTS = 40;
const SHOWN = 3;
const SHOWN_LETTERS = 300;

/** The product has no setting for these, so they are changed in a copy of its source. */
const FSYNC: Change = {
  name: 'PostgreSQL with `fsync=off`',
  file: SERVER,
  right: 'fsync: on,',
  wrong: "fsync: 'off',",
};
const PAGES: Change = {
  name: 'PostgreSQL with `full_page_writes=off`',
  file: SERVER,
  right: 'full_page_writes: on,',
  wrong: "full_page_writes: 'off',",
};
const OUTBOX: Change = {
  name: 'the outbox in TypeScript with `synchronous=off`',
  file: 'clients/typescript/src/outbox/file.ts',
  right: 'synchronous: 2,',
  wrong: 'synchronous: 0,',
};

export async function runControls(folder: string, random: Random, tell: (line: string) => void): Promise<Control[]> {
  const controls: Control[] = [];
  for (const [name, run] of Object.entries({
    fsync: () => serviceControl(FSYNC, (one) => planCut('a sale', one)),
    // Pages are torn where a checkpoint writes them.
    pages: () => serviceControl(PAGES, (one) => ({ ...planCut('a checkpoint', one), keep: 'tear' })),
    outbox: () => outboxControl(),
  })) {
    const control = await run();
    tell(`control ${name}: ${control.found.length === 0 ? 'FOUND NOTHING' : 'noticed'} after ${control.cuts} cuts`);
    controls.push(control);
  }
  return controls;

  async function serviceControl(change: Change, plan: (random: Random) => PlannedCut): Promise<Control> {
    const own = random.fork(change.name);
    const root = await changedCopy(change, ['src', 'migrations', 'package.json']);
    const world = await ServiceWorld.make({ folder: join(folder, 'control'), random: own, root });
    try {
      const first = await world.recover();
      if (first.length > 0) throw new Error(`the copy does not start: ${first.join('; ')}`);
      // Otherwise the first cut would leave no database at all, and say nothing about receipts.
      await world.flush();
      for (let cuts = 1; cuts <= MOST_CUTS; cuts += 1) {
        await world.cut(plan(own));
        const found = await world.recover();
        tell(`control ${change.name}: cut ${cuts}`);
        if (found.length > 0) return { name: change.name, cuts, found: shortened(found) };
      }
      return { name: change.name, cuts: MOST_CUTS, found: [] };
    } finally {
      await world.end();
      await rm(join(folder, 'control'), { recursive: true, force: true });
      await rm(root, { recursive: true, force: true });
    }
  }

  async function outboxControl(): Promise<Control> {
    const root = await changedCopy(OUTBOX, ['clients/typescript', 'package.json']);
    const languages = LANGUAGES.filter(({ name }) => name === 'typescript').map((language) => ({
      ...language,
      till: () => [process.execPath, join(root, 'clients/typescript/till.ts')] as const,
    }));
    const world = await OutboxWorld.make({ folder: join(folder, 'control'), languages, random: random.fork('outbox') });
    try {
      for (let cuts = 1; cuts <= MOST_CUTS; cuts += 1) {
        const { problems } = await world.cut('typescript', 'drop');
        tell(`control ${OUTBOX.name}: cut ${cuts}`);
        if (problems.length > 0) return { name: OUTBOX.name, cuts, found: shortened(problems) };
      }
      return { name: OUTBOX.name, cuts: MOST_CUTS, found: [] };
    } finally {
      await world.end();
      await rm(join(folder, 'control'), { recursive: true, force: true });
      await rm(root, { recursive: true, force: true });
    }
  }
}

/** Below the project, where Node finds the packages. */
async function changedCopy({ file, right, wrong }: Change, paths: readonly string[]): Promise<string> {
  const copy = join(ROOT, '.cache', `power-cut-${process.pid}`);
  process.once('exit', () => rmSync(copy, { recursive: true, force: true }));
  for (const path of paths) await cp(join(ROOT, path), join(copy, path), { recursive: true });
  const text = await readFile(join(copy, file), 'utf8');
  const places = text.split(right).length - 1;
  if (places !== 1) throw new Error(`${file} has changed: "${right}" is there ${places} times, so this is no control`);
  await writeFile(join(copy, file), text.replace(right, wrong));
  return copy;
}

function shortened(found: readonly string[]): string[] {
  const more = found.length > SHOWN ? [`and ${found.length - SHOWN} more`] : [];
  return [
    ...found.slice(0, SHOWN).map((one) =>
      one
        .replace(/\s+/g, ' ')
        .replace(/\/\S+\/disk\//g, '')
        .slice(0, SHOWN_LETTERS),
    ),
    ...more,
  ];
}
