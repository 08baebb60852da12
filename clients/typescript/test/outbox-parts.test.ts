import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type OutboxFile, SCHEMA } from '../src/outbox/file.ts';
import { type Report, Reports } from '../src/outbox/reports.ts';
import { endOf, failureOf, foundOf, statusOf } from '../src/outbox/results.ts';
import {
  claimFirst,
  discardSale,
  findSale,
  haltOf,
  recordVerdict,
  retrySales,
  type Sale,
  writeSale,
} from '../src/outbox/sales.ts';
import { Sending } from '../src/outbox/sending.ts';
import { judge, noAnswer, type Verdict } from '../src/outbox/verdict.ts';
import { Waits } from '../src/outbox/waits.ts';
import { OutboxError } from '../src/wire/errors.ts';

const NOW = 1_790_000_000_000;

beforeEach(() => {
  vi.useFakeTimers({ now: NOW, toFake: ['Date'] });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test('a device waits for a second, then twice as long each time, at most a minute, until it is answered', () => {
  vi.spyOn(performance, 'now').mockReturnValue(5_000);
  const random = vi.spyOn(Math, 'random').mockReturnValue(0);
  const waits = new Waits();
  expect(waits.until(1)).toBe(0);
  const failed = (afterSeconds: number | null = null) => {
    waits.failed(1, afterSeconds);
    return waits.until(1) - 5_000;
  };
  expect(Array.from({ length: 8 }, () => failed())).toEqual([1, 2, 4, 8, 16, 32, 60, 60].map((s) => s * 1000));
  expect(failed(300)).toBe(300_000);
  random.mockReturnValue(1);
  expect(failed(10)).toBe(12_000);
  waits.answered(1);
  expect(waits.until(1)).toBe(0);
  expect(failed()).toBe(1_200);
});

describe('reports', () => {
  test('of one kind come once in five minutes for a device, and once in an hour that it is stuck', () => {
    const told: Report[] = [];
    const clock = vi.spyOn(performance, 'now');
    const reports = new Reports((report) => told.push(report));
    const tellAt = (minutes: number) => {
      clock.mockReturnValue(minutes * 60_000);
      told.length = 0;
      for (const kind of ['Stranger', 'Stuck'] as const) reports.tellSometimes(kind, 1, 'text', 'A-1');
      return told.map(({ kind }) => kind);
    };
    expect(tellAt(0)).toEqual(['Stranger', 'Stuck']);
    expect(tellAt(4.99)).toEqual([]);
    expect(tellAt(5)).toEqual(['Stranger']);
    expect(tellAt(59.99)).toEqual(['Stranger']);
    expect(tellAt(60)).toEqual(['Stuck']);
    reports.tellSometimes('Stuck', 2, 'text');
    expect(told.at(-1)).toEqual({ kind: 'Stuck', message: 'text', reference: null, problem: null });
  });

  test('go to standard error by default, and when the function for them fails, whatever becomes of them there', async () => {
    const write = vi.spyOn(fs, 'writeSync').mockImplementation(() => {
      throw new Error('no space left on device');
    });
    syncBuiltinESMExports();
    new Reports().tell('Failed', 'One');
    new Reports(() => Promise.reject(new Error('no log'))).tell('Failed', 'Two');
    await expect.poll(() => write.mock.calls.length).toBe(2);
    expect(write.mock.calls.map(([, text]) => text)).toEqual([
      'Tillseal: One\n',
      expect.stringMatching(/^Tillseal: Two \(.*no log\)\n$/),
    ]);
    write.mockRestore();
    syncBuiltinESMExports();
  });
});

describe('what an answer means', () => {
  const judged = (status: number, body: object, { isLate = false, advanced = '' } = {}) =>
    judge('A-1', { status, text: JSON.stringify(body), headers: new Headers({ 'date-advanced': advanced }) }, isLate);
  const SEAL = { Reference: 'A-1', DeviceSignature: 'MEUCIQ', GlobalCounter: 7 };

  test('a seal has status 200, its Reference and a signature; anything like it is a stranger', () => {
    expect(judged(200, SEAL)).toMatchObject({ kind: 'Signed', number: 7, isStranger: false });
    for (const [status, body] of [
      [500, SEAL],
      [200, { ...SEAL, Reference: 'A-2' }],
      [200, { ...SEAL, DeviceSignature: null }],
      [200, { Code: 'InvalidRequest', Then: 'SetAside' }],
    ] as const)
      expect(judged(status, body), JSON.stringify(body)).toMatchObject({
        kind: 'Again',
        answer: null,
        isStranger: true,
      });
  });

  test.each([
    ['-600', 600],
    ['600', null],
    ['x-600', null],
    ['-600x', null],
    ['-1234567890', null],
  ])('a date that was moved by %j is ahead by %j seconds', (advanced, clockAhead) => {
    expect(judged(200, SEAL, { advanced })).toMatchObject({ clockAhead });
  });

  const dated = (...codes: string[]) => ({ Code: 'InvalidRequest', errors: codes.map((Code) => ({ Code })) });
  test.each([
    [400, dated('RCPT030'), false, 'Again', true],
    [400, dated('RCPT031'), false, 'Again', true],
    [400, dated('RCPT030'), true, 'SetAside', false],
    [400, dated('RCPT031'), true, 'Again', false],
    [400, dated('RCPT030', 'RCPT019'), false, 'SetAside', false],
    [400, dated(), false, 'SetAside', false],
    [503, dated('RCPT030'), false, 'Again', false],
    [400, dated('DeviceBlocked', 'RCPT031'), true, 'Again', false],
    [400, { Code: 'DeviceBlocked' }, false, 'Again', false],
    [409, { Code: 'ReferenceConflict' }, false, 'SetAside', false],
    [400, { ...dated('RCPT030'), Then: 'Stop' }, false, 'Again', true],
  ])('%i %j, late: %j, is %s and misdated: %j', (status, body, isLate, kind, isMisdated) => {
    expect(judged(status, body, { isLate })).toMatchObject({ kind, isMisdated, answer: { status } });
  });
});

describe('the tables', () => {
  let db: DatabaseSync;
  beforeEach(() => {
    db = new DatabaseSync(':memory:');
    db.exec(`${SCHEMA} insert into meta (version, id, checked_at) values (1, 'x', 0)`);
  });
  afterEach(() => db.close());

  const sell = (reference: string, canSend = false) =>
    writeSale(db, { reference, device: 1, body: '{}', body_sha256: reference }, canSend).sale;
  const verdictOf = (kind: Verdict['kind'], status = 400): Verdict => ({
    ...noAnswer('it failed'),
    kind,
    answer: { status, text: `{"Code":"${kind}"}` },
    number: kind === 'Signed' ? 7 : null,
  });
  const record = (kind: Verdict['kind'], status?: number, reference = 'A-1') =>
    recordVerdict(db, findSale(db, reference) as Sale, verdictOf(kind, status));
  const set = (changes: string) => db.exec(`update sales set ${changes}`);

  test.each([
    ['is over', 0, true],
    ['ends now', NOW, true],
    ['lasts', NOW + 1, false],
    ['is new', NOW + 5_000, false],
    ['is longer than any, since the clock was set back', NOW + 5_001, true],
  ])('a sale whose lease %s', (_name, until, isClaimed) => {
    sell('A-1');
    set(`leased_until = ${until}`);
    if (isClaimed)
      expect(claimFirst(db, 1)).toMatchObject({ sale: { attempts: 1, leased_until: NOW + 5_000 }, waiting: 1 });
    else expect(claimFirst(db, 1)).toBe('Busy');
    expect(claimFirst(db, 2)).toBe('Nothing');
  });

  test.each([
    ['ten seconds ago', NOW / 1000 - 10, 10],
    ['by a clock that was ahead', NOW / 1000 + 10, 0],
  ])('a sale that was made %s has waited for as long', (_name, soldAt, seconds) => {
    sell('A-1');
    set(`sold_at = ${soldAt}`);
    expect(claimFirst(db, 1)).toMatchObject({ seconds });
  });

  test('a refusal changes nothing that was given up, and a second seal nothing that is sealed', () => {
    sell('A-1');
    discardSale(db, 'A-1');
    expect(record('SetAside')).toMatchObject({ before: 'Discarded', sale: { state: 'Discarded', answer: null } });
    expect(record('Signed', 200)).toMatchObject({ before: 'Discarded', sale: { state: 'Signed', number: 7 } });
    set('number = 6');
    expect(record('Signed', 200)).toMatchObject({ before: 'Signed', sale: { number: 6 } });
  });

  test('what becomes of a sale that is no longer there is told', () => {
    const sale = sell('A-1');
    db.exec('delete from sales');
    for (const kind of ['Signed', 'SetAside', 'Again'] as const)
      expect(recordVerdict(db, sale, verdictOf(kind))).toEqual({ before: 'Gone', sale: undefined, hasHalted: false });
  });

  test('of a failure 500 characters are kept', () => {
    const sale = sell('A-1');
    const { sale: failed } = recordVerdict(db, sale, noAnswer('x'.repeat(501)));
    expect(failed?.failure).toBe('x'.repeat(500));
  });

  test('an outbox is halted by the answer that says so, and one whose clock was set back may try', () => {
    sell('A-1');
    expect(record('Stop', 401)).toMatchObject({ hasHalted: true });
    expect(haltOf(db)).toMatchObject({ halted_status: 401, halted_answer: '{"Code":"Stop"}' });
    expect(statusOf(db).halted).toEqual({ since: new Date(NOW), problem: expect.objectContaining({ code: 'Stop' }) });
    expect(claimFirst(db, 1)).toBe('Halted');
    db.exec('update meta set tried_at = tried_at + 10');
    expect(claimFirst(db, 1)).toMatchObject({ waiting: 1 });
  });

  test('to retry all where none is set aside is no mistake, and to discard what is not there is one', () => {
    retrySales(db);
    expect(() => retrySales(db, 'A-1')).toThrow('A-1 is not set aside');
    expect(() => discardSale(db, 'A-1')).toThrow('A-1 is neither set aside nor queued');
  });

  test('what is set aside can be discarded, whatever it was refused with', () => {
    for (const [index, status] of [400, 409, 413].entries()) {
      const reference = `A-${index}`;
      sell(reference);
      claimFirst(db, 1);
      record('SetAside', status, reference);
      discardSale(db, reference);
      expect(findSale(db, reference)).toMatchObject({ state: 'Discarded' });
    }
  });

  test('the status has dates, and nulls where there is nothing', () => {
    expect(statusOf(db)).toEqual({ queued: 0, oldest: null, lastFailure: null, setAside: [], halted: null });
    sell('A-1');
    expect(statusOf(db)).toMatchObject({ queued: 1, oldest: new Date(NOW) });
  });

  test.each([
    ['queued', undefined, { problem: null, receipt: null, lastFailure: null }, undefined],
    ['signed', 'Signed', { problem: null, receipt: { Code: 'Signed' }, number: 7 }, { outcome: 'Signed' }],
    [
      'set aside',
      'SetAside',
      { problem: { status: 400, code: 'SetAside' }, receipt: null },
      { outcome: 'SetAside', problem: { status: 400, code: 'SetAside' } },
    ],
    ['refused for a while', 'Again', { problem: { status: 400, code: 'Again' }, receipt: null }, undefined],
  ] as const)('a sale that is %s is shown with what was answered', (_name, kind, found, end) => {
    sell('A-1');
    if (kind !== undefined) record(kind);
    const sale = findSale(db, 'A-1') as Sale;
    expect(foundOf(sale)).toMatchObject({ reference: 'A-1', soldAt: new Date(NOW), ...found });
    if (end === undefined) expect(endOf(sale)).toBeUndefined();
    else expect(endOf(sale)).toMatchObject({ reference: 'A-1', ...end });
  });

  test('a discarded sale that is emptied no longer says what it was refused with', () => {
    sell('A-1');
    record('SetAside');
    const problem = expect.objectContaining({ status: 400, code: 'SetAside' });
    expect(statusOf(db).setAside).toEqual([{ reference: 'A-1', problem }]);
    discardSale(db, 'A-1');
    expect(foundOf(findSale(db, 'A-1') as Sale).problem).toMatchObject({ status: 400 });
    set('answer = null');
    expect(foundOf(findSale(db, 'A-1') as Sale)).toMatchObject({ state: 'Discarded', problem: null });
  });

  describe('is told of by what sends it', () => {
    const told: Report[] = [];
    /** Sends a sale that gets this answer; the file is the one of these tests, or fails. */
    const send = (
      sale: Sale,
      verdict: Verdict,
      change = async <Result>(work: (db: DatabaseSync) => Result) => work(db),
    ) => {
      told.length = 0;
      const reports = new Reports((report) => told.push(report));
      const file: Pick<OutboxFile, 'change'> = { change };
      const sending = new Sending({ url: 'http://till.example', token: '' }, file as OutboxFile, reports);
      vi.spyOn(sending, 'ask').mockResolvedValue(verdict);
      return sending.sendFresh(sale, Number.POSITIVE_INFINITY);
    };

    test('with the problem it was refused with, and with none when it was sealed after all', async () => {
      const sale = sell('A-1');
      const problem = expect.objectContaining({ status: 400, code: 'SetAside' });
      await send(sale, verdictOf('SetAside'));
      expect(told).toMatchObject([{ kind: 'SetAside', reference: 'A-1', problem }]);
      await send(sale, verdictOf('Signed', 200));
      expect(told).toMatchObject([{ kind: 'SignedAfterAll', problem: null }]);
    });

    test('after it has failed for five minutes, and not when it is sealed then', async () => {
      const sale = sell('A-1');
      const after = (seconds: number) => set(`failed_at = sold_at, failing_since = ${NOW / 1000 - seconds}`);
      after(299);
      await send(sale, noAnswer('no answer'));
      expect(told).toEqual([]);
      after(300);
      await send(sale, noAnswer('no answer'));
      expect(told).toMatchObject([{ kind: 'Stuck' }]);
      after(300);
      await send(sale, verdictOf('Signed', 200));
      expect(told).toEqual([]);
    });

    test('when its seal is not recorded, unless that is a fault of the program', async () => {
      const sale = sell('A-1');
      const full = new OutboxError('the disk is full');
      const sent = await send(sale, verdictOf('Signed', 200), () => Promise.reject(full));
      expect(sent).toMatchObject({ unrecorded: full, sale: { state: 'Signed', number: 7 } });
      expect(told).toMatchObject([{ kind: 'Failed', message: 'the disk is full' }]);
      const fault = new TypeError('not a function');
      await expect(send(sale, verdictOf('Signed', 200), () => Promise.reject(fault))).rejects.toBe(fault);
    });
  });

  test('a failure without an answer is no problem, and says since when it has failed', () => {
    const sale = sell('A-1');
    recordVerdict(db, sale, noAnswer('no answer'));
    set('failing_since = failing_since - 60');
    const failed = findSale(db, 'A-1') as Sale;
    expect(foundOf(failed).problem).toBeNull();
    expect(failureOf(failed)).toEqual({ at: new Date(NOW), since: new Date(NOW - 60_000), message: 'no answer' });
    expect(failureOf({ ...failed, failing_since: null })).toMatchObject({ since: new Date(NOW) });
    expect(failureOf(undefined)).toBeNull();
  });
});
