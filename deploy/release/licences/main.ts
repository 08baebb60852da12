import { join } from 'node:path';
import { scriptOptions } from '../../../src/platform/script-options.ts';
import { readPackages } from './read-packages.ts';
import { CONDITIONS } from './verdict.ts';

/** `npm run licences`: prints the licences of all dependencies, and ends with 1 when there is one that cannot be taken. */
scriptOptions('Usage: npm run licences\n', {});
const packages = readPackages(join(import.meta.dirname, '..', '..', '..'));
const groups = [...Map.groupBy(packages, ({ stated = 'unknown' }) => stated)].toSorted(([a], [b]) => (a < b ? -1 : 1));
for (const [stated, group] of groups) {
  const conditions = new Set(group[0]?.licences?.map((name) => CONDITIONS[name]));
  const asks = group[0]?.licences === undefined ? 'NOT TAKEN' : [...conditions].join('; ');
  const names = group.map(({ name, version, use }) => `${name} ${version}${use === 'service' ? '' : ` (${use})`}`);
  process.stdout.write(`\n${stated}: ${group.length} packages (${asks})\n  ${names.join(', ')}\n`);
}
process.exitCode = packages.some(({ licences }) => licences === undefined) ? 1 : 0;
