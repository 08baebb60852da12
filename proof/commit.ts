import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** What is run, for reports: the commit, and whether something but the documentation was changed since. */
export function commitOf(): string {
  const git = (...words: string[]) =>
    execFileSync('git', words, { cwd: join(import.meta.dirname, '..'), encoding: 'utf8', stdio: 'pipe' }).trim();
  try {
    const isChanged = git('status', '--porcelain', '--', '.', ':!docs') !== '';
    return `${git('rev-parse', '--short=10', 'HEAD')}${isChanged ? ' with changes' : ''}`;
  } catch {
    return 'unknown';
  }
}
