import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Client, type Receipt, type Report } from '../../../clients/typescript/src/index.ts';
import { type CommandWorld, openCommandWorld, tillseal } from '../../../test/support/command-line.ts';
import { invoice } from '../../../test/support/receipts/receipts.ts';
import type { TestService } from '../../../test/support/service.ts';
import type { Shop } from '../../../test/support/shop.ts';

let world: CommandWorld;
let service: TestService;
let shop: Shop;
let folder: string;
beforeAll(async () => {
  world = await openCommandWorld();
  ({ service, shop, folder } = world);
});
afterAll(() => world.close());

const outbox = (...words: string[]) => world.run(['outbox', 'till.outbox', ...words]);

/** Two sales of a till that could not reach the service, the first of them wrong. */
async function sellOffline(name: string): Promise<void> {
  const till = await new Client('http://127.0.0.1:1', 't').openOutbox(join(folder, 'till.outbox'), {
    deadlineSeconds: 0,
  });
  await till.sell({ ...invoice(shop.deviceId, `${name}-1`), Currency: 'XXX' } as unknown as Receipt);
  await till.sell(invoice(shop.deviceId, `${name}-2`) as unknown as Receipt);
}

test('what is queued is shown without a service, then drained; what is refused stays and says why', async () => {
  await sellOffline('A');
  expect((await outbox()).stdout).toMatch(/^Queued +2, the oldest since 20\d\d-/m);
  const drained = await outbox('--drain');
  expect(drained.stdout).toMatch(/^Drained +sent 1, set 1 aside$/m);
  expect(drained.stdout).toMatch(/^Queued +nothing$/m);
  expect(drained.stdout).toMatch(/^A-1 +400: .*Currency \(RCPT010\)/m);
  expect(drained.code).toBe(0);
  expect((await service.get(shop.token, '/api/receipt/A-2')).statusCode).toBe(200);
});

test('a drain that does not finish says why, and so does whoever looks later', async () => {
  const file = join(folder, 'away.outbox');
  const till = await new Client('http://127.0.0.1:1', 't').openOutbox(file, { deadlineSeconds: 0 });
  await till.sell(invoice(shop.deviceId, 'C-1') as unknown as Receipt);
  const nobody = ['--url', 'http://127.0.0.1:1', '--token', 't'];
  const ran = await tillseal(['outbox', file, '--drain', '--within', '1', ...nobody]);
  expect([ran.code, ran.stdout]).toEqual([3, expect.stringContaining('sent 0, set 0 aside')]);
  const shown = await tillseal(['outbox', file]);
  expect(shown.stdout).toMatch(/^Last failure +20\S+Z: http:\/\/127\.0\.0\.1:1 cannot be reached/m);
  expect(shown.stdout).toMatch(/^Failing since +20\S+Z$/m);
});

test('a sale that is set aside is retried, alone or with all others, or discarded', async () => {
  for (const retry of [['--retry', 'A-1'], ['--retry-all']]) {
    const drained = JSON.parse((await outbox(...retry, '--drain', '--json')).stdout);
    expect(drained).toMatchObject({
      Signed: 0,
      SetAside: 1,
      Status: { SetAside: [{ Reference: 'A-1', Status: 400 }] },
    });
  }
  expect((await outbox('--discard', 'A-1')).stdout).toMatch(/^Set aside +nothing$/m);
  const again = await outbox('--discard', 'A-1');
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('A-1 is neither set aside nor queued')]);
});

test('a token that is refused halts it, until it is resumed', async () => {
  await sellOffline('B');
  const refused = await outbox('--drain', '--token', 'tsk_wrong');
  expect(refused.code).toBe(4);
  expect(refused.stdout).toMatch(/^Halted +since 20\S+Z: 401: .*--resume$/m);
  expect((await outbox('--drain')).code).toBe(4);
  const resumed = await outbox('--resume', '--drain', '--json');
  expect([resumed.code, JSON.parse(resumed.stdout).Status]).toMatchObject([0, { Queued: 0, Halted: null }]);
});

test('the sales of an unknown device wait, and the till is told; those of another in the same file go on', async () => {
  const unknown = 899_999;
  const file = join(folder, 'two.outbox');
  const reports: Report[] = [];
  const open = () => new Client(world.url, shop.token).openOutbox(file, { report: (one) => reports.push(one) });
  const till = await open();
  const sell = async (deviceId: number, name: string) =>
    (await till.sell(invoice(deviceId, name) as unknown as Receipt)).outcome;
  expect([await sell(unknown, 'U-1'), await sell(shop.deviceId, 'K-1')]).toEqual(['Queued', 'Signed']);
  expect([await sell(unknown, 'U-2'), await sell(shop.deviceId, 'K-2')]).toEqual(['Queued', 'Signed']);
  expect(reports).toEqual([]);

  const sales = new DatabaseSync(file);
  sales.exec('update sales set failing_since = failing_since - 300');
  sales.close();
  // A new process tries at once.
  const waiting = await (await open()).drain({ withinSeconds: 1 });
  expect(waiting).toMatchObject({ signed: 0, setAside: 0, status: { queued: 2, setAside: [], halted: null } });
  const message = expect.stringContaining('There is no device 899999 for you');
  expect(reports).toMatchObject([{ kind: 'Stuck', reference: 'U-1', message }]);

  await service.addDevice(shop.taxpayerId, { deviceId: unknown });
  expect(await (await open()).drain()).toMatchObject({ signed: 2, setAside: 0, status: { queued: 0 } });
  const numbers = await Promise.all(['U-1', 'U-2'].map(async (name) => (await till.find(name))?.number));
  expect(numbers).toEqual([1, 2]);
});

test('what is no outbox is refused, and left alone', async () => {
  await writeFile(join(folder, 'notes.txt'), 'milk');
  const ran = await tillseal(['outbox', 'notes.txt'], { cwd: folder });
  expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining('damaged or no database')]);
  expect(await readFile(join(folder, 'notes.txt'), 'utf8')).toBe('milk');
});

test('a file that is not there is not made', async () => {
  expect((await tillseal(['outbox', 'missing'], { cwd: folder })).stderr).toContain('there is no such file');
  await expect(readFile(join(folder, 'missing'))).rejects.toThrow('ENOENT');
});
