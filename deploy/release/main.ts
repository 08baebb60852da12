/** `npm run release`: what is given to others, if every licence allows it; `-- licences` prints these, `-- screenshots` takes pictures of the console. */
import { join } from 'node:path';
import { refuseOptions } from '../../src/platform/script-options.ts';
import { CONDITIONS } from './licences.ts';
import { readPackages } from './read-packages.ts';
import { makeRelease } from './release.ts';

const USAGE = `npm run release                            into release/, from what git holds
npm run release -- licences                the licences of all dependencies, and what they ask
npm run release -- screenshots [--help]    pictures of the console, into docs/screenshots
`;
const packages = readPackages(join(import.meta.dirname, '..', '..'));

function licenceLines(some: typeof packages): string {
  const groups = [...Map.groupBy(some, ({ stated = 'unknown' }) => stated)].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const lines = groups.map(([stated, group]) => {
    const conditions = new Set(group[0]?.licences?.map((name) => CONDITIONS[name]));
    const asks = group[0]?.licences === undefined ? 'NOT TAKEN' : [...conditions].join('; ');
    const names = group.map(({ name, version, use }) => `${name} ${version}${use === 'service' ? '' : ` (${use})`}`);
    return `\n${stated}: ${group.length} packages (${asks})\n  ${names.join(', ')}\n`;
  });
  return lines.join('');
}

const [what, ...words] = process.argv.slice(2);
const refused = packages.filter(({ licences }) => licences === undefined);
if (what === 'screenshots') {
  process.argv.splice(2, 1);
  await import('../../test/browser/screenshots.ts');
} else if (words.length > 0 || (what !== undefined && what !== 'licences')) {
  refuseOptions(USAGE, `npm run release does not know ${[what, ...words].join(' ')}`);
} else if (what === 'licences' || refused.length > 0) {
  process.stdout.write(licenceLines(what === 'licences' ? packages : refused));
  process.exitCode = refused.length > 0 ? 1 : 0;
} else {
  makeRelease();
}
