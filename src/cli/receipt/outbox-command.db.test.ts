import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Receipt, Tillseal } from '../../../clients/typescript/src/index.ts';
import { tillseal } from '../../../test/support/command-line.ts';
import { invoice } from '../../../test/support/receipts/receipts.ts';
import { createTestService, type TestService } from '../../../test/support/service.ts';
import { openShop, type Shop } from '../../../test/support/shop.ts';

let service: TestService;
let shop: Shop;
let url: string;
let folder: string;

beforeAll(async () => {
  service = await createTestService();
  await service.app.listen({ host: '127.0.0.1', port: 0 });
  url = `http://127.0.0.1:${(service.app.server.address() as AddressInfo).port}`;
  shop = await openShop(service);
  folder = await mkdtemp(join(tmpdir(), 'tillseal-cli-'));
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

const outbox = (...words: string[]) =>
  tillseal(['outbox', 'till.journal', ...words], {
    environment: { TILLSEAL_URL: url, TILLSEAL_TOKEN: shop.token },
    cwd: folder,
  });

/** Two sales of a till that could not reach the service, the first of them wrong. */
async function sellOffline(name: string): Promise<void> {
  const till = await new Tillseal({ url: 'http://127.0.0.1:1', token: 't' }).outbox(join(folder, 'till.journal'), {
    deadlineMs: 0,
  });
  await till.sell({ ...invoice(shop.deviceId, `${name}-1`), Currency: 'XXX' } as unknown as Receipt);
  await till.sell(invoice(shop.deviceId, `${name}-2`) as unknown as Receipt);
}

test('what waits is shown without a service, then drained; what is refused stays and says why', async () => {
  await sellOffline('A');
  const shown = await outbox();
  expect(shown.stdout).toMatch(/^Waiting +2, the oldest since 20\d\d-/m);
  const drained = await outbox('--drain');
  expect(drained.stdout).toMatch(/^Waiting +nothing$/m);
  expect(drained.stdout).toMatch(/^A-1 +400: .*Currency \(RCPT010\)/m);
  expect(drained.code).toBe(0);
  expect((await service.get(shop.token, '/api/receipt/A-2')).statusCode).toBe(200);
});

test('a drain that does not finish says why', async () => {
  const file = join(folder, 'away.journal');
  const till = await new Tillseal({ url: 'http://127.0.0.1:1', token: 't' }).outbox(file, { deadlineMs: 0 });
  await till.sell(invoice(shop.deviceId, 'C-1') as unknown as Receipt);
  const ran = await tillseal([
    'outbox',
    file,
    '--drain',
    '--within',
    '1',
    '--url',
    'http://127.0.0.1:1',
    '--token',
    't',
  ]);
  expect([ran.code, ran.stderr]).toEqual([3, expect.stringContaining('http://127.0.0.1:1 cannot be reached')]);
});

test('a parked sale is retried or discarded, and only a parked one', async () => {
  expect((await outbox('--retry', 'A-1', '--drain', '--json')).stdout).toContain(
    '"Parked":[{"Reference":"A-1","Status":400',
  );
  expect((await outbox('--discard', 'A-1')).stdout).toMatch(/^Parked +nothing$/m);
  const again = await outbox('--discard', 'A-1');
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('A-1 is not parked')]);
});

test('a token that is refused halts it, until it is resumed', async () => {
  await sellOffline('B');
  const refused = await outbox('--drain', '--token', 'tsk_wrong');
  expect(refused.code).toBe(4);
  expect(refused.stdout).toMatch(/^Halted +401: .*--resume$/m);
  expect((await outbox('--drain')).code).toBe(4);
  const resumed = await outbox('--resume', '--drain', '--json');
  expect([resumed.code, JSON.parse(resumed.stdout)]).toMatchObject([0, { Open: 0, Halted: null }]);
});

test('what is no outbox is said to be none, and is left alone', async () => {
  await writeFile(join(folder, 'notes.txt'), 'milk');
  const ran = await tillseal(['outbox', 'notes.txt'], { cwd: folder });
  expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining('is not an outbox')]);
  expect((await tillseal(['outbox', 'missing'], { cwd: folder })).stderr).toContain('there is no such file');
});
