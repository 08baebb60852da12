import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Name and content of each. */
export type ClientPackages = ReadonlyMap<string, Buffer>;

const ROOT = join(import.meta.dirname, '../..');
const CARRIED = join(ROOT, 'clients/packages');

/** A release carries them. A clone packs its sources, in a process of its own, so that nobody else waits for the compiler. */
export async function clientPackages(): Promise<ClientPackages> {
  if (existsSync(CARRIED)) return readPackages(CARRIED);
  const folder = await mkdtemp(join(tmpdir(), 'tillseal-clients-'));
  try {
    await promisify(execFile)(process.execPath, [join(ROOT, 'deploy/release/clients.ts'), folder]);
    return await readPackages(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function readPackages(folder: string): Promise<ClientPackages> {
  const names = (await readdir(folder)).toSorted();
  return new Map(await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name))] as const)));
}

export function packageType(name: string): string {
  return /\.(whl|zip)$/.test(name) ? 'application/zip' : 'application/gzip';
}

/** The end of the page about them, in Markdown. */
export function packageTable(packages: ClientPackages): string {
  const rows = [...packages].map(([name, content]) => {
    const sum = createHash('sha256').update(content).digest('hex');
    return `| [${name}](/docs/clients/${name}) | \`${sum}\` |\n`;
  });
  return `\n## The files\n\n| file | SHA-256 |\n|---|---|\n${rows.join('')}`;
}
