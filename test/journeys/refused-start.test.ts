import { randomBytes } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { copyDemo } from '../support/prepared-demo.ts';
import { freePort, isAlive, Machine, postmasterId } from '../support/process.ts';

let machine: Machine;
let dataDir: string;
let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase({ isMigrated: false });
});
afterAll(() => database.drop());
beforeEach(async () => {
  machine = new Machine();
  dataDir = await machine.folder();
});
afterEach(() => machine.end());

const KEY = randomBytes(32).toString('base64');

/** One line on stderr that matches, an exit code, and no database left running in the folder. */
async function expectRefused(environment: Record<string, string>, line: RegExp): Promise<void> {
  const service = machine.start({ DATA_DIR: dataDir, ...environment });
  const code = await service.ended;
  expect([code, service.stderr()]).toEqual([1, expect.stringMatching(/^tillseal: [^\n]+\n$/)]);
  expect(service.stderr()).toMatch(line);
}

function expectNoDatabase(): void {
  const server = postmasterId(dataDir);
  expect(server === undefined || !isAlive(server)).toBe(true);
}

async function expectProperStart(environment: Record<string, string> = {}): Promise<void> {
  const service = machine.start({ DATA_DIR: dataDir, ...environment });
  await service.ready;
  expect(await service.stop()).toBe(0);
}

test('a taken port is refused before anything is started', async () => {
  const holder = createServer();
  // The two after it are free: later a start needs them.
  const port = String(await freePort());
  await new Promise<void>((resolve) => holder.listen(Number(port), '127.0.0.1', resolve));
  try {
    await expectRefused({ PORT: port }, new RegExp(`port ${port} on 127\\.0\\.0\\.1 is taken`));
    expect(postmasterId(dataDir)).toBeUndefined();
  } finally {
    await new Promise((resolve) => holder.close(resolve));
  }
  const later = machine.start({ DATA_DIR: await copyDemo(dataDir), PORT: port });
  expect(await later.ready).toBe(`http://127.0.0.1:${port}`);
});

test('a taken port of the built-in authority is refused: printed QR codes lead there', async () => {
  const holder = createServer();
  // The one before is free, or the start would be refused because of that one.
  const port = await freePort();
  await new Promise<void>((resolve) => holder.listen(port + 2, '127.0.0.1', resolve));
  const PORT = String(port);
  try {
    const words = `port ${port + 2} on 127\\.0\\.0\\.1 is taken, .* such as PORT=${port + 10}\\.`;
    await expectRefused({ PORT, DATA_DIR: await copyDemo(dataDir) }, new RegExp(words));
  } finally {
    await new Promise((resolve) => holder.close(resolve));
  }
});

test('a second start on the same folder is refused and does not disturb the first', async () => {
  const first = machine.start({ DATA_DIR: await copyDemo(dataDir) });
  const url = await first.ready;
  await expectRefused({}, /already running on DATA_DIR .* \(process \d+\)/);
  expect((await fetch(`${url}/health/ready`)).status).toBe(200);
});

test('a folder that no folder can be made in is refused, not tried for ever', async () => {
  const elsewhere = { DATABASE_URL: database.url, AUTHORITY_URL: 'https://127.0.0.1:9', MASTER_KEY: KEY };
  await expectRefused({ ...elsewhere, DATA_DIR: '/proc/x/y' }, /DATA_DIR .* (cannot be used|is not writable)/);
});

test('a wrong, a lost and a short master key are refused, and the right one still opens everything', async () => {
  const keyFile = join(await copyDemo(dataDir), 'master.key');
  const MASTER_KEY = (await readFile(keyFile, 'utf8')).trim();
  await rm(keyFile);
  await expectRefused({ MASTER_KEY: randomBytes(32).toString('base64') }, /not the one this database was set up with/);
  expectNoDatabase();
  await expectRefused({}, /There is no master key in .*master\.key: put back the key/);
  await expectRefused({ MASTER_KEY: 'c2hvcnQ=' }, /not 32 bytes/);
  expectNoDatabase();
  await expectProperStart({ MASTER_KEY });
});

test('a database that loses what it has confirmed is refused, unless that is allowed', async () => {
  const environment = { DATABASE_URL: database.url, AUTHORITY_URL: 'simulator', MASTER_KEY: KEY };
  await expectRefused(
    { ...environment, ALLOW_UNSAFE_DATABASE: 'false' },
    /fsync = off and full_page_writes = off: .*ALLOW_UNSAFE_DATABASE=true/,
  );
  await expectProperStart(environment);
});

test('a folder that cannot be written is refused', async () => {
  await writeFile(join(dataDir, 'file'), '');
  await expectRefused({ DATA_DIR: join(dataDir, 'file', 'below') }, /DATA_DIR .* is a file or lies below one/);
  // Not even root may write there.
  await expectRefused({ DATA_DIR: '/sys/tillseal' }, /DATA_DIR \/sys\/tillseal is not writable for this user/);
});

/** Of settings one for all: settings.test.ts has the others. */
test('an invalid setting is refused before anything is started', async () => {
  await Promise.all([
    expectRefused({ PORT: '30OO' }, /PORT must be a whole number from 0 to 65535, got "30OO"/),
    expectRefused({ HOST: '192.0.2.1' }, /HOST=192\.0\.2\.1 is not an address of this machine/),
  ]);
  expect(postmasterId(dataDir)).toBeUndefined();
});

test('a database that does not exist is refused without showing its password', async () => {
  const given = { AUTHORITY_URL: 'simulator', MASTER_KEY: KEY };
  await expectRefused(
    { DATABASE_URL: database.url.replace('@', ':s3cr3t-w0rd@').replace(/test_\w+/, 'none'), ...given },
    /^(?!.*s3cr3t-w0rd).*database none, cannot be used/,
  );
});
