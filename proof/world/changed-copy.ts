import { cp, readFile, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/** A fault for which the product has no switch: a text that stands once in a file, and what stands there instead. */
export interface Change {
  readonly file: string;
  readonly right: string | RegExp;
  readonly wrong: string;
}

export const ROOT = resolve(import.meta.dirname, '../..');

const BARRIER = 'src/platform/database/barrier.ts';
/** Nothing that was read waits for the standby. */
export const WITHOUT_BARRIER: readonly Change[] = [
  { file: BARRIER, right: /if \(this\.#primary\.isReplicated\) await [^\n]+\n\s+else if/, wrong: 'if' },
  { file: BARRIER, right: /return !this\.#primary\.isReplicated \|\| [^\n]+/, wrong: 'return true;' },
];

/** Resolves with the folder: a copy of the source with these faults in it, for a run that must notice them. */
export async function changedCopy(
  folder: string,
  changes: readonly Change[],
  paths: readonly string[] = ['src', 'migrations', 'package.json'],
): Promise<string> {
  const isNeeded = (path: string) => !path.endsWith('.test.ts');
  for (const path of paths) await cp(join(ROOT, path), join(folder, path), { recursive: true, filter: isNeeded });
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  for (const { file, right, wrong } of changes) {
    const text = await readFile(join(folder, file), 'utf8');
    const places = text.split(right).length - 1;
    if (places !== 1)
      throw new Error(`${file} has changed: ${right} is there ${places} times, so no fault was planted`);
    await writeFile(join(folder, file), text.replace(right, wrong));
  }
  return folder;
}
