import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, inject, test, vi } from 'vitest';
import { Client, type Outbox, OutboxError, type OutboxOptions, type Report } from '../src/index.ts';
import { OutboxFile } from '../src/outbox/file.ts';
import { Reports } from '../src/outbox/reports.ts';
import { findSale, type Sale } from '../src/outbox/sales.ts';
import { Sending } from '../src/outbox/sending.ts';
import type { Receipt } from '../src/wire/api.ts';
import { type Answer, problem, type ScriptedService, sealed, startScriptedService } from './scripted-service.ts';
import { scriptExec } from './scripted-sqlite.ts';

let folder: string;
let file: string;
let service: ScriptedService;
let reports: Report[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tillseal-outbox-'));
  file = join(folder, 'till.outbox');
  service = await startScriptedService();
  reports = [];
});
afterEach(async () => {
  await service.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The deadline is far away: a slow machine must not decide what becomes of a sale. While the code is mutated, many a sale comes to it. */
const open = (options: OutboxOptions = {}) =>
  new Client(service.url, 'tsk_test').openOutbox(file, {
    deadlineSeconds: inject('isMutation') ? 10 : 50,
    report: (report) => reports.push(report),
    ...options,
  });

function receipt(Reference: string, AuthorityDeviceId = 1001): Receipt {
  return {
    AuthorityDeviceId,
    Type: 'FiscalInvoice',
    Currency: 'USD',
    Reference,
    Date: '2026-11-16T10:00:00Z',
    ReceiptLinesTaxInclusive: true,
    TotalAmount: '12.50',
    ReceiptLines: [
      { Type: 'Sale', Name: 'Coffee', HsCode: '0901', Quantity: '1', LineTotal: '12.50', TaxPercent: '15.5' },
    ],
    Payments: [{ Type: 'Cash', Amount: '12.50' }],
    Taxes: [{ TaxPercent: '15.5', SalesAmountWithTax: '12.50', TaxAmount: '1.68' }],
  };
}

const references = () => service.requests.map(({ reference }) => reference);
const kinds = () => reports.map(({ kind }) => kind);

/** As another program does with the file. */
function sql(statement: string): Record<string, unknown>[] {
  const db = new DatabaseSync(file);
  try {
    return db.prepare(statement).all();
  } finally {
    db.close();
  }
}

const away = (seconds = 600) => ({
  ...problem(503, 'MaintenanceWindow'),
  headers: { 'retry-after': String(seconds) },
});
const busyOnce = (seconds: number) => {
  let calls = 0;
  service.answer = (request) => (calls++ === 0 ? away(seconds) : sealed(request));
};

describe('selling', () => {
  test('a sale is on the disk before the first byte is sent, and its end afterwards', async () => {
    let before: unknown;
    service.answer = (request) => {
      before = sql('select state, attempts, body from sales');
      return sealed(request);
    };
    const outbox = await open();
    const sold = await outbox.sell(receipt('A-1'));
    const body = JSON.stringify(receipt('A-1'));
    expect(before).toEqual([{ state: 'Queued', attempts: 1, body }]);
    expect(sold).toMatchObject({ outcome: 'Signed', reference: 'A-1', number: 7, clockAheadSeconds: null });
    expect(sold.outcome === 'Signed' && sold.receipt?.TotalAmount.toFixed(2)).toBe('12.50');
    expect(service.requests).toMatchObject([
      { path: '/api/receipt/sign', isLate: false, backlog: 'waiting=1, seconds=0', body },
    ]);
    expect(await outbox.find('A-1')).toMatchObject({ state: 'Signed', attempts: 1, number: 7, lastFailure: null });
    expect(await outbox.find('A-2')).toBeNull();
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('the same receipt again is the same sale: nothing is written or sent', async () => {
    await (await open()).sell(receipt('A-1'));
    expect(await (await open()).sell(receipt('A-1'))).toMatchObject({
      outcome: 'Signed',
      receipt: { Reference: 'A-1' },
    });
    expect(references()).toEqual(['A-1']);
  });

  test.each([
    ['signed as number 7', sealed],
    ['signed', ({ reference }) => ({ status: 200, body: { Reference: reference, DeviceSignature: 'MEUCIQ' } })],
    ['queued', () => away()],
    ['set aside', () => problem(400, 'InvalidRequest')],
  ] as const satisfies (readonly [string, ScriptedService['answer']])[])(
    'the same reference with other data as one that is %s fails, and says what to do',
    async (what, answer) => {
      service.answer = answer;
      const outbox = await open();
      await outbox.sell(receipt('A-1'));
      await expect(outbox.sell({ ...receipt('A-1'), Currency: 'ZWG' })).rejects.toThrow(
        new RegExp(
          `A-1 is already in .*till\\.outbox \\(${what}\\) with other data.*find\\("A-1"\\).*a Reference of its own`,
        ),
      );
      expect(references()).toEqual(['A-1']);
    },
  );

  test.each([
    ['a Reference that is no text', { Reference: 1 }],
    ['an empty Reference', { Reference: '' }],
    ['no AuthorityDeviceId', { AuthorityDeviceId: undefined }],
    ['an AuthorityDeviceId that is a text', { AuthorityDeviceId: '1001' }],
  ])('a receipt with %s is no sale', async (_name, fields) => {
    const outbox = await open();
    const sold = outbox.sell({ ...receipt('A-1'), ...fields } as unknown as Receipt);
    await expect(sold).rejects.toThrow(
      new TypeError('A sale needs its Reference, a text, and its AuthorityDeviceId, a whole number.'),
    );
    expect(sql('select * from sales')).toEqual([]);
  });

  test('a file that fails once the sale is in it makes no sale fail', async () => {
    const outbox = await open();
    await outbox.sell(receipt('A-1'), { deadlineSeconds: 0 });
    sql(`create trigger full before update of attempts on sales begin select raise(abort, 'full'); end`);
    expect(await outbox.sell(receipt('A-2'))).toEqual({ outcome: 'Queued', reference: 'A-2', lastFailure: null });
    expect(reports).toMatchObject([{ kind: 'Failed', reference: 'A-2', message: expect.stringContaining('full') }]);
    sql('drop trigger full');
    expect(await outbox.drain()).toMatchObject({ signed: 2 });
  });

  test('an outage queues, at the deadline and not later, and says what was met', async () => {
    service.answer = () => 'silence';
    const outbox = await open();
    const startedAt = performance.now();
    expect(await outbox.sell(receipt('A-1'), { deadlineSeconds: 0.3 })).toMatchObject({
      outcome: 'Queued',
      lastFailure: { message: expect.stringContaining('no answer within') },
    });
    // Without a deadline an attempt takes 30 seconds.
    expect(performance.now() - startedAt).toBeLessThan(20_000);
    expect(await outbox.status()).toMatchObject({ queued: 1, oldest: expect.any(Date), setAside: [], halted: null });
  });

  test('without time nothing is sent, and what was sold before goes first and late', async () => {
    await (await open({ deadlineSeconds: 0 })).sell(receipt('A-1'));
    expect(service.requests).toEqual([]);
    expect(await (await open()).sell(receipt('A-2'))).toMatchObject({ outcome: 'Signed' });
    expect(service.requests).toMatchObject([
      { reference: 'A-1', isLate: true, backlog: expect.stringMatching(/^waiting=2, seconds=\d+$/) },
      { reference: 'A-2', isLate: true },
    ]);
  });

  test('a device that waits beyond the deadline queues at once', async () => {
    service.answer = () => away(300);
    const outbox = await open();
    for (const name of ['A-1', 'A-2'])
      expect(await outbox.sell(receipt(name))).toMatchObject({
        outcome: 'Queued',
        lastFailure: { message: '503 MaintenanceWindow: It is MaintenanceWindow.' },
      });
    expect(references()).toEqual(['A-1']);
  });

  test('a second attempt is late, and comes after what Retry-After asks for', async () => {
    busyOnce(1);
    const startedAt = performance.now();
    expect(await (await open()).sell(receipt('A-1'))).toMatchObject({ outcome: 'Signed' });
    expect(service.requests).toMatchObject([{ isLate: false }, { isLate: true }]);
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(1_000);
  });

  test('a device waits after a failure, but not when only the date is wrong, and no longer when it is answered', async () => {
    const opened = await OutboxFile.open(file);
    const sending = new Sending({ url: service.url, token: 'tsk_test' }, opened, new Reports(() => {}));
    await (await open({ deadlineSeconds: 0 })).sell(receipt('A-1'));
    const sale = (await opened.look((db) => findSale(db, 'A-1'))) as Sale;
    const waitsAfter = async (answer: Answer, isFresh = false) => {
      service.answer = () => answer;
      await (isFresh ? sending.sendFresh(sale, Number.POSITIVE_INFINITY) : sending.attempt(1001));
      return sending.waits.until(1001) > performance.now();
    };
    expect(await waitsAfter(problem(400, 'InvalidRequest', [{ Field: 'Date', Code: 'RCPT031' }]), true)).toBe(false);
    expect(await waitsAfter(away())).toBe(true);
    expect(await waitsAfter({ status: 200, body: { Reference: 'A-1', DeviceSignature: 'MEUCIQ' } })).toBe(false);
  });

  test('a wrong clock is no obstacle: the same again at once, late, and one that is ahead is told', async () => {
    const codes = ['RCPT030', 'RCPT031', 'RCPT031'];
    service.answer = (request) => {
      if (!request.isLate) return problem(400, 'InvalidRequest', [{ Field: 'Date', Code: codes.shift() }]);
      const headers = { 'date-advanced': codes.length === 2 ? '600' : '-600' };
      return { ...sealed(request), headers };
    };
    const outbox = await open();
    for (const [name, clockAheadSeconds] of [
      ['A-1', null],
      ['A-2', 600],
      ['A-3', 600],
    ] as const)
      expect(await outbox.sell(receipt(name))).toMatchObject({ outcome: 'Signed', clockAheadSeconds });
    expect(service.requests.map(({ isLate }) => isLate)).toEqual([false, true, false, true, false, true]);
    expect(reports).toMatchObject([{ kind: 'ClockAhead', message: expect.stringContaining('600 seconds') }]);
  });

  test('devices do not wait for each other', async () => {
    const held = Promise.withResolvers<void>();
    service.answer = async (request) => {
      if (request.reference === 'A-1') await held.promise;
      return sealed(request);
    };
    const outbox = await open();
    const slow = outbox.sell(receipt('A-1', 1));
    expect(await outbox.sell(receipt('B-1', 2))).toMatchObject({ outcome: 'Signed' });
    held.resolve();
    expect(await slow).toMatchObject({ outcome: 'Signed' });
  });

  test('many sales at once are sent once each, in the order in which they were written', async () => {
    const [one, other] = [await open(), await open()];
    const names = Array.from({ length: 20 }, (_, i) => `A-${i}`);
    const sold = await Promise.all(names.map((name, i) => (i % 2 === 0 ? one : other).sell(receipt(name))));
    expect(sold.every(({ outcome }) => outcome === 'Signed')).toBe(true);
    expect(references()).toEqual(sql('select reference from sales order by place').map(({ reference }) => reference));
  });

  test('a seal that cannot be recorded is one all the same', async () => {
    const outbox = await open();
    service.answer = (request) => {
      rmSync(file);
      return sealed(request);
    };
    expect(await outbox.sell(receipt('A-1'))).toMatchObject({ outcome: 'Signed', number: 7 });
    expect(reports).toMatchObject([{ kind: 'Failed', reference: 'A-1' }]);
  });

  test('also one that comes with the second attempt', async () => {
    const outbox = await open();
    service.answer = (request) => {
      if (!request.isLate) return away(0);
      rmSync(file);
      return sealed(request);
    };
    expect(await outbox.sell(receipt('A-1'))).toMatchObject({ outcome: 'Signed', number: 7 });
  });

  test('a file that was away when an answer came makes it fail, whichever sale was answered', async () => {
    const outbox = await open({ report: () => renameSync(`${file}.away`, file) });
    await outbox.sell(receipt('B-1', 2), { deadlineSeconds: 0 });
    service.answer = () => {
      renameSync(file, `${file}.away`);
      return away();
    };
    for (const sale of [receipt('A-1', 1), receipt('B-2', 2)])
      await expect(outbox.sell(sale)).rejects.toThrow('is no longer there since the outbox was opened');
    expect(references()).toEqual(['A-1', 'B-1']);
  });

  test('without a seal a file that is damaged meanwhile makes it fail', async () => {
    const outbox = await open();
    service.answer = () => {
      writeFileSync(file, 'milk'.repeat(5_000));
      return away();
    };
    await expect(outbox.sell(receipt('A-1'))).rejects.toThrow('.recover');
  });

  test('one that is discarded meanwhile fails, also when it is gone, or its reference is another sale since', async () => {
    service.answer = ({ isLate, ...request }) => (isLate ? sealed({ isLate, ...request }) : away(3));
    const [outbox, other] = [await open(), await open({ deadlineSeconds: 0 })];
    const names = ['A-1', 'B-1', 'C-1'];
    const failed = names.map((name, device) =>
      expect(outbox.sell(receipt(name, device))).rejects.toThrow(`${name} was discarded meanwhile.`),
    );
    for (const name of names) {
      await expect.poll(async () => (await other.find(name))?.problem?.status).toBe(503);
      await other.discard(name);
    }
    sql(`delete from sales where reference = 'C-1'`);
    await other.sell({ ...receipt('B-1', 1), Currency: 'ZWG' });
    await Promise.all(failed);
  });

  test('what the file says since counts: a refusal after a seal is none', async () => {
    const outbox = await open();
    service.answer = () => {
      sql(`update sales set state = 'Signed', number = 7, status = 200, answer = '{"Reference":"A-1"}'`);
      return problem(400, 'InvalidRequest');
    };
    expect(await outbox.sell(receipt('A-1'))).toMatchObject({ outcome: 'Signed', number: 7 });
    expect(reports).toEqual([]);
  });

  test('a seal without a number has none, and a clock that is right is not ahead', async () => {
    service.answer = ({ reference }) => ({
      status: 200,
      body: { Reference: reference, DeviceSignature: 'MEUCIQ' },
      headers: { 'date-advanced': '-0' },
    });
    const sold = await (await open()).sell(receipt('A-1'));
    expect(sold).toMatchObject({ outcome: 'Signed', number: null, clockAheadSeconds: null });
    expect(reports).toEqual([]);
  });
});

describe('what an answer leads to', () => {
  test('a refusal sets the sale aside, and those behind it go on', async () => {
    const errors = [{ Field: 'TotalAmount', Code: 'RCPT019', Message: 'must be 12.50' }];
    service.answer = (request) =>
      request.reference === 'A-1' ? problem(400, 'InvalidRequest', errors) : sealed(request);
    const outbox = await open();
    const refused = {
      reference: 'A-1',
      problem: { status: 400, code: 'InvalidRequest', errors: [{ field: 'TotalAmount', code: 'RCPT019' }] },
    };
    expect(await outbox.sell(receipt('A-1'))).toMatchObject({ outcome: 'SetAside', ...refused });
    expect(await outbox.sell(receipt('A-1'))).toMatchObject({ outcome: 'SetAside', ...refused });
    expect(await outbox.sell(receipt('A-2'))).toMatchObject({ outcome: 'Signed' });
    expect(await outbox.status()).toMatchObject({ queued: 0, lastFailure: null, setAside: [refused] });
    expect(reports).toMatchObject([{ kind: 'SetAside', ...refused }]);
  });

  test.each([
    ['an object', { toString: 1, valueOf: 1 }],
    ['a list', ['RCPT031']],
  ])('a code that is %s is none', async (_name, Code) => {
    service.answer = () => problem(400, 'InvalidRequest', [{ Code }]);
    expect(await (await open()).sell(receipt('A-1'))).toMatchObject({ outcome: 'SetAside' });
    expect(references()).toEqual(['A-1']);
  });

  test('a refused token halts the outbox, which tries again automatically every five minutes', async () => {
    service.answer = () => problem(401, 'Unauthorized');
    const outbox = await open();
    expect(await outbox.sell(receipt('A-1'))).toMatchObject({ outcome: 'Queued' });
    service.answer = sealed;
    expect(await (await open()).sell(receipt('A-2'))).toMatchObject({ outcome: 'Queued' });
    expect(await (await open()).drain()).toMatchObject({
      signed: 0,
      status: { queued: 2, halted: { problem: { status: 401 } } },
    });
    expect(references()).toEqual(['A-1']);
    expect(reports).toMatchObject([{ kind: 'Halted', problem: { status: 401 } }]);
    sql('update meta set tried_at = tried_at - 300');
    expect(await (await open()).drain()).toMatchObject({ signed: 2, status: { queued: 0, halted: null } });
  });

  test('one try of a halted outbox is enough for the next five minutes', async () => {
    service.answer = () => problem(403, 'Forbidden');
    await (await open()).sell(receipt('A-1', 1));
    await (await open()).sell(receipt('B-1', 2));
    sql('update meta set tried_at = tried_at - 300');
    expect(await (await open()).drain()).toMatchObject({ status: { queued: 2, halted: {} } });
    expect(references().length).toBe(2);
    expect(kinds()).toEqual(['Halted']);
    await (await open()).resume();
    service.answer = sealed;
    expect(await (await open()).drain()).toMatchObject({ signed: 2 });
  });

  test('a sale that a halted outbox sends is such a try, and one that it only keeps is none', async () => {
    service.answer = () => problem(401, 'Unauthorized');
    const outbox = await open();
    await outbox.sell(receipt('A-1', 1));
    sql('update meta set tried_at = tried_at - 300');
    service.answer = () => 'cut';
    await outbox.sell(receipt('A-2', 1), { deadlineSeconds: 0 });
    for (const [device, name] of ['B-1', 'C-1'].entries())
      await outbox.sell(receipt(name, device + 2), { deadlineSeconds: 0.1 });
    expect(references()).toEqual(['A-1', 'B-1']);
  });

  test('what a stranger answers is no answer, and is told once in a while', async () => {
    service.answer = () => ({
      status: 200,
      body: '<html>Welcome to our Wi-Fi</html>',
      headers: { 'retry-after': '999' },
    });
    const outbox = await open();
    for (const name of ['A-1', 'A-2'])
      expect(await outbox.sell(receipt(name), { deadlineSeconds: 0.5 })).toMatchObject({ outcome: 'Queued' });
    await outbox.drain({ withinSeconds: 1.5 });
    expect(references().length).toBeGreaterThan(1);
    expect(kinds()).toEqual(['Stranger']);
  });

  test('a device that is stuck for five minutes is told of once', async () => {
    service.answer = () => away(1);
    const outbox = await open();
    await outbox.sell(receipt('A-1'), { deadlineSeconds: 1 });
    expect(reports).toEqual([]);
    sql('update sales set failing_since = failing_since - 300');
    await outbox.drain({ withinSeconds: 3 });
    expect(service.requests.length).toBeGreaterThan(2);
    expect(reports).toMatchObject([{ kind: 'Stuck', reference: 'A-1' }]);
  });

  test('a seal beats a refusal that came before it, and a discard', async () => {
    const held = Promise.withResolvers<void>();
    service.answer = async (request) => {
      if (request.isLate) return problem(400, 'InvalidRequest');
      await held.promise;
      return sealed(request);
    };
    const outbox = await open();
    const slow = [outbox.sell(receipt('A-1', 1)), outbox.sell(receipt('B-1', 2))];
    await expect.poll(() => service.requests.length).toBe(2);
    // The leases are over: another program sends them, too.
    sql('update sales set leased_until = 0');
    const other = await open();
    expect(await other.drain()).toMatchObject({ signed: 0, setAside: 2 });
    await other.discard('A-1');
    held.resolve();
    for (const sold of slow) expect(await sold).toMatchObject({ outcome: 'Signed' });
    for (const name of ['A-1', 'B-1'])
      expect(await other.find(name)).toMatchObject({ state: 'Signed', receipt: { Reference: name } });
    expect(reports.filter(({ kind }) => kind === 'SignedAfterAll')).toMatchObject([
      { problem: null },
      { problem: null },
    ]);
  });

  test('a date that is refused even of a late one sets the sale aside', async () => {
    service.answer = () => problem(400, 'InvalidRequest', [{ Field: 'Date', Code: 'RCPT030' }]);
    expect(await (await open()).sell(receipt('A-1'))).toMatchObject({ outcome: 'SetAside' });
    expect(service.requests.map(({ isLate }) => isLate)).toEqual([false, true]);
  });

  test('the same program does not send a sale twice at once, however long it takes', async () => {
    const held = Promise.withResolvers<void>();
    service.answer = async (request) => {
      await held.promise;
      return sealed(request);
    };
    const outbox = await open();
    const slow = outbox.sell(receipt('A-1'));
    await expect.poll(() => service.requests.length).toBe(1);
    sql('update sales set leased_until = 0');
    const drained = outbox.drain({ withinSeconds: 0.2 });
    await delay(400);
    held.resolve();
    expect(await slow).toMatchObject({ outcome: 'Signed' });
    await drained;
    expect(references()).toEqual(['A-1']);
  });

  test('a seal of a sale that is gone from the file counts, a refusal of one does not, and nothing else is told', async () => {
    const outbox = await open();
    const stuck = 'update sales set failing_since = 1, failed_at = 1';
    service.answer = (request) => {
      sql(stuck);
      sql('delete from sales');
      return request.reference === 'A-1' ? sealed(request) : problem(400, 'InvalidRequest');
    };
    expect(await outbox.sell(receipt('A-1'))).toMatchObject({
      outcome: 'Signed',
      reference: 'A-1',
      number: 7,
      receipt: { Reference: 'A-1' },
    });
    await expect(outbox.sell(receipt('A-2'))).rejects.toThrow('A-2 was discarded meanwhile');
    expect(reports).toMatchObject([{ kind: 'SignedAfterAll', reference: 'A-1', problem: null }]);
  });

  test('of a sale that ends nobody is told that it is stuck, nor of a second seal', async () => {
    const outbox = await open({ deadlineSeconds: 0 });
    for (const [index, name] of ['A-1', 'B-1', 'C-1'].entries()) await outbox.sell(receipt(name, index));
    sql('update sales set failing_since = 1, failed_at = 1');
    service.answer = (request) => {
      if (request.reference === 'C-1') sql(`update sales set state = 'Signed', number = 7 where reference = 'C-1'`);
      return request.reference === 'A-1' ? problem(400, 'InvalidRequest') : sealed(request);
    };
    await outbox.drain();
    expect(reports).toMatchObject([{ kind: 'SetAside', reference: 'A-1' }]);
  });

  test('a problem that comes after a seal does not take it away', async () => {
    const outbox = await open();
    await outbox.sell(receipt('A-1'), { deadlineSeconds: 0 });
    service.answer = () => {
      // Meanwhile the answer to an earlier attempt came to another program.
      sql(`update sales set state = 'Signed', number = 7, answered = 0, status = 200, answer = '{"Reference":"A-1"}'`);
      return away();
    };
    await outbox.drain({ withinSeconds: 0 });
    expect(await outbox.find('A-1')).toMatchObject({ state: 'Signed', number: 7, receipt: { Reference: 'A-1' } });
  });
});

describe('what a person decides', () => {
  test('a sale that is retried goes out late, at its old place; without a name all do', async () => {
    service.answer = () => problem(400, 'InvalidRequest');
    const outbox = await open();
    for (const name of ['A-1', 'A-2', 'A-3']) await outbox.sell(receipt(name));
    service.answer = sealed;
    await expect(outbox.retry('A-9')).rejects.toThrow('A-9 is not set aside');
    await outbox.retry('A-2');
    expect(await outbox.drain()).toMatchObject({ signed: 1, setAside: 0 });
    await outbox.retry();
    expect(await outbox.drain()).toMatchObject({ signed: 2, status: { setAside: [] } });
    expect(references().slice(3)).toEqual(['A-2', 'A-1', 'A-3']);
    expect(service.requests.slice(3).every(({ isLate }) => isLate)).toBe(true);
  });

  test('a discarded one is never sent again, and its reference is free', async () => {
    service.answer = () => problem(400, 'InvalidRequest');
    const outbox = await open();
    await outbox.sell(receipt('A-1'));
    await outbox.discard('A-1');
    await expect(outbox.discard('A-1')).rejects.toThrow(OutboxError);
    service.answer = sealed;
    expect(await outbox.drain()).toMatchObject({ signed: 0, status: { queued: 0, setAside: [] } });
    expect(await outbox.sell({ ...receipt('A-1'), Currency: 'ZWG' })).toMatchObject({ outcome: 'Signed' });
  });

  test.each([
    ['503 DeviceOnHold', problem(503, 'DeviceOnHold'), true],
    ['503 Overloaded', problem(503, 'Overloaded'), false],
    ['400 DeviceBlocked', problem(400, 'DeviceBlocked'), true],
    ['500 InternalError', problem(500, 'InternalError'), false],
    ['no answer', 'cut' as const, false],
  ])('a queued sale whose last answer is %s', async (_name, answer, canBeDiscarded) => {
    service.answer = () => answer;
    const outbox = await open();
    await outbox.sell(receipt('A-1'), { deadlineSeconds: 0.9 });
    const discarded = outbox.discard('A-1');
    if (canBeDiscarded) await discarded;
    else await expect(discarded).rejects.toThrow('no answer proves that it is not sealed');
    expect(await outbox.status()).toMatchObject({ queued: canBeDiscarded ? 0 : 1 });
  });

  test('one that was never sent can be discarded, one that was sent since its last answer cannot', async () => {
    service.answer = () => problem(503, 'DeviceOnHold');
    const outbox = await open();
    await outbox.sell(receipt('A-1'), { deadlineSeconds: 0.9 });
    await outbox.sell(receipt('A-2'), { deadlineSeconds: 0 });
    await outbox.discard('A-2');
    sql('update sales set attempts = attempts + 1');
    await expect(outbox.discard('A-1')).rejects.toThrow(OutboxError);
  });
});

describe('draining', () => {
  test('each device in order, devices beside each other, and each sale once', async () => {
    const outbox = await open({ deadlineSeconds: 0 });
    for (let n = 1; n <= 5; n += 1)
      for (const device of [1, 2, 3]) await outbox.sell(receipt(`${device}-${n}`, device));
    expect(await (await open()).drain()).toMatchObject({ signed: 15, setAside: 0, status: { queued: 0 } });
    for (const device of [1, 2, 3])
      expect(references().filter((name) => name.startsWith(`${device}-`))).toEqual(
        [1, 2, 3, 4, 5].map((n) => `${device}-${n}`),
      );
  });

  test('every device gets an attempt, however short the time is', async () => {
    const outbox = await open({ deadlineSeconds: 0 });
    for (const device of [1, 2, 3]) for (const n of [1, 2]) await outbox.sell(receipt(`${device}-${n}`, device));
    expect(await outbox.drain({ withinSeconds: 0 })).toMatchObject({ signed: 3, status: { queued: 3 } });
  });

  test('an outcome that cannot be recorded lets its device wait, and no other', async () => {
    const outbox = await open({ deadlineSeconds: 0 });
    for (const device of [1, 2]) await outbox.sell(receipt(`${device}-1`, device));
    sql(
      `create trigger full before update of state on sales when new.device = 1 begin select raise(abort, 'full'); end`,
    );
    expect(await outbox.drain({ withinSeconds: 2 })).toMatchObject({ signed: 1, status: { queued: 1 } });
    expect(references().filter((name) => name === '1-1').length).toBeLessThan(4);
    expect(reports).toMatchObject([{ kind: 'Failed', reference: '1-1', message: expect.stringContaining('full') }]);
    sql('drop trigger full');
    expect(await outbox.drain()).toMatchObject({ signed: 1, status: { queued: 0 } });
  });

  test('a device that has to wait is not tried before its time, by the next drain neither', async () => {
    service.answer = () => away(300);
    const outbox = await open({ deadlineSeconds: 0 });
    for (const name of ['A-1', 'A-2']) await outbox.sell(receipt(name));
    for (const withinSeconds of [0.3, 0]) await outbox.drain({ withinSeconds });
    expect(references()).toEqual(['A-1']);
  });

  test('what cannot be recorded waits as well, and is not counted', async () => {
    const outbox = await open({ deadlineSeconds: 0 });
    for (const device of [1, 2]) await outbox.sell(receipt(`${device}-1`, device));
    sql(`create trigger full before update of status on sales begin select raise(abort, 'full'); end`);
    service.answer = (request) => (request.reference === '1-1' ? sealed(request) : problem(400, 'InvalidRequest'));
    for (let rounds = 0; rounds < 2; rounds += 1) {
      expect(await outbox.drain({ withinSeconds: 0 })).toMatchObject({ signed: 0, setAside: 0, status: { queued: 2 } });
      sql('update sales set leased_until = 0');
    }
    expect(references().toSorted()).toEqual(['1-1', '2-1']);
  });

  test('a misdated sale is sent again at once, unless that cannot be recorded', async () => {
    service.answer = () => problem(400, 'InvalidRequest', [{ Field: 'Date', Code: 'RCPT031' }]);
    const outbox = await open();
    sql(`create trigger full before update of status on sales begin select raise(abort, 'full'); end`);
    expect(await outbox.sell(receipt('A-1'), { deadlineSeconds: 0.5 })).toMatchObject({ outcome: 'Queued' });
    sql('update sales set leased_until = 0');
    await outbox.drain({ withinSeconds: 0 });
    expect(references()).toEqual(['A-1']);
  });

  test('a file that fails ends it at once', async () => {
    const outbox = await open({ deadlineSeconds: 0 });
    await outbox.sell(receipt('A-1'));
    sql(`create trigger full before update of attempts on sales begin select raise(abort, 'full'); end`);
    const startedAt = performance.now();
    await expect(outbox.drain({ withinSeconds: 8 })).rejects.toThrow('full');
    expect(performance.now() - startedAt).toBeLessThan(6_000);
  });

  test('sixteen devices at once', async () => {
    const held = Promise.withResolvers<void>();
    service.answer = async (request) => {
      await held.promise;
      return sealed(request);
    };
    const outbox = await open({ deadlineSeconds: 0 });
    for (let device = 1; device <= 18; device += 1) await outbox.sell(receipt(`${device}`, device));
    const drained = outbox.drain();
    await expect.poll(() => service.requests.length).toBe(16);
    await delay(200);
    expect(service.requests.length).toBe(16);
    held.resolve();
    expect(await drained).toMatchObject({ signed: 18 });
  });

  test('it takes a minute at most, if nothing else is said', async () => {
    service.answer = () => away(300);
    const outbox = await open();
    await outbox.sell(receipt('A-1'));
    const now = performance.now.bind(performance);
    let later = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + later);
    const drained = outbox.drain();
    later = 60_000;
    expect(await drained).toMatchObject({ signed: 0, status: { queued: 1 } });
    clock.mockRestore();
  });

  test('in the background, whatever the functions and the disk do', async () => {
    service.answer = () => problem(400, 'InvalidRequest');
    const told: string[] = [];
    const outbox = await open({
      deadlineSeconds: 0,
      report: ({ kind }) => {
        told.push(kind);
        if (kind === 'SetAside') throw new Error('no such window');
        return Promise.reject(new Error('no such log'));
      },
    });
    outbox.start();
    await outbox.sell(receipt('A-1'));
    await expect.poll(async () => (await outbox.status()).setAside.length).toBe(1);
    renameSync(file, `${file}.away`);
    await expect.poll(() => told).toEqual(['SetAside', 'Failed']);
    // Two rounds more tell nothing new.
    await delay(2_500);
    expect(told.length).toBe(2);
    renameSync(`${file}.away`, file);
    service.answer = sealed;
    await outbox.sell(receipt('A-2'));
    await expect.poll(async () => (await outbox.find('A-2'))?.state).toBe('Signed');
    await outbox.stop();
  });

  test('in the background, once, until it is stopped, and again', async () => {
    const outbox = await open({ deadlineSeconds: 0 });
    await outbox.stop();
    for (const name of ['A-1', 'A-2']) {
      outbox.start();
      outbox.start();
      await outbox.sell(receipt(name));
      await expect.poll(async () => (await outbox.find(name))?.state).toBe('Signed');
      await outbox.stop();
    }
    await outbox.sell(receipt('A-3'));
    // Longer than the pause between two rounds.
    await delay(1_500);
    expect(references()).toEqual(['A-1', 'A-2']);
  });

  test('what is stopped waits for a request on its way, and for nothing else', async () => {
    const held = Promise.withResolvers<void>();
    service.answer = async () => {
      await held.promise;
      return away(300);
    };
    const outbox = await open({ deadlineSeconds: 0 });
    await outbox.sell(receipt('A-1'));
    outbox.start();
    await expect.poll(() => service.requests.length).toBe(1);
    let hasStopped = false;
    const stopped = outbox.stop().then(() => (hasStopped = true));
    await delay(200);
    expect(hasStopped).toBe(false);
    held.resolve();
    await stopped;
    expect(await outbox.status()).toMatchObject({
      queued: 1,
      lastFailure: { message: expect.stringContaining('MaintenanceWindow') },
    });
  });
});

describe('the file', () => {
  test.each([
    ['a sale', (outbox) => outbox.sell(receipt('A-2'))],
    ['draining', (outbox) => outbox.drain()],
    [
      'the background',
      async (outbox) => {
        outbox.start();
        await outbox.stop();
      },
    ],
  ] as const satisfies (readonly [string, (outbox: Outbox) => Promise<unknown>])[])(
    'is emptied by %s, once a minute',
    async (_name, work) => {
      const outbox = await open();
      await outbox.sell(receipt('A-1'));
      sql('update sales set ended_at = ended_at - 60');
      const isEmpty = () => sql(`select body is null as empty from sales where reference = 'A-1'`)[0]?.['empty'] === 1;
      const now = performance.now.bind(performance);
      let later = 0;
      const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + later);
      await work(outbox);
      expect(isEmpty()).toBe(false);
      later = 60_000;
      await work(outbox);
      expect(isEmpty()).toBe(true);
      sql(`update sales set body = '{}'`);
      await work(outbox);
      expect(isEmpty()).toBe(false);
      clock.mockRestore();
    },
  );

  test('what is finished is emptied after a minute and goes after 90 days; what is set aside stays', async () => {
    service.answer = (request) => (request.reference === 'A-2' ? problem(400, 'InvalidRequest') : sealed(request));
    const outbox = await open();
    for (const name of ['A-1', 'A-2', 'A-3']) await outbox.sell(receipt(name));
    sql(`update sales set ended_at = ended_at - 60 where reference <> 'A-3'`);
    await open();
    const left = () => sql('select reference, body is not null as body, answer is not null as answer from sales');
    expect(left()).toEqual([
      { reference: 'A-1', body: 0, answer: 0 },
      { reference: 'A-2', body: 1, answer: 1 },
      { reference: 'A-3', body: 1, answer: 1 },
    ]);
    expect(readFileSync(file, 'latin1')).not.toContain('"Reference":"A-1"');
    sql(`update sales set ended_at = ended_at - 90 * 86400`);
    await open();
    expect(left()).toEqual([{ reference: 'A-2', body: 1, answer: 1 }]);
  });

  test('the seal of an emptied sale is asked for once more; without an answer its number is known', async () => {
    const outbox = await open();
    await outbox.sell(receipt('A-1'));
    sql('update sales set body = null, answer = null');
    expect(await outbox.sell(receipt('A-1'))).toMatchObject({
      outcome: 'Signed',
      number: 7,
      receipt: { Reference: 'A-1' },
    });
    expect(service.requests).toMatchObject([{ isLate: false }, { isLate: true }]);
    const withoutSeal = { outcome: 'Signed', number: 7, receipt: null };
    expect(await outbox.sell(receipt('A-1'), { deadlineSeconds: 0 })).toMatchObject(withoutSeal);
    expect(service.requests.length).toBe(2);
    for (const answer of ['cut', problem(409, 'ReferenceConflict')] as const) {
      service.answer = () => answer;
      expect(await outbox.sell(receipt('A-1'))).toMatchObject(withoutSeal);
    }
  });

  test('its name may have any letters', async () => {
    file = join(folder, 'till ?mode=ro&%41#.outbox');
    await (await open()).sell(receipt('A-1'));
    expect(sql('select state from sales')).toEqual([{ state: 'Signed' }]);
  });

  test('one that is deleted, emptied or replaced is noticed, and nothing is sent', async () => {
    const outbox = await open();
    rmSync(file);
    await expect(outbox.sell(receipt('A-1'))).rejects.toThrow(/is no longer there .* open it again\.$/);
    writeFileSync(file, '');
    await expect(outbox.sell(receipt('A-1'))).rejects.toThrow('has been emptied or replaced');
    await open();
    await expect(outbox.status()).rejects.toThrow('has been emptied or replaced');
    expect(references()).toEqual([]);
    expect(await (await open()).sell(receipt('A-1'))).toMatchObject({ outcome: 'Signed' });
  });

  test('a locked one is waited for, reading and writing, and given up after a while', async () => {
    const [outbox, opened] = [await open(), await OutboxFile.open(file)];
    const other = new DatabaseSync(file);
    other.exec('begin exclusive');
    const waiting = [outbox.sell(receipt('A-1')), outbox.status()] as const;
    await expect(opened.change(() => {}, 100)).rejects.toThrow('has been locked by another program for 0.1 seconds');
    expect(references()).toEqual([]);
    other.close();
    expect(await waiting[0]).toMatchObject({ outcome: 'Signed' });
    await waiting[1];
  });

  /** Lets commits fail, by their number from now on; `instead` is done in their place. */
  function failing(commits: readonly number[], instead: 'commit' | 'rollback') {
    let count = 0;
    return scriptExec((statement, run) => {
      if (statement === 'commit') count += 1;
      if (statement !== 'commit' || !commits.includes(count)) return run(statement);
      run(instead);
      throw Object.assign(new Error('disk I/O error'), { errcode: 10 });
    });
  }

  test.each([
    ['was made all the same', 'commit', [1], 1],
    ['was made all the same, which cannot be read', 'commit', [1, 2], 0],
    ['was made all the same, but cannot be flushed either', 'commit', [1, 3], 0],
    ['was not made', 'rollback', [1], 0],
  ] as const)('a commit that fails and %s', async (_name, instead, commits, sent) => {
    const outbox = await open();
    const spy = failing(commits, instead);
    vi.useFakeTimers({ toFake: ['Date'] });
    let leased: unknown;
    service.answer = (request) => {
      leased = sql('select leased_until from sales')[0]?.['leased_until'];
      return sealed(request);
    };
    const sold = outbox.sell(receipt('A-1'));
    if (sent === 1) expect(await sold).toMatchObject({ outcome: 'Signed' });
    else
      await expect(sold).rejects.toMatchObject({
        message: expect.stringMatching(/disk I\/O error.*may be sold again, unchanged/),
        cause: { cause: { errcode: 10 } },
      });
    expect(references().length).toBe(sent);
    // One more write than the sale itself took it to the disk.
    if (sent === 1) expect(leased).toBe(Date.now() + 5_001);
    vi.useRealTimers();
    spy.mockRestore();
    sql('update sales set leased_until = 0');
    expect(await outbox.sell(receipt('A-1'))).toMatchObject({ outcome: 'Signed' });
    expect(sql('select state from sales')).toEqual([{ state: 'Signed' }]);
  });

  test('a commit that fails although it was made, of a sale that is not the next, or is sealed', async () => {
    const outbox = await open();
    await outbox.sell(receipt('A-1'), { deadlineSeconds: 0 });
    for (let times = 0; times < 2; times += 1) {
      failing([1], 'commit');
      expect(await outbox.sell(receipt('A-2'))).toMatchObject({ outcome: 'Signed', number: 7 });
      expect(references()).toEqual(['A-1', 'A-2']);
      vi.restoreAllMocks();
    }
  });

  test('a commit that fails beside another sale, or a discarded one, of that reference', async () => {
    service.answer = () => problem(400, 'InvalidRequest');
    const outbox = await open();
    await outbox.sell(receipt('A-1'));
    for (const Currency of ['ZWG', 'USD']) {
      failing([1], 'rollback');
      await expect(outbox.sell({ ...receipt('A-1'), Currency })).rejects.toThrow('may be sold again, unchanged');
      vi.restoreAllMocks();
      if (Currency === 'ZWG') await outbox.discard('A-1');
    }
    expect(references()).toEqual(['A-1']);
  });

  test('what is no database is refused and left alone', async () => {
    writeFileSync(file, 'milk');
    await expect(open()).rejects.toThrow('.recover');
    expect(readFileSync(file, 'utf8')).toBe('milk');
  });

  test.each([
    ['a database of something else', 'create table notes (text)', 'not an outbox'],
    ['an outbox of the future', `create table meta (version, id); insert into meta values (2, 'x')`, 'version 2'],
  ])('%s is refused and left alone', async (_name, statements, sentence) => {
    const db = new DatabaseSync(file);
    db.exec(`pragma journal_mode = wal; ${statements}`);
    db.close();
    const before = readFileSync(file);
    await expect(open()).rejects.toThrow(sentence);
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test('a damaged one is refused, with the way to save it', async () => {
    const outbox = await open({ deadlineSeconds: 0 });
    for (let n = 0; n < 20; n += 1) await outbox.sell(receipt(`A-${n}`));
    const bytes = readFileSync(file);
    bytes.fill(0xff, 4096, 12_288);
    writeFileSync(file, bytes);
    await expect(open()).rejects.toThrow(/stop the tills.*-journal.*\.recover/);
    await expect(outbox.sell(receipt('B-1'))).rejects.toThrow(OutboxError);
  });

  test('a Node without SQLite is told what it needs, and everything else works', async () => {
    const script = `const { Client, taxSums } = await import(${JSON.stringify(join(import.meta.dirname, '../src/index.ts'))});
      console.log(String(taxSums([{ LineTotal: '1.50', TaxPercent: null }], true).TotalAmount));
      await new Client('http://127.0.0.1:1', 't').openOutbox('x.outbox').catch((error) => console.log(error.message));`;
    const words = ['--no-experimental-sqlite', '--input-type=module', '--eval', script];
    const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: folder });
    expect(stdout).toMatch(/^1\.5\nAn outbox needs Node 22\.13 or newer, for its SQLite; this is v[\d.]+\.\n$/);
  });
});
