import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Pool } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeArchive } from '../../src/backup/archive-writer.ts';
import { readEntries } from '../../src/backup/read-archive.ts';
import type { Entry } from '../../src/backup/tar.ts';
import { type Asker, ask } from '../support/ask.ts';
import { AuthorityProcesses } from '../support/authority/processes.ts';
import { type Ran, tillseal } from '../support/command-line.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { COMPILE_CACHE, Machine, openEmbedded, type ServiceProcess, until } from '../support/process.ts';
import { lostSeals } from '../support/receipts/answered.ts';
import { headOf, proveChain } from '../support/receipts/chain.ts';
import { Load, nowInvoice, post, type Seal } from '../support/receipts/load.ts';

/** The first was sold on after the first backup, the second was not. */
const BUSY = 8101;
const QUIET = 8102;
const PASSPHRASE = 'correct horse battery staple';

const machine = new Machine();
let bench: AuthorityProcesses;
let restored: TestDatabase;
let folder: string;
let sealedBefore: Map<string, Seal>;
let masterKeyFile: string;

beforeAll(async () => {
  [bench, restored, folder] = await Promise.all([
    AuthorityProcesses.start(),
    createTestDatabase({ isMigrated: false }),
    machine.folder(),
  ]);
  masterKeyFile = join(folder, 'kept-apart.key');
  await writeFile(masterKeyFile, bench.environment['MASTER_KEY'] ?? '');
});
afterAll(async () => {
  await machine.end();
  await bench.end();
  await restored.drop();
});

function run(words: readonly string[], environment: Record<string, string> = {}): Promise<Ran> {
  return tillseal(words, { cwd: folder, environment });
}

function till(url: string): Asker {
  return { url, token: bench.shop.token };
}

async function sell(url: string, deviceId: number, reference: string): Promise<number> {
  const answer = await post(till(url), nowInvoice(deviceId, reference));
  return answer.status;
}

async function end(service: ServiceProcess): Promise<void> {
  expect(await service.stop()).toBe(0);
}

/** Without those that say that a device is out of use, which come and go half a minute later. */
async function openAlerts(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ words: string }>(
    `select concat_ws(' ', case kind when 'Restored' then 'RestoredFromBackup' else kind end, what, 'device ' || device_id) as words
       from alerts where cleared_at is null and kind not in ('DeviceStopped', 'ReportDue', 'EndpointPaused') order by 1`,
  );
  return rows.map((row) => row.words);
}

/** Held in the beginning; then the authority is asked about each. */
async function untilAsked(pool: Pool): Promise<void> {
  await until(
    async () => !(await openAlerts(pool)).some((words) => words.startsWith('RestoredFromBackup')),
    'the authority was asked',
  );
}

async function numbersAtAuthority(deviceId: number): Promise<number[]> {
  return (await bench.books.receipts(deviceId)).map((receipt) => receipt.receiptGlobalNo);
}

const oneTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

test('a backup under load is one moment: restored elsewhere, nothing that was answered before is missing and all chains hold', async () => {
  const service = bench.startService();
  const url = await service.ready;
  await Promise.all([bench.addDevice(url, BUSY), bench.addDevice(url, QUIET)]);
  expect(await sell(url, QUIET, 'quiet-1')).toBe(200);
  const settings = { Address: 'https://shop.example.com/', EventTypes: ['device.blocked'] };
  const endpoint = await ask(till(url), 'POST', '/api/endpoints', settings);
  expect(endpoint.ok).toBe(true);
  const under = new Load(till(url), BUSY, 4, 'load', 80);
  await until(() => under.seals.size > 40, '40 receipts');
  sealedBefore = new Map(under.seals);
  const environment = { ...bench.environment, TILLSEAL_BACKUP_PASSPHRASE: PASSPHRASE };
  const first = await run(['backup', 'first.tar.gz', '--json'], environment);
  expect(first.stderr).toBe('');
  expect(JSON.parse(first.stdout)).toMatchObject({ HasMasterKey: true });
  const after = under.seals.size;
  await until(() => under.seals.size > after + 10, 'more receipts after the backup');
  await under.stop();
  await bench.until(async () => (await bench.backlog()) === 0, 'everything is with the authority');
  const second = await run(['backup', 'second.tar.gz'], {
    DATABASE_URL: bench.database.url,
    MASTER_KEY_FILE: masterKeyFile,
  });
  expect(second.stdout).toMatch(/^Has master key +no$/m);
  expect(second.stderr).toContain('without it no device can sign again');
  await end(service);

  const words = ['restore', 'first.tar.gz', '--save-master-key', 'restored.key', '--json'];
  const ran = await run(words, { DATABASE_URL: restored.url, TILLSEAL_BACKUP_PASSPHRASE: PASSPHRASE });
  expect(ran.code, ran.stderr).toBe(0);
  expect(JSON.parse(ran.stdout)).toMatchObject({ Devices: 2, HeldDevices: 2, Faults: [] });
  expect(await lostSeals(restored.pool, sealedBefore.values())).toEqual([]);
  expect(await proveChain(restored.pool, BUSY)).toMatchObject({ holds: true });
  expect((await restored.pool.query('select state from endpoints')).rows).toEqual([{ state: 'Paused' }]);
});

