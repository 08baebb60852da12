import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** Why there is nothing that a release could be made of, in one sentence. */
export class NoSources extends Error {}

/**
 * Writes what git holds of the project into `folder`, and nothing else that lies in it: a clone that is worked with has settings with passwords
 * in it, notes, and the remains of other builds. A tracked file that was changed is refused, because its change may be just as private.
 */
export function exportSources(root: string, folder: string): void {
  // A clone that lies in another one is not what that one holds.
  if (!existsSync(join(root, '.git'))) {
    throw new NoSources(
      'A release is made of what git holds, and this folder is no clone: git clone, then run this again.',
    );
  }
  const changed = git(root, ['diff', '--name-only']).trim().split('\n').filter(Boolean);
  if (changed.length > 0) {
    const names = `${changed.slice(0, 3).join(', ')}${changed.length > 3 ? ', …' : ''}`;
    throw new NoSources(
      `These files are not as git holds them: ${names}. git add or git restore them, then run this again.`,
    );
  }
  mkdirSync(folder, { recursive: true });
  git(root, ['checkout-index', '--all', `--prefix=${folder}/`]);
}

function git(root: string, words: readonly string[]): string {
  try {
    return execFileSync('git', ['-C', root, ...words], { encoding: 'utf8', maxBuffer: 1 << 26, stdio: 'pipe' });
  } catch (error) {
    throw new NoSources(
      `A release is made of what git holds, and git does not say: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
