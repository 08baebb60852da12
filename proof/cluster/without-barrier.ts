import { cp, readFile, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');
const FILE = join('src', 'platform', 'database', 'barrier.ts');
const FAULTS: readonly (readonly [RegExp, string])[] = [
  [/if \(this\.#primary\.isReplicated\) await [^\n]+\n\s+else if/g, 'if'],
  [/return !this\.#primary\.isReplicated \|\| [^\n]+/g, 'return true;'],
];

/** A copy of the source in which nothing that was read waits for the standby. The product has no such switch. */
export async function copyWithoutBarrier(folder: string): Promise<string> {
  for (const name of ['src', 'migrations', 'package.json'])
    await cp(join(ROOT, name), join(folder, name), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  let text = await readFile(join(folder, FILE), 'utf8');
  for (const [right, wrong] of FAULTS) {
    const places = text.match(right)?.length ?? 0;
    if (places !== 1)
      throw new Error(`${FILE} has changed: ${right} is there ${places} times, so it still has its barrier`);
    text = text.replace(right, wrong);
  }
  await writeFile(join(folder, FILE), text);
  return folder;
}
