import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mountSmallDisk } from '../../proof/world/small-disk.ts';
import type { Demo } from '../../src/demo/demo.ts';
import { ask } from '../support/ask.ts';
import { tillseal } from '../support/command-line.ts';
import { liftDateLimit, Machine, openEmbedded, readDemoFile, type ServiceProcess, until } from '../support/process.ts';
import { lostSeals } from '../support/receipts/answered.ts';
import { proveChain } from '../support/receipts/chain.ts';
import { Load, nowInvoice, post } from '../support/receipts/load.ts';

const DEVICE = 1001;
const PATIENCE_MS = 60_000;
const machine = new Machine();
const folder = await machine.folder();
const disk = mountSmallDisk(join(folder, 'disk'), 256);
const why = disk.whyNot === undefined ? '' : ` (skipped: ${disk.whyNot})`;
const dataDir = join(disk.folder, 'data');

describe.skipIf(disk.whyNot !== undefined)(`a disk that is full${why}`, () => {
  let service: ServiceProcess;
  let url: string;
  let demo: Demo;

  beforeAll(async () => {
    service = machine.start({ DATA_DIR: dataDir });
    url = await service.ready;
    demo = await readDemoFile(dataDir);
    const pool = await openEmbedded(dataDir);
    await liftDateLimit(pool, DEVICE);
    await pool.end();
  }, 120_000);
  afterAll(async () => {
    await disk.empty();
    await service.stop();
    disk.remove();
    await machine.end();
  });

  const seal = (reference: string) => post({ url, token: demo.taxpayer.token }, nowInvoice(DEVICE, reference));
  const pay = (VendorReference: string) =>
    ask({ url, token: demo.vendor.token }, 'POST', '/api/payment/pay', {
      VendorReference,
      BillerCode: demo.billers.plain,
      MemberNumber: '14250000041',
      Currency: 'USD',
      Amount: 5,
    });

  test('receipts and payments are refused with the reason, none is lost or sealed twice, and it goes on when there is room', async () => {
    const load = new Load({ url, token: demo.taxpayer.token }, DEVICE, 4, 'full', 5);
    await until(() => load.seals.size > 20, '20 receipts', PATIENCE_MS);
    await disk.fill();
    await until(() => (load.statuses.get(503) ?? 0) > 20, 'receipts are refused', PATIENCE_MS);
    // Rows may still find room in the pages that are there.
    const refused = async (send: (reference: string) => Promise<Response>, name: string) => {
      for (let count = 0; count < 500; count += 1) {
        const answer = await send(`${name}-${count}`);
        if (answer.status !== 200) return { status: answer.status, words: await answer.text() };
      }
      return undefined;
    };
    const noRoom = { status: 503, words: expect.stringContaining('no room left on the disk of its database') };
    expect(await refused(seal, 'NO-ROOM')).toEqual(noRoom);
    expect(await refused(pay, 'NO-ROOM')).toEqual(noRoom);

    const before = load.seals.size;
    await disk.empty();
    await until(() => load.seals.size > before + 20, '20 more receipts', PATIENCE_MS);
    await load.stop();
    expect(new Set(load.statuses.keys())).toEqual(new Set([200, 503]));
    expect((await pay('ROOM')).status).toBe(200);
    const pool = await openEmbedded(dataDir);
    expect(await lostSeals(pool, load.seals.values())).toEqual([]);
    expect(await proveChain(pool, DEVICE)).toMatchObject({ holds: true });
    await pool.end();
  }, 240_000);

  test('a backup that finds no room leaves no file; a restore that finds none leaves nothing to start on, and can be repeated', async () => {
    const whole = join(folder, 'whole.tar.gz');
    expect((await tillseal(['backup', whole, '--data', dataDir])).code).toBe(0);
    await disk.fill();
    const backup = await tillseal(['backup', join(disk.folder, 'backup.tar.gz'), '--data', dataDir]);
    // The file, or the server that is asked for the rows: whichever meets the full disk first.
    expect([1, 3]).toContain(backup.code);
    expect(backup.stderr).toMatch(/^tillseal: .*no space left/i);
    expect((await readdir(disk.folder)).toSorted()).toEqual(['ballast', 'data']);
    await disk.empty();

    const target = join(disk.folder, 'restored');
    const words = ['restore', whole, '--data', target, '--master-key-file', join(dataDir, 'master.key')];
    await disk.fill();
    const restore = await tillseal(words);
    expect([restore.code, restore.stderr]).toEqual([
      expect.any(Number),
      expect.stringMatching(/no space left|is full/i),
    ]);
    expect(restore.code).not.toBe(0);
    expect(restore.stderr).not.toMatch(/\n\s+at /);
    await disk.empty();
    const again = await tillseal(words);
    expect([again.code, again.stderr]).toEqual([0, expect.any(String)]);
    expect(existsSync(join(target, 'postgres'))).toBe(true);
  }, 240_000);
});
