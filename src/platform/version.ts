import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Version } from '../contract/platform/health.ts';

/** What a package was made of; a clone has none in its package.json. */
export type Build = Pick<Version, 'Commit' | 'CommitDate'>;

const root = join(import.meta.dirname, '..', '..');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string; build?: Build };

/** Of the product. The API has its own, which only grows with what is added to it. */
export const VERSION = manifest.version;

let known: Version | undefined;

/** Which build this is: two of the same version can be months apart. */
export function thisBuild(): Version {
  known ??= { Version: VERSION, ...(manifest.build ?? buildOf(root)) };
  return known;
}

/** What git says of a clone. Null where there is no git, no clone or nothing committed. */
export function buildOf(folder: string): Build {
  const git = (...words: string[]) =>
    execFileSync('git', ['--no-optional-locks', '-C', folder, ...words], { encoding: 'utf8', stdio: 'pipe' }).trim();
  try {
    // A folder in somebody else's clone is not that clone.
    if (!existsSync(join(folder, '.git'))) return { Commit: null, CommitDate: null };
    const [commit, CommitDate = null] = git('log', '-1', '--abbrev=12', '--format=%h %cI').split(' ');
    const isChanged = git('diff', '--name-only', 'HEAD') !== '';
    return { Commit: `${commit}${isChanged ? '+changes' : ''}`, CommitDate };
  } catch {
    return { Commit: null, CommitDate: null };
  }
}