test('after a restore a device the authority knows more of seals nothing and says why; the others go on', async () => {
  const before = await headOf(restored.pool, BUSY);
  const atAuthority = await numbersAtAuthority(BUSY);
  expect(atAuthority.length).toBeGreaterThan(before.global_counter);
  const service = bench.startService({
    DATABASE_URL: restored.url,
    MASTER_KEY: '',
    MASTER_KEY_FILE: join(folder, 'restored.key'),
  });
  const url = await service.ready;
  await untilAsked(restored.pool);
  expect(await openAlerts(restored.pool)).toEqual([`AuthorityAhead device ${BUSY}`]);
  const refused = await post(till(url), nowInvoice(BUSY, 'busy-after'));
  expect(await refused.text()).toContain(
    `the authority has receipt ${atAuthority.length} and day 1, the newest here are receipt ${before.global_counter} and day 1`,
  );
  expect(refused.status).toBeGreaterThanOrEqual(400);
  expect(await headOf(restored.pool, BUSY)).toEqual(before);

  expect(await sell(url, QUIET, 'quiet-2')).toBe(200);
  await until(async () => (await numbersAtAuthority(QUIET)).length === 2, 'the new receipt is with the authority');
  expect(await numbersAtAuthority(QUIET)).toEqual([1, 2]);
  expect(await numbersAtAuthority(BUSY)).toEqual(atAuthority);
  await end(service);

  // As after a restore by other means.
  const marked = await run(['restore', 'mark', '--json'], { DATABASE_URL: restored.url });
  expect([marked.code, marked.stdout]).toEqual([
    0,
    expect.stringMatching(/^\{"Database":".*, timeline 1, newest receipt: .*","HeldDevices":2\}\n$/),
  ]);
  expect(await openAlerts(restored.pool)).toEqual([
    `AuthorityAhead device ${BUSY}`,
    `RestoredFromBackup device ${BUSY}`,
    `RestoredFromBackup device ${QUIET}`,
  ]);
});

test('a restore that was killed leaves a folder the service refuses; repeated, it makes an installation that goes on', async () => {
  const dataDir = join(await machine.folder(), 'data');
  const words = ['restore', 'second.tar.gz', '--data', dataDir, '--master-key-file', masterKeyFile];
  await killWhenLoading(words);
  const settings = { ...bench.environment, DATA_DIR: dataDir, DATABASE_URL: '', MASTER_KEY: '', DEMO: 'false' };
  const refused = machine.start(settings);
  expect(await refused.ended).toBe(1);
  expect(refused.stderr()).toContain('run tillseal restore into it again');

  const ran = await run(words);
  expect(ran.code, ran.stderr).toBe(0);
  expect(ran.stdout).toMatch(/^Devices +2\nReceipts +\d+\n.*^Chains +all hold$/ms);
  const service = machine.start(settings);
  const url = await service.ready;
  const pool = await openEmbedded(dataDir);
  try {
    await untilAsked(pool);
    expect(await openAlerts(pool)).toEqual([`AuthorityAhead device ${QUIET}`]);
    const { global_counter: last } = await headOf(pool, BUSY);
    expect(await sell(url, BUSY, 'busy-goes-on')).toBe(200);
    await until(async () => (await numbersAtAuthority(BUSY)).length === last + 1, 'it is with the authority');
    expect(await numbersAtAuthority(BUSY)).toEqual(oneTo(last + 1));
    expect(await lostSeals(pool, sealedBefore.values())).toEqual([]);
    expect(await proveChain(pool, BUSY)).toMatchObject({ holds: true });
    for (const [path, secret] of Object.entries(SECRET_FILES)) {
      await mkdir(dirname(join(dataDir, path)), { recursive: true });
      await writeFile(join(dataDir, path), secret);
    }
    await writeFile(join(dataDir, 'operator-token'), 'tsk_operator-token');
    const again = await run(['backup', 'third.tar.gz', '--data', dataDir, '--json'], {
      TILLSEAL_BACKUP_PASSPHRASE: PASSPHRASE,
    });
    expect([again.code, again.stderr]).toEqual([0, '']);
    expect(JSON.parse(again.stdout)).toMatchObject({ HasMasterKey: true, Receipts: last + 2 });
  } finally {
    await pool.end();
  }
  await end(service);
});

/** As a demo leaves them beside its database. */
const SECRET_FILES = {
  'demo.json': '{"password":"tsk_demo-password"}',
  'simulator/identity/ca.key': 'tsk_private-key',
};

