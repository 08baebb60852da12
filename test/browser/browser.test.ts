import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isForThisMachine, startBrowser } from '../support/browser.ts';
import { carriedProgramHead } from '../support/carried-chromium.ts';

test('a browser built for another machine is never run, where a shell would take its bytes for a script', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tillseal-browser-'));
  try {
    const foreign = Buffer.alloc(64);
    foreign.write('\u007fELF');
    foreign.writeUInt16LE(0x15, 18);
    const file = join(folder, 'chromium');
    await writeFile(file, foreign, { mode: 0o755 });
    expect(await startBrowser(file)).toEqual({
      kind: 'missing',
      reason: `no browser runs on this machine: ${file} is not built for ${process.arch}`,
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('the carried browser says for which machine it is built', async () => {
  expect(isForThisMachine(await carriedProgramHead())).toBe(process.arch === 'x64');
});
