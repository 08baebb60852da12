import { createHash } from 'node:crypto';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { type Files, tarGz, zip } from './archives.ts';
import { releaseManifest } from './manifest.ts';
import { typescript, writeClientTypes } from './programs.ts';

/** Writes a package of each client into `folder`, as its language's own tools would, but with Node alone. All have the product's version. */
export function packClients(root: string, folder: string): void {
  const { version } = releaseManifest(root);
  // As Python writes it, and names files by.
  const pythonVersion = version.replace('-dev', '.dev0');
  const client = (language: string, pattern: string): Files => [
    ['LICENSE', readFileSync(join(root, 'LICENSE'))],
    ...filesIn(join(root, 'clients', language), `{README.md,${pattern}}`),
  ];
  const node = [...client('typescript', 'package.json'), ...compiled(root)];
  const python = client('python', 'pyproject.toml,tillseal/**');
  const metadata = pythonMetadata(python, pythonVersion);
  const packages: Record<string, Buffer> = {
    [`tillseal-client-${version}.tgz`]: tarGz(below('package', node)),
    [`tillseal-${pythonVersion}-py3-none-any.whl`]: zip(wheel(python, pythonVersion, metadata)),
    [`tillseal-${pythonVersion}.tar.gz`]: tarGz(
      below(`tillseal-${pythonVersion}`, [...python, ['PKG-INFO', metadata]]),
    ),
    [`tillseal-client-php-${version}.zip`]: zip(client('php', 'composer.json,src/**')),
    [`tillseal-client-csharp-${version}.zip`]: zip(client('csharp', 'Tillseal.csproj,src/**')),
  };
  mkdirSync(folder, { recursive: true });
  for (const [name, content] of Object.entries(packages)) writeFileSync(join(folder, name), content);
}

/** In a fixed order. What Python leaves behind when it runs is no source. */
function filesIn(folder: string, pattern: string): Files {
  return globSync(pattern, { cwd: folder, withFileTypes: true, exclude: ['**/__pycache__'] })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).replaceAll('\\', '/'))
    .toSorted()
    .map((name) => [name, readFileSync(join(folder, name))]);
}

const below = (folder: string, files: Files): Files => files.map(([name, content]) => [`${folder}/${name}`, content]);

function compiled(root: string): Files {
  writeClientTypes(root);
  const folder = mkdtempSync(join(tmpdir(), 'tillseal-client-'));
  try {
    typescript(['-p', join(root, 'clients/typescript'), '--noEmitOnError', '--outDir', folder], root);
    return below('dist', filesIn(folder, '**'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The core metadata of packaging.python.org, from pyproject.toml. */
function pythonMetadata(python: Files, version: string): Buffer {
  const textOf = (file: string) => python.find(([name]) => name === file)?.[1].toString() ?? '';
  const fact = (name: string) => new RegExp(`^${name} = "(.+)"$`, 'm').exec(textOf('pyproject.toml'))?.[1];
  return Buffer.from(`Metadata-Version: 2.4
Name: tillseal
Version: ${version}
Summary: ${fact('description')}
License-Expression: ${fact('license')}
License-File: LICENSE
Requires-Python: ${fact('requires-python')}
Description-Content-Type: text/markdown

${textOf('README.md')}`);
}

function wheel(python: Files, version: string, metadata: Buffer): Files {
  const about = `tillseal-${version}.dist-info`;
  const tags = 'Wheel-Version: 1.0\nGenerator: tillseal\nRoot-Is-Purelib: true\nTag: py3-none-any\n';
  const files: Files = [
    ...python.filter(([name]) => name.startsWith('tillseal/')),
    ...below(
      `${about}/licenses`,
      python.filter(([name]) => name === 'LICENSE'),
    ),
    [`${about}/METADATA`, metadata],
    [`${about}/WHEEL`, Buffer.from(tags)],
  ];
  const lines = files.map(
    ([name, content]) =>
      `${name},sha256=${createHash('sha256').update(content).digest('base64url')},${content.length}\n`,
  );
  return [...files, [`${about}/RECORD`, Buffer.from(`${lines.join('')}${about}/RECORD,,\n`)]];
}

/** A service that runs in a clone has them made in a process of its own; its argument is the folder. */
if (import.meta.main) packClients(join(import.meta.dirname, '..', '..'), process.argv[2] ?? '');
