import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, inject } from 'vitest';
import { spawnService, until } from './process.ts';

const PATIENCE_MS = 180_000;

/**
 * Fills a folder with the demo as its first start leaves it, stopped. The first test of a run that asks makes it and the others
 * copy it: making one takes three times as long as starting it again, and first-start.test.ts looks at how that is done.
 */
export async function copyDemo(folder: string): Promise<string> {
  const prepared = join(inject('folder'), 'demo');
  if (await isFirst(`${prepared}-begun`)) {
    const unfinished = `${prepared}-unfinished`;
    const service = spawnService({ DATA_DIR: unfinished });
    await service.ready;
    expect(await service.stop()).toBe(0);
    await rename(unfinished, prepared);
  }
  await until(() => existsSync(prepared), 'another test has made the demo', PATIENCE_MS);
  await promisify(execFile)('cp', ['-a', `${prepared}/.`, folder]);
  return folder;
}

async function isFirst(folder: string): Promise<boolean> {
  try {
    await mkdir(folder);
    return true;
  } catch {
    return false;
  }
}
