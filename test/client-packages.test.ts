import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { registerDocs } from '../src/docs/index.ts';
import { createHttpApp } from '../src/platform/http/app.ts';
import { createLogger } from '../src/platform/logging/logger.ts';

/** The packages of the clients, as a service in a clone hands them out. That they can be installed: client-packages.proof.ts. */
const app = createHttpApp({ log: createLogger('silent'), publicUrl: 'http://tillseal.test' });
const ROOT = join(import.meta.dirname, '..');
const { version } = manifest;
const pythonVersion = version.replace('-dev', '.dev0');
const NAMES = [
  `tillseal-${pythonVersion}-py3-none-any.whl`,
  `tillseal-${pythonVersion}.tar.gz`,
  `tillseal-client-${version}.tgz`,
  `tillseal-client-csharp-${version}.zip`,
  `tillseal-client-php-${version}.zip`,
];
let page: string;

beforeAll(async () => {
  registerDocs(app);
  page = (await app.inject('/docs/clients')).body;
});
afterAll(() => app.close());

test('the page lists every package with its checksum, and its Markdown too', async () => {
  expect([...page.matchAll(/<a href="clients\/(tillseal-[^"]+)"/g)].map(([, name]) => name)).toEqual(NAMES);
  expect((await app.inject('/docs/clients.md')).body).toContain(`](/docs/clients/${NAMES[0]})`);
});

test.each(NAMES)('%s is a download with the checksum of the page, the licence, a README and no tests', async (name) => {
  const { statusCode, headers, rawPayload } = await app.inject(`/docs/clients/${name}`);
  expect(statusCode).toBe(200);
  expect(headers).toMatchObject({
    'content-type': name.endsWith('gz') ? 'application/gzip' : 'application/zip',
    'content-disposition': `attachment; filename="${name}"`,
  });
  const row = page.split('<tr>').find((one) => one.includes(`clients/${name}"`));
  expect(row).toContain(createHash('sha256').update(rawPayload).digest('hex'));
  const names = namesIn(rawPayload);
  expect(names).toContainEqual(expect.stringMatching(/(^|\/)LICENSE$/));
  expect(names).toContainEqual(expect.stringMatching(/(^|\/)(README\.md|METADATA)$/));
  expect(names.filter((path) => /\btests?\b|\.proof\.ts$|\btill\.|__pycache__/.test(path))).toEqual([]);
});

/** From the headers of a tar, or from the directory of a zip. */
function namesIn(bytes: Buffer): string[] {
  const isZip = bytes.toString('latin1', 0, 2) === 'PK';
  const text = (isZip ? bytes : gunzipSync(bytes)).toString('latin1');
  const parts = text.split(isZip ? 'PK\x01\x02' : '0000644\0');
  return isZip
    ? parts.slice(1).map((entry) => entry.slice(42, 42 + entry.charCodeAt(24)))
    : parts.slice(0, -1).map((before) => before.slice(-100).replaceAll('\0', ''));
}

test('what is not there is 404', async () => {
  for (const name of ['tillseal-9.9.9.tgz', '../package.json', 'tillseal-%2e%2e%2fpackage.json'])
    expect((await app.inject(`/docs/clients/${name}`)).statusCode, name).toBe(404);
});

const PAGES = 'clients/{README.md,{typescript,php,python,csharp}/README.md}';

test.each([
  ['clients/typescript/package.json', /"version": "(.+)"/g],
  ['clients/php/composer.json', /"version": "(.+)"/g],
  ['clients/python/tillseal/__init__.py', /__version__ = "(.+)"/g],
  ['clients/csharp/{Tillseal.csproj,src/*.cs}', /(?:<Version>|tillseal-csharp\/)(\d[-.\w]+)/g],
  [PAGES, /tillseal-(?:client-)?(?:php-|csharp-)?(\d+\.\d+\.\d+(?:-(?!py3-)\w+|\.dev\d+)?)/g],
])('%s has the version of the product', (files, pattern) => {
  const versions = textsOf(files).flatMap((text) =>
    [...text.matchAll(pattern)].map(([, found]) => found?.replace('.dev0', '-dev')),
  );
  expect(new Set(versions)).toEqual(new Set([version]));
});

test('no page installs a package by its name alone, which could come from a stranger', () => {
  expect(textsOf(PAGES)).toHaveLength(5);
  for (const text of textsOf(PAGES))
    expect(text).not.toMatch(
      /(npm install|pip install|add package) @?tillseal|composer require tillseal\/client\b(?!:)/i,
    );
});

function textsOf(files: string): string[] {
  return globSync(files, { cwd: ROOT }).map((file) => readFileSync(join(ROOT, file), 'utf8'));
}
