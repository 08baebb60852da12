import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FileLock } from '../src/outbox/lock.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tillseal-lock-'));
  file = join(folder, 'till.journal');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const startOf = (id: number) =>
  readFileSync(`/proc/${id}/stat`, 'latin1')
    .replace(/^.*\) /s, '')
    .split(' ')[19];
const living = { Pid: process.pid, Start: startOf(process.pid), Init: startOf(1), Token: '0123456789abcdef' };

function leave(content: string, ageSeconds = 0, generation = 4) {
  const path = `${file}.append.${generation}`;
  writeFileSync(path, content);
  utimesSync(path, new Date(), new Date(Date.now() - ageSeconds * 1000));
}

describe('a lock that somebody left', () => {
  test.each([
    ['released', '{}', 0, true],
    ['released, filled with spaces', `{}${' '.repeat(60)}\n`, 0, true],
    ['of a living process', JSON.stringify(living), 0, false],
    ['of a living process that showed no sign of life for a minute', JSON.stringify(living), 61, true],
    ['of a living process whose clock was a minute ahead', JSON.stringify(living), -61, true],
    ['of a process that is gone', JSON.stringify({ ...living, Pid: 2 ** 22 + 1 }), 0, true],
    ['of another process that had this number', JSON.stringify({ ...living, Start: '1' }), 0, true],
    ['of a process in another container', JSON.stringify({ ...living, Pid: 2 ** 22 + 1, Init: '99' }), 0, false],
    ['of a process in another container, a minute old', JSON.stringify({ ...living, Init: '99' }), 61, true],
    ['of a process without a start', JSON.stringify({ ...living, Pid: 2 ** 22 + 1, Start: '' }), 0, false],
    ['not yet written', '', 0, false],
    ['not written for five seconds', '', 6, true],
    ['half written', '{"Pid":12', 0, false],
    ['half written for five seconds', '{"Pid":12', 6, true],
  ])('%s', (_name, content, ageSeconds, isFree) => {
    leave(content, ageSeconds);
    const lock = new FileLock(file, 'append');
    expect(lock.tryTake()).toBe(isFree);
    expect(lock.isMine()).toBe(isFree);
    expect(readdirSync(folder)).toEqual([`till.journal.append.${isFree ? 5 : 4}`]);
  });

  test('of a process that was killed and not yet fetched by its parent', async () => {
    const parent = spawn('sh', ['-c', 'sleep 0.3 & echo $!; exec sleep 20'], { stdio: ['ignore', 'pipe', 'ignore'] });
    try {
      const id = Number(await new Promise((resolve) => parent.stdout.once('data', resolve)));
      await expect.poll(() => readFileSync(`/proc/${id}/stat`, 'latin1')).toMatch(/\) Z /);
      leave(JSON.stringify({ ...living, Pid: id, Start: startOf(id) }));
      expect(new FileLock(file, 'append').tryTake()).toBe(true);
    } finally {
      parent.kill('SIGKILL');
    }
  });
});

describe('taking and releasing', () => {
  test('one has it, the other gets it when it is released, and numbers only grow', () => {
    const [one, other] = [new FileLock(file, 'append'), new FileLock(file, 'append')];
    expect([one.tryTake(), other.tryTake(), other.isMine()]).toEqual([true, false, false]);
    one.release();
    expect([one.isMine(), other.tryTake(), one.tryTake()]).toEqual([false, true, false]);
    expect(readdirSync(folder)).toEqual(['till.journal.append.2']);
  });

  test('the two locks of a journal, and other journals in the folder, do not meet', () => {
    expect(new FileLock(file, 'append').tryTake()).toBe(true);
    expect(new FileLock(file, 'drain').tryTake()).toBe(true);
    expect(new FileLock(`${file}.append`, 'append').tryTake()).toBe(true);
  });

  test('a released lock keeps its length: it is never empty for a moment', () => {
    const lock = new FileLock(file, 'append');
    lock.tryTake();
    const { size } = statSync(`${file}.append.1`);
    lock.release();
    expect(statSync(`${file}.append.1`).size).toBe(size);
    expect(readFileSync(`${file}.append.1`, 'utf8').trim()).toBe('{}');
  });

  test('everybody may read who has it, whatever the umask of the process is', () => {
    const before = process.umask(0o077);
    try {
      new FileLock(file, 'append').tryTake();
    } finally {
      process.umask(before);
    }
    expect(statSync(`${file}.append.1`).mode & 0o777).toBe(0o644);
  });

  test('who lost it knows, and does not touch it any more', () => {
    const [one, other] = [new FileLock(file, 'append'), new FileLock(file, 'append')];
    one.tryTake();
    utimesSync(`${file}.append.1`, new Date(), new Date(Date.now() - 61_000));
    expect(other.tryTake()).toBe(true);
    expect(one.isMine()).toBe(false);
    one.release();
    one.refresh();
    expect(readdirSync(folder)).toEqual(['till.journal.append.2']);
    expect(other.isMine()).toBe(true);
  });

  test('a sign of life keeps it', () => {
    const lock = new FileLock(file, 'append');
    lock.tryTake();
    utimesSync(`${file}.append.1`, new Date(), new Date(Date.now() - 59_000));
    const refreshedAt = Date.now();
    lock.refresh();
    // A file system keeps its time only roughly.
    expect(statSync(`${file}.append.1`).mtimeMs).toBeGreaterThan(refreshedAt - 5_000);
  });
});
