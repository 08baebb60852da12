import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { buildOf } from '../../src/platform/version.ts';
import { packClients } from './clients.ts';
import { productionLockfile, releaseManifest } from './manifest.ts';
import { buildConsole, npm, typescript, writeClientTypes } from './programs.ts';
import { exportSources, NoSources } from './sources.ts';

/**
 * The package, its bill of materials, the packages of the clients and the checksums of all, in release/. Everything is built in
 * a folder aside that holds only what git holds. The same sources give the same bytes: files are packed in a fixed order with a fixed time, whoever
 * may read them here, and whatever tells one build from another is left out.
 */
const root = join(import.meta.dirname, '..', '..');
const release = join(root, 'release');
const { name, version } = releaseManifest(root);
const build = buildOf(root);

/** Beside the compiled code, which lies where its sources lie in a clone: what it reads while it runs, and what a person wants to read. */
const FILES = ['src', 'migrations', 'web/dist', 'docs', 'deploy', 'bin/run.mjs', 'bin/service-flags.json'];
const PAGES = ['README.md', 'CHANGELOG.md', 'SECURITY.md', 'LICENSE', 'clients/README.md'];

export function makeRelease(): void {
  process.umask(0o022);
  const aside = mkdtempSync(join(tmpdir(), 'tillseal-release-'));
  const sources = join(aside, 'sources');
  // npm names the bill of materials after the folder.
  const folder = join(aside, name);
  try {
    exportSources(root, sources);
    mkdirSync(folder);
    rmSync(release, { recursive: true, force: true });
    mkdirSync(release);
    gather(sources, folder);
    npm(['pack', '--silent', '--ignore-scripts', '--pack-destination', release], folder);
    writeFileSync(join(release, `${name}-${version}.cdx.json`), billOfMaterials(folder));
    cpSync(join(folder, 'clients/packages'), release, { recursive: true });
    const sums = readdirSync(release)
      .toSorted()
      .map((file) => `${sha256(join(release, file))}  ${file}\n`);
    writeFileSync(join(release, 'SHA256SUMS'), sums.join(''));
    process.stdout.write(`release/\n${sums.join('')}`);
  } catch (error) {
    if (!(error instanceof NoSources)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

function gather(sources: string, folder: string): void {
  symlinkSync(join(root, 'node_modules'), join(sources, 'node_modules'));
  buildConsole(sources);
  writeClientTypes(sources);
  typescript(['-p', join(sources, 'deploy/release/tsconfig.json'), '--outDir', folder], sources);
  const isOther = (path: string) =>
    !['.ts', '.png'].includes(extname(path)) && !path.endsWith('.sources') && !path.includes('deploy/release');
  for (const path of [...FILES, ...PAGES]) {
    cpSync(join(sources, path), join(folder, path), { recursive: true, filter: isOther });
  }
  packClients(sources, join(folder, 'clients/packages'));
  cpSync(join(sources, 'deploy/release/tillseal.mjs'), join(folder, 'bin/tillseal.mjs'));
  writeFileSync(join(folder, 'package.json'), text(releaseManifest(sources, build)));
  writeFileSync(join(folder, 'npm-shrinkwrap.json'), text(productionLockfile(sources)));
}

/** CycloneDX, of the package and everything that is installed with it. */
function billOfMaterials(folder: string): string {
  const words = [
    'sbom',
    '--sbom-format',
    'cyclonedx',
    '--sbom-type',
    'application',
    '--package-lock-only',
    '--omit',
    'dev',
  ];
  const {
    serialNumber: _random,
    metadata,
    ...rest
  } = JSON.parse(npm(words, folder)) as {
    serialNumber: string;
    metadata: { timestamp: string; component: object };
  };
  const { timestamp: _now, component, ...lasting } = metadata;
  const commits = build.Commit === null ? [] : [{ uid: build.Commit, committer: { timestamp: build.CommitDate } }];
  return text({ ...rest, metadata: { ...lasting, component: { ...component, pedigree: { commits } } } });
}

function sha256(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

function text(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
