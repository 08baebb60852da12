import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { packClients } from '../deploy/release/clients.ts';
import manifest from '../package.json' with { type: 'json' };

/** The packages of the clients, each installed in an empty folder as a customer would, without a network. */
const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, '..');
const { version } = manifest;
const pythonVersion = version.replace('-dev', '.dev0');
let packages: string;
let folder: string;

beforeAll(async () => {
  packages = await mkdtemp(join(tmpdir(), 'tillseal-packages-'));
  packClients(ROOT, packages);
});
beforeEach(async () => {
  folder = await mkdtemp(join(packages, 'empty-'));
});
afterAll(() => rm(packages, { recursive: true, force: true }));

const isThere = (program: string, ...words: string[]) => spawnSync(program, words).status === 0;
/** A test that says what is missing where it cannot run. */
function testWith(what: string, isHere: boolean, name: string, body: () => Promise<void>): void {
  test.skipIf(!isHere)(`${name}${isHere ? '' : ` (skipped: ${what} is not on this machine)`}`, body, 600_000);
}
const file = (name: string) => join(packages, name);
const inFolder = (program: string, ...words: string[]) => run(program, words, { cwd: folder });

test('TypeScript: npm installs it, and the programs of the clients page and of the guide are strict TypeScript', async () => {
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await inFolder('npm', 'install', '--offline', '--ignore-scripts', file(`tillseal-client-${version}.tgz`));
  await writeFile(
    join(folder, 'sums.js'),
    `import { taxSums } from '@tillseal/client'; console.log(String(taxSums([{ LineTotal: '11.55', TaxPercent: '15.5' }], true).Taxes[0].TaxAmount));`,
  );
  expect((await inFolder(process.execPath, 'sums.js')).stdout).toBe('1.55\n');
  const programs = {
    'readme.mts': 'clients/README.md',
    'guide.mts': 'docs/guide-zero-to-signed-receipt.md',
  };
  for (const [name, page] of Object.entries(programs)) {
    const snippets = [...readFileSync(join(ROOT, page), 'utf8').matchAll(/^```ts\n(.*?)^```$/gms)];
    await writeFile(join(folder, name), snippets.map(([, text]) => text).join('\n'));
  }
  expect(readFileSync(join(folder, 'guide.mts'), 'utf8')).toContain("from '@tillseal/client'");
  const types = ['--typeRoots', join(ROOT, 'node_modules/@types'), '--types', 'node'];
  const words = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2024', ...types];
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const checked = await inFolder(process.execPath, tsc, ...words, ...Object.keys(programs)).catch((error) => error);
  expect(checked).toEqual({ stdout: '', stderr: '' });
}, 600_000);

const PYTHON = `from importlib.metadata import metadata
from decimal import Decimal
import tillseal
print(metadata("tillseal")["Version"], metadata("tillseal")["Requires-Python"], tillseal.__version__)
print(tillseal.tax_sums([{"Type": "Sale", "LineTotal": Decimal("11.55"), "TaxPercent": Decimal("15.5")}], True).taxes[0]["TaxAmount"])
`;

async function expectPythonInstalls(name: string, ...words: string[]): Promise<void> {
  await inFolder('python3', '-m', 'venv', '--system-site-packages', 'venv');
  await inFolder('venv/bin/pip', 'install', '--no-index', ...words, file(name));
  expect((await inFolder('venv/bin/python', '-c', PYTHON)).stdout).toBe(
    `${pythonVersion} >=3.9 ${pythonVersion}\n1.55\n`,
  );
}

const hasPython = isThere('python3', '-c', 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 9))');
const hasSetuptools = isThere('python3', '-c', 'import setuptools as s; exit(int(s.__version__.split(".")[0]) < 77)');
testWith('python3 with venv', hasPython, 'Python: pip installs the wheel', () =>
  expectPythonInstalls(`tillseal-${pythonVersion}-py3-none-any.whl`),
);
testWith('setuptools 77 or newer', hasPython && hasSetuptools, 'Python: pip builds and installs the sources', () =>
  expectPythonInstalls(`tillseal-${pythonVersion}.tar.gz`, '--no-build-isolation'),
);

const PHP = `echo Tillseal\\TaxSums::of([['Type' => 'Sale', 'LineTotal' => '11.55', 'TaxPercent' => '15.5']], true)->taxes[0]['TaxAmount'];`;
const expectPhpRuns = async (autoload: string) =>
  expect((await inFolder('php', '-r', `require '${autoload}'; ${PHP}`)).stdout).toBe('1.55');
const unpack = (name: string) => inFolder('unzip', '-q', file(name), '-d', 'tillseal');

const hasUnzip = isThere('unzip', '-v');
const hasPhp = isThere('php', '--version') && hasUnzip;
const hasZip = isThere('php', '-r', 'exit((int) !extension_loaded("zip"));');
const hasComposer = hasPhp && isThere('composer', '--version');

async function expectComposerInstalls(type: string, url: string): Promise<void> {
  await writeFile(join(folder, 'composer.json'), '{ "repositories": { "packagist.org": false } }');
  const env = { ...process.env, COMPOSER_HOME: join(folder, 'home'), COMPOSER_DISABLE_NETWORK: '1' };
  const composer = (...words: string[]) => run('composer', ['--no-interaction', ...words], { cwd: folder, env });
  await composer('config', 'repositories.tillseal', type, url);
  await composer('require', `tillseal/client:${version}`);
  await expectPhpRuns('vendor/autoload.php');
}

const PHP_PACKAGE = `tillseal-client-php-${version}.zip`;
testWith('php, or unzip,', hasPhp, 'PHP: it runs unpacked', async () => {
  await unpack(PHP_PACKAGE);
  await expectPhpRuns('tillseal/src/autoload.php');
});
testWith('composer', hasComposer, 'PHP: Composer installs it from where it was unpacked', async () => {
  await unpack(PHP_PACKAGE);
  await expectComposerInstalls('path', 'tillseal');
});
testWith(
  "composer with php's zip",
  hasComposer && hasZip,
  'PHP: Composer installs it from a folder of files',
  async () => {
    await mkdir(join(folder, 'packages'));
    await writeFile(join(folder, 'packages', PHP_PACKAGE), readFileSync(file(PHP_PACKAGE)));
    await expectComposerInstalls('artifact', 'packages');
  },
);

const hasMono = hasUnzip && isThere('mcs', '--version') && isThere('mono', '--version');
testWith('mono with mcs, or unzip,', hasMono, 'C#: its sources compile, and a program uses them', async () => {
  await unpack(`tillseal-client-csharp-${version}.zip`);
  const words = ['-langversion:7.2', '-r:System.Net.Http', '-r:System.Data'];
  await inFolder('mcs', ...words, '-target:library', '-out:Tillseal.dll', '-recurse:tillseal/src/*.cs');
  const program = 'static class P { static void Main() => System.Console.Write(new Tillseal.Receipt().GetType()); }';
  await writeFile(join(folder, 'Program.cs'), program);
  await inFolder('mcs', ...words, '-r:Tillseal.dll', 'Program.cs');
  expect((await inFolder('mono', 'Program.exe')).stdout).toBe('Tillseal.Receipt');
});