test('no secret is in clear in a backup, and a restore brings every one back', async () => {
  const plain = gunzipSync(await readFile(join(folder, 'third.tar.gz')));
  const secrets = ['tsk_demo', 'tsk_private', 'tsk_operator', 'PRIVATE KEY', bench.shop.token];
  for (const secret of [...secrets, bench.environment['MASTER_KEY'] ?? '']) {
    expect(plain.includes(secret), secret).toBe(false);
  }
  const dataDir = join(await machine.folder(), 'data');
  const ran = await run(['restore', 'third.tar.gz', '--data', dataDir], { TILLSEAL_BACKUP_PASSPHRASE: PASSPHRASE });
  expect(ran.code, ran.stderr).toBe(0);
  for (const [path, secret] of Object.entries(SECRET_FILES)) {
    expect(await readFile(join(dataDir, path), 'utf8')).toBe(secret);
  }
  expect((await readFile(join(dataDir, 'operator-token'), 'utf8')).trim()).toBe('tsk_operator-token');
});

/** An archive in which somebody who can write to it made another token the operator's, checksums and all. */
async function forge(): Promise<void> {
  const all: Entry[] = [];
  for await (const entry of readEntries(join(folder, 'second.tar.gz'))) all.push(entry);
  const tokens = 'tables/tokens';
  const changed = Buffer.from(
    String(all.find(({ name }) => name.startsWith(tokens))?.bytes).replace(
      /\\\\x[0-9a-f]{64}/,
      `\\\\x${'ab'.repeat(32)}`,
    ),
  );
  async function* forged(): AsyncGenerator<Entry> {
    for (const { name, bytes } of all) {
      if (name.startsWith(tokens)) yield { name, bytes: changed };
      else if (name === 'manifest.json') {
        const manifest = JSON.parse(String(bytes)) as { Tables: { Name: string; Sha256: string }[] };
        const Sha256 = createHash('sha256').update(changed).digest('hex');
        const Tables = manifest.Tables.map((table) => (table.Name === tokens ? { ...table, Sha256 } : table));
        yield { name, bytes: Buffer.from(JSON.stringify({ ...manifest, Tables })) };
      } else yield { name, bytes };
    }
  }
  await writeArchive(join(folder, 'forged.tar.gz'), forged(), new Date());
}

async function killWhenLoading(words: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, [resolve(import.meta.dirname, '../../src/cli/main.ts'), ...words], {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', NODE_COMPILE_CACHE: COMPILE_CACHE },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'close');
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    if (said.includes('loading')) child.kill('SIGKILL');
  });
  const [code, signal] = (await ended) as [number | null, string | null];
  expect([code, signal], said).toEqual([null, 'SIGKILL']);
}

test('a flipped byte, a forged token, a cut, a wrong key, a wrong passphrase and a target with something in it are refused before anything is touched', async () => {
  const bytes = await readFile(join(folder, 'second.tar.gz'));
  const flipped = Buffer.from(bytes);
  flipped.writeUInt8(flipped.readUInt8(bytes.length >> 1) ^ 0x10, bytes.length >> 1);
  await writeFile(join(folder, 'flipped.tar.gz'), flipped);
  await writeFile(join(folder, 'cut.tar.gz'), bytes.subarray(0, bytes.length - 2000));
  await forge();
  await writeFile(join(folder, 'wrong.key'), Buffer.alloc(32, 7).toString('base64'));
  await copyFile(masterKeyFile, join(folder, 'something'));
  const target = ['--data', join(folder, 'never'), '--master-key-file'];
  const cases: [string[], Record<string, string>, RegExp][] = [
    [['flipped.tar.gz', ...target, masterKeyFile], {}, /flipped\.tar\.gz cannot be restored: /],
    [['forged.tar.gz', ...target, masterKeyFile], {}, /forged\.tar\.gz cannot be restored: its seal does not hold/],
    [['cut.tar.gz', ...target, masterKeyFile], {}, /cut\.tar\.gz cannot be restored: /],
    [
      ['second.tar.gz', ...target, 'wrong.key'],
      {},
      /not the master key of the installation: its fingerprint must begin with/,
    ],
    [['second.tar.gz', '--data', join(folder, 'never')], {}, /The master key is not in this backup/],
    [
      ['first.tar.gz', '--data', join(folder, 'never')],
      { TILLSEAL_BACKUP_PASSPHRASE: 'wrong' },
      /The passphrase is not the one/,
    ],
    [['second.tar.gz', '--data', folder, '--master-key-file', masterKeyFile], {}, /is not empty/],
    [
      ['second.tar.gz', '--master-key-file', masterKeyFile],
      { DATABASE_URL: bench.database.url },
      /The database is not empty: it holds an installation/,
    ],
  ];
  const runs = await Promise.all(cases.map(([words, environment]) => run(['restore', ...words], environment)));
  for (const [index, ran] of runs.entries()) {
    expect([ran.code, ran.stderr], `case ${index}`).toEqual([1, expect.stringMatching(cases[index]?.[2] ?? /never/)]);
  }
  expect(existsSync(join(folder, 'never'))).toBe(false);
});
