import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { mountSmallDisk } from '../../../chaos/world/small-disk.ts';
import { until } from '../../../test/support/process.ts';
import type { Receipt } from '../src/api.ts';
import { JournalError, Outbox } from '../src/index.ts';
import { Journal } from '../src/outbox/journal.ts';
import { lineOf, readLine, secondsOf } from '../src/outbox/record.ts';
import { type ScriptedService, sealed, startScriptedService } from './scripted-service.ts';

let folder: string;
let file: string;
let service: ScriptedService;
const children: ReturnType<typeof spawn>[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tillseal-journal-'));
  file = join(folder, 'till.journal');
  service = await startScriptedService();
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await service.close();
  rmSync(folder, { recursive: true, force: true });
});

const HEADER = lineOf({ Kind: 'Outbox', Version: 1, Id: '0123456789abcdef' });
const sale = (Reference: string, at = Date.now()) =>
  lineOf({ Kind: 'Sale', At: secondsOf(at), Reference, AuthorityDeviceId: 1, Body: `{"Reference":"${Reference}"}` });
const signed = (Reference: string, at: number) =>
  lineOf({ Kind: 'Signed', At: secondsOf(at), Reference, Answer: '{}' });
const open = (options: object = {}) =>
  Outbox.open({ file, url: service.url, token: 't', deadlineMs: 50_000, ...options });
// The outbox looks at nothing but these two; the rest is for Tillseal.
const receipt = (Reference: string) => ({ Reference, AuthorityDeviceId: 1 }) as Receipt;

/** Every line of the journal; fails on a damaged one. */
function records(path = file) {
  const lines = readFileSync(path).toString('latin1').split('\n');
  expect(lines.pop()).toBe('');
  return lines.map((line) => {
    const record = readLine(Buffer.from(line, 'latin1'));
    if (typeof record === 'string') throw new Error(`${record}: ${line}`);
    return record;
  });
}
const written = () =>
  records().map((record) => ('Reference' in record ? `${record.Kind} ${record.Reference}` : record.Kind));

