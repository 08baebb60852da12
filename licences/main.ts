import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scriptOptions } from '../src/platform/script-options.ts';
import { readPackages } from './read-packages.ts';
import { reportOf } from './report.ts';

/** `npm run licences`: lists the licences of all dependencies and ends with 1 when there is one that cannot be taken. */
scriptOptions('Usage: npm run licences\n', {});
const root = join(import.meta.dirname, '..');
const packages = readPackages(root);
const file = join(root, 'docs', 'licences.md');
writeFileSync(file, reportOf(packages));
process.stdout.write(`${packages.length} packages; the list is in docs/licences.md\n`);
const refused = packages.filter(({ licences }) => licences === undefined);
for (const { name, version, stated } of refused) {
  process.stderr.write(
    `${name} ${version}: ${stated ?? 'no licence that can be read'}, which is none that is taken here\n`,
  );
}
process.exitCode = refused.length > 0 ? 1 : 0;
