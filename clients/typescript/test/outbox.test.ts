import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, inject, test, vi } from 'vitest';
import {
  type Answer,
  problem,
  type ScriptedService,
  sealed,
  startScriptedService,
} from '../../scenarios/scripted-service.ts';
import { Client, type Outbox, OutboxError, type OutboxOptions, type Report } from '../src/index.ts';
import { OutboxFile } from '../src/outbox/file.ts';
import { Reports } from '../src/outbox/reports.ts';
import { findSale, type Sale } from '../src/outbox/sales.ts';
import { Sending } from '../src/outbox/sending.ts';
import type { Receipt } from '../src/wire/api.ts';
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
});

describe('what an answer leads to', () => {
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
});

describe('draining', () => {
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
    await expect(outbox.drain({ withinSeconds: 80 })).rejects.toThrow('full');
    expect(performance.now() - startedAt).toBeLessThan(40_000);
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

  test('its name may have any letters', async () => {
    file = join(folder, 'till ?mode=ro&%41#.outbox');
    await (await open()).sell(receipt('A-1'));
    expect(sql('select state from sales')).toEqual([{ state: 'Signed' }]);
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