/** A till in a process of its own. */
function till(words: readonly string[], sabotage?: string) {
  const program = join(import.meta.dirname, sabotage === undefined ? '../till.ts' : 'sabotaged-till.ts');
  const child = spawn(process.execPath, [program, ...words, '--journal', file], {
    env: { ...process.env, SABOTAGE: sabotage ?? '' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const ended = once(child, 'close').then(([code, signal]: unknown[]) => code ?? signal);
  return { child, ended, output: text(child.stdout) };
}
const stress = (prefix: string, count: number, sabotage?: string) =>
  till(['stress', '--device', '1', '--prefix', prefix, '--count', String(count)], sabotage);

const isStopped = (id: number | undefined) => /^State:\s+T/m.test(readFileSync(`/proc/${id}/status`, 'utf8'));

/** As if a minute had passed without a sign of life. */
function age(kind: 'append' | 'drain') {
  const lock = readdirSync(folder).find((name) => name.includes(`.${kind}.`)) ?? '';
  utimesSync(join(folder, lock), new Date(), new Date(Date.now() - 61_000));
}

describe('what a bad end leaves behind', () => {
  test.each([
    ['half a line', sale('A-2').subarray(0, 50)],
    ['a line without its line feed', sale('A-2').subarray(0, -1)],
    ['a line with a wrong checksum', Buffer.from(sale('A-2').toString().replace(/^./, 'x'))],
    ['a block of zeros', Buffer.alloc(4096)],
  ])('%s is ignored, and cut off by the next sale', async (_name, tail) => {
    writeFileSync(file, Buffer.concat([HEADER, sale('A-1'), tail]));
    const outbox = await open();
    expect(await outbox.status()).toMatchObject({ open: 1 });
    expect((await outbox.sell(receipt('A-3'))).outcome).toBe('Signed');
    expect(written()).toEqual(['Outbox', 'Sale A-1', 'Sale A-3', 'Signed A-1', 'Signed A-3']);
  });

  test('a wrong line in the middle stops everything and is left alone', async () => {
    const outbox = await open();
    const damaged = Buffer.concat([
      HEADER,
      sale('A-1'),
      Buffer.from(sale('A-2').toString().replace('A-2', 'A-9')),
      sale('A-3'),
    ]);
    writeFileSync(file, damaged);
    for (const task of [() => outbox.status(), () => outbox.sell(receipt('A-4')), () => outbox.drain(), () => open()])
      await expect(task()).rejects.toThrow(`Line 3 of ${file} is damaged`);
    expect(readFileSync(file).equals(damaged)).toBe(true);
    expect(service.requests).toEqual([]);
  });

  test('a file that is no journal is not touched', async () => {
    writeFileSync(file, 'milk, bread');
    await expect(open()).rejects.toThrow(`${file} is not an outbox`);
    await expect(new Journal(file).append(() => undefined)).rejects.toThrow(JournalError);
    expect(readFileSync(file, 'utf8')).toBe('milk, bread');
  });

  test('a folder that does not exist is an error before the sale', async () => {
    file = join(folder, 'missing', 'till.journal');
    const outbox = await open();
    await expect(outbox.sell(receipt('A-1'))).rejects.toThrow(JournalError);
    expect(service.requests).toEqual([]);
  });

  test('a reader notices that the file was replaced, even by one with the same length', async () => {
    const [reader, length] = [new Journal(file), Buffer.concat([HEADER, sale('A-1')]).length];
    writeFileSync(file, Buffer.concat([HEADER, sale('A-1')]));
    expect((await reader.refresh()).find('A-1')?.state).toBe('Open');
    const other = lineOf({ Kind: 'Outbox', Version: 1, Id: 'fedcba9876543210' });
    writeFileSync(file, Buffer.concat([other, sale('B-1'), sale('B-2')]));
    expect(readFileSync(file).length).toBeGreaterThan(length);
    expect([...(await reader.refresh()).all('Open')].map(({ reference }) => reference)).toEqual(['B-1', 'B-2']);
  });
});

const disk = mountSmallDisk(mkdtempSync(join(tmpdir(), 'tillseal-disk-')), 1);
describe.skipIf(disk.whyNot !== undefined)(`a disk that is full ${disk.whyNot ?? ''}`, () => {
  beforeEach(() => {
    file = join(disk.folder, 'till.journal');
  });
  afterEach(() => disk.empty());
  afterAll(() => {
    disk.remove();
    rmSync(disk.folder, { recursive: true, force: true });
  });

  test('says so before the sale, and the journal is as it was', async () => {
    const outbox = await open();
    await outbox.sell(receipt('A-1'));
    const before = readFileSync(file);
    await disk.fill();
    await expect(outbox.sell(receipt('A-2'))).rejects.toThrow('the disk is full');
    // The last page of the file may have room for a short line, but not for this one.
    const long = { ...receipt('A-3'), Notes: 'x'.repeat(20_000) };
    await expect(outbox.sell(long)).rejects.toThrow('the disk is full');
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(service.requests.length).toBe(1);
    await disk.empty();
    expect((await outbox.sell(receipt('A-2'))).outcome).toBe('Signed');
  });

  test('a line that is half written is taken back', async () => {
    const journal = new Journal(file);
    const long = lineOf({
      Kind: 'Sale',
      At: secondsOf(0),
      Reference: 'A-4',
      AuthorityDeviceId: 1,
      Body: 'x'.repeat(2 << 20),
    });
    const record = readLine(long.subarray(0, -1));
    const before = existsSync(file) ? readFileSync(file).length : 0;
    await expect(journal.append(() => (typeof record === 'string' ? undefined : record))).rejects.toThrow(
      'the disk is full',
    );
    expect(readFileSync(file).length).toBe(before);
  });

  test('one that becomes full between sale and seal loses neither', async () => {
    service.answer = async (request) => {
      await disk.fill();
      const answer = sealed(request);
      return typeof answer === 'string'
        ? answer
        : { ...answer, body: { ...Object(answer.body), Notes: 'x'.repeat(20_000) } };
    };
    const outbox = await open();
    expect((await outbox.sell(receipt('A-5'))).outcome).toBe('Signed');
    expect(await outbox.status()).toMatchObject({ open: 1 });
    await expect(outbox.drain()).rejects.toThrow('the disk is full');
    await disk.empty();
    service.answer = sealed;
    expect(await outbox.drain()).toMatchObject({ open: 0 });
  });
});

describe('several processes', () => {
  test('each line of each is there once, in its order, while the journal is compacted', async () => {
    await Promise.all(['A', 'B', 'C'].map((prefix) => stress(prefix, 30).ended));
    for (const prefix of ['A', 'B', 'C'])
      expect(written().filter((line) => line.startsWith(`Sale ${prefix}-`) && !line.includes('old'))).toEqual(
        Array.from({ length: 30 }, (_, i) => `Sale ${prefix}-${i + 1}`),
      );
  });

  test('one that is killed with both locks, in the middle of compaction, costs nothing and nobody waits', async () => {
    const old = Date.now() - 3_600_000;
    writeFileSync(file, Buffer.concat([HEADER, sale('A-1', old), signed('A-1', old), sale('A-2')]));
    expect(await till(['status'], 'renameSync:1:SIGKILL').ended).toBe('SIGKILL');
    expect(existsSync(`${file}.new`)).toBe(true);
    expect(written()).toEqual(['Outbox', 'Sale A-1', 'Signed A-1', 'Sale A-2']);
    const startedAt = Date.now();
    await (await open()).sell(receipt('A-3'));
    // A lock whose holder is not known to be dead is broken after 60 seconds.
    expect(Date.now() - startedAt).toBeLessThan(50_000);
    expect(written()).toEqual(['Outbox', 'Sale A-2', 'Sale A-3', 'Signed A-2', 'Signed A-3']);
    expect(existsSync(`${file}.new`)).toBe(false);
  });

  test.each(['writeSync', 'fsyncSync', 'rmSync', 'renameSync'])(
    'one that is killed at %s leaves a journal that the next one goes on with',
    async (name) => {
      for (const nth of [1, 5]) {
        appendFileSync(file, existsSync(file) ? 'torn' : '');
        await stress(`${name}${nth}`, 2, `${name}:${nth}:SIGKILL`).ended;
        // Killed before it wrote who it is: its lock counts for five seconds.
        for (const lock of readdirSync(folder).filter((one) => /(append|drain)\.\d+$/.test(one)))
          utimesSync(join(folder, lock), new Date(), new Date(Date.now() - 6_000));
        await new Journal(file).append(() => ({ Kind: 'Resumed', At: secondsOf(Date.now()) }));
        expect(written().at(-1)).toBe('Resumed');
      }
    },
  );

  test('one that is stopped while it appends loses its lock after a minute, and both lines are there once', async () => {
    const stopped = stress('A', 1, 'fsyncSync:3:SIGSTOP');
    await until(() => isStopped(stopped.child.pid), 'it has stopped');
    age('append');
    await new Journal(file).append(() => ({ Kind: 'Resumed', At: secondsOf(Date.now()) }));
    stopped.child.kill('SIGCONT');
    expect(await stopped.ended).toBe(0);
    expect(written().filter((line) => line === 'Sale A-1').length).toBe(1);
    expect(written().filter((line) => line === 'Resumed').length).toBe(1);
  });

  test('one that is stopped while it drains is replaced after a minute, and writes nothing more', async () => {
    writeFileSync(file, Buffer.concat([HEADER, sale('A-1'), sale('A-2')]));
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    service.answer = async (request) => {
      if (service.requests.length === 1) await held;
      return sealed(request);
    };
    const stopped = till(['drain', '--url', service.url, '--token', 't']);
    await until(() => service.requests.length === 1, 'its request has come');
    stopped.child.kill('SIGSTOP');
    await until(() => isStopped(stopped.child.pid), 'it has stopped');
    const outbox = await open();
    expect(await outbox.drain({ withinMs: 300 })).toMatchObject({ open: 2 });
    expect(service.requests.length).toBe(1);
    age('drain');
    expect(await outbox.drain()).toMatchObject({ open: 0 });
    release();
    stopped.child.kill('SIGCONT');
    expect(await stopped.ended).toBe(0);
    expect(written()).toEqual(['Outbox', 'Sale A-1', 'Sale A-2', 'Signed A-1', 'Signed A-2']);
  });
});
