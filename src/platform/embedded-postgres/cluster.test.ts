import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { linkLibraries } from './cluster.ts';

test('libraries whose links no install script has made are linked, once and for good', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tillseal-links-'));
  try {
    await mkdir(join(folder, 'native/lib'), { recursive: true });
    await writeFile(join(folder, 'native/lib/libx.so.1.2'), 'library');
    const links = [{ source: 'native/lib/libx.so.1.2', target: 'native/lib/libx.so.1' }];
    await writeFile(join(folder, 'native/pg-symlinks.json'), JSON.stringify(links));
    await linkLibraries(folder);
    await linkLibraries(folder);
    expect(await readFile(join(folder, 'native/lib/libx.so.1'), 'utf8')).toBe('library');
  } finally {
    await rm(folder, { recursive: true });
  }
});
