/**
 * Builds the console into web/dist, unless what is there was made from the same sources. Run by the launcher before the
 * service and the tests; the sources' hash beside the result tells whether there is anything to do.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const web = dirname(fileURLToPath(import.meta.url));
const root = dirname(web);
const dist = join(web, 'dist');
const stampName = '.sources';

/** What the result depends on: the sources, what they take from kernel and contract, and the versions of everything. */
function sourcesHash() {
  const hash = createHash('sha256');
  const files = [web, join(root, 'src', 'kernel'), join(root, 'src', 'contract')]
    .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)))
    .filter((file) => !file.startsWith(dist) && /\.(tsx?|mjs|html|css|svg|json)$/.test(file))
    .concat(join(root, 'package-lock.json'))
    .toSorted();
  for (const file of files) hash.update(relative(root, file)).update('\0').update(readFileSync(file)).update('\0');
  return hash.digest('hex');
}

function isBuilt(expected) {
  const stamp = join(dist, stampName);
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === expected;
}

/** Packed here once, so that the service only has to hand out files. */
function packFiles(folder) {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!/\.(js|css|svg)$/.test(name)) continue;
    const plain = readFileSync(join(folder, name));
    writeFileSync(join(folder, `${name}.gz`), gzipSync(plain, { level: 9 }));
    const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
    writeFileSync(join(folder, `${name}.br`), brotliCompressSync(plain, { params }));
  }
}

export async function buildConsole() {
  const expected = sourcesHash();
  if (isBuilt(expected)) return;
  process.stderr.write('Building the console (some seconds, when its sources have changed) …\n');
  const startedAt = Date.now();
  const { build } = await import('vite');
  // Made aside and put in place with one step: a service that starts meanwhile sees the old one or the new one.
  const aside = join(root, '.cache', `console-${process.pid}`);
  mkdirSync(aside, { recursive: true });
  try {
    await build({
      configFile: join(web, 'vite.config.ts'),
      logLevel: 'warn',
      build: { outDir: aside, emptyOutDir: true },
    });
    packFiles(aside);
    writeFileSync(join(aside, stampName), expected);
    rmSync(dist, { recursive: true, force: true });
    renameSync(aside, dist);
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
  process.stderr.write(`done in ${Math.round((Date.now() - startedAt) / 1000)} s\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildConsole();
