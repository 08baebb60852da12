import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Receipt } from '../src/api.ts';
import { JournalError, Outbox, type OutboxOptions } from '../src/index.ts';
import { lineOf, secondsOf } from '../src/outbox/record.ts';
import { type Answer, problem, type ScriptedService, sealed, startScriptedService } from './scripted-service.ts';

let folder: string;
let file: string;
let service: ScriptedService;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tillseal-outbox-'));
  file = join(folder, 'till.journal');
  service = await startScriptedService();
});
afterEach(async () => {
  await service.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Far away: a slow machine must not decide what becomes of a sale. */
const DEADLINE_MS = 50_000;

const open = (options: Partial<OutboxOptions> = {}) =>
  Outbox.open({ file, url: service.url, token: 'tsk_test', deadlineMs: DEADLINE_MS, ...options });

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
const kinds = () => [...readFileSync(file, 'utf8').matchAll(/"Kind":"(\w+)"/g)].map((match) => match[1]);

describe('selling', () => {
  test('a sale is on the disk before the first byte is sent, and its end afterwards', async () => {
    let before: unknown;
    service.answer = (request) => {
      before = kinds();
      return sealed(request);
    };
    const sold = await (await open()).sell(receipt('A-1'));
    expect(sold).toMatchObject({ outcome: 'Signed', receipt: { Reference: 'A-1', GlobalCounter: 7 } });
    expect(sold.outcome === 'Signed' && sold.receipt.TotalAmount.toFixed(2)).toBe('12.50');
    expect(before).toEqual(['Outbox', 'Sale']);
    expect(kinds()).toEqual(['Outbox', 'Sale', 'Signed']);
    expect(service.requests[0]).toMatchObject({
      path: '/api/receipt/sign',
      isLate: false,
      body: JSON.stringify(receipt('A-1')),
    });
  });

  test('the same receipt again is the same sale: nothing is written or sent', async () => {
    const outbox = await open();
    await outbox.sell(receipt('A-1'));
    expect(await (await open()).sell(receipt('A-1'))).toMatchObject({
      outcome: 'Signed',
      receipt: { Reference: 'A-1' },
    });
    expect(references()).toEqual(['A-1']);
    expect(kinds()).toEqual(['Outbox', 'Sale', 'Signed']);
  });

  test('the same reference with other data fails before anything is written', async () => {
    const outbox = await open();
    await outbox.sell(receipt('A-1'));
    await expect(outbox.sell({ ...receipt('A-1'), Currency: 'ZWG' })).rejects.toThrow(JournalError);
    expect(kinds()).toEqual(['Outbox', 'Sale', 'Signed']);
  });

  test('an outage queues, at the deadline and not later', async () => {
    service.answer = () => 'silence';
    const outbox = await open({ deadlineMs: 300 });
    const startedAt = Date.now();
    expect(await outbox.sell(receipt('A-1'))).toEqual({ outcome: 'Queued', reference: 'A-1' });
    // Without a deadline an attempt takes 30 seconds.
    expect(Date.now() - startedAt).toBeLessThan(20_000);
    expect(await outbox.status()).toMatchObject({ open: 1, parked: [] });
  });

  test('an answer that is cut off leaves the sale open', async () => {
    service.answer = () => 'cut';
    const outbox = await open({ deadlineMs: 300 });
    expect((await outbox.sell(receipt('A-1'))).outcome).toBe('Queued');
    expect(await outbox.status()).toMatchObject({ open: 1, parked: [], halted: undefined });
  });

  test('a device that waits beyond the deadline queues at once', async () => {
    service.answer = () => ({
      ...problem(503, 'MaintenanceWindow'),
      headers: { 'retry-after': '600' },
    });
    const outbox = await open();
    expect((await outbox.sell(receipt('A-1'))).outcome).toBe('Queued');
    const startedAt = Date.now();
    expect((await outbox.sell(receipt('A-2'))).outcome).toBe('Queued');
    expect(Date.now() - startedAt).toBeLessThan(DEADLINE_MS);
    expect(references()).toEqual(['A-1']);
  });

  test('what was sold before goes first, and late; so does the sale behind it', async () => {
    service.answer = () => 'cut';
    await (await open({ deadlineMs: 0 })).sell(receipt('A-1'));
    service.requests.length = 0;
    service.answer = sealed;
    expect((await (await open()).sell(receipt('A-2'))).outcome).toBe('Signed');
    expect(service.requests.map(({ reference, isLate }) => [reference, isLate])).toEqual([
      ['A-1', true],
      ['A-2', true],
    ]);
  });

  test('a second attempt is late, and comes after a pause', async () => {
    const times: number[] = [];
    service.answer = (request) => (times.push(performance.now()) === 1 ? 'cut' : sealed(request));
    expect((await (await open()).sell(receipt('A-1'))).outcome).toBe('Signed');
    expect(service.requests.map(({ isLate }) => isLate)).toEqual([false, true]);
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(950);
  });

  test('two devices of one process do not wait for each other', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    service.answer = async (request) => {
      if (request.reference === 'A-1') await held;
      return sealed(request);
    };
    const outbox = await open();
    const slow = outbox.sell(receipt('A-1', 1));
    expect((await outbox.sell(receipt('B-1', 2))).outcome).toBe('Signed');
    release();
    expect((await slow).outcome).toBe('Signed');
  });

  test('many sales at once of one process are sent once each, in order', async () => {
    const outbox = await open();
    const names = Array.from({ length: 20 }, (_, i) => `A-${i}`);
    const sold = await Promise.all(names.map((name) => outbox.sell(receipt(name))));
    expect(sold.every(({ outcome }) => outcome === 'Signed')).toBe(true);
    expect(references()).toEqual(names);
  });
});

/** Status, what answers it, and what becomes of the sale. */
const TABLE: readonly (readonly [string, Answer, 'Refused' | 'Queued', 'Parked' | 'Halted' | 'Open'])[] = [
  [
    '400',
    problem(400, 'InvalidRequest', [{ Field: 'TotalAmount', Code: 'RCPT019', Message: 'must be 12.50' }]),
    'Refused',
    'Parked',
  ],
  [
    '400 with RCPT031',
    problem(400, 'InvalidRequest', [{ Field: 'Date', Code: 'RCPT031', Message: 'ahead' }]),
    'Queued',
    'Open',
  ],
  ['409', problem(409, 'ReferenceConflict'), 'Refused', 'Parked'],
  ['413', problem(413, 'BodyTooLarge'), 'Refused', 'Parked'],
  ['413 of a proxy', { status: 413, body: '<html>' }, 'Refused', 'Parked'],
  ['415', problem(415, 'UnsupportedMediaType'), 'Refused', 'Parked'],
  ['401', problem(401, 'Unauthorized'), 'Queued', 'Halted'],
  ['403', problem(403, 'Forbidden'), 'Queued', 'Halted'],
  ['404', problem(404, 'NotFound'), 'Queued', 'Open'],
  ['405', problem(405, 'MethodNotAllowed'), 'Queued', 'Open'],
  ['408', { status: 408 }, 'Queued', 'Open'],
  ['429', problem(429, 'DeviceBusy'), 'Queued', 'Open'],
  ['500', problem(500, 'InternalError'), 'Queued', 'Open'],
  ['502', { status: 502, body: 'Bad gateway' }, 'Queued', 'Open'],
  ['503', problem(503, 'FiscalDayNotOpen'), 'Queued', 'Open'],
  ['504', { status: 504 }, 'Queued', 'Open'],
  ['201', { status: 201, body: { Reference: 'A-1', DeviceSignature: 'x' } }, 'Queued', 'Open'],
  ['204', { status: 204, body: '' }, 'Queued', 'Open'],
  ['a redirect', { status: 307, headers: { location: '/elsewhere' } }, 'Queued', 'Open'],
  ['the log-in page of a captive portal', { status: 200, body: '<html>Welcome to our Wi-Fi</html>' }, 'Queued', 'Open'],
  ['200 for another reference', { status: 200, body: { Reference: 'B-1', DeviceSignature: 'x' } }, 'Queued', 'Open'],
  ['200 without a seal', { status: 200, body: { Reference: 'A-1' } }, 'Queued', 'Open'],
  ['400 of something else', { status: 400, body: '<html>Bad request</html>' }, 'Queued', 'Open'],
  ['409 of something else', { status: 409, body: '{}' }, 'Queued', 'Open'],
  ['401 of something else', { status: 401, body: '' }, 'Queued', 'Open'],
  ['403 of something else', { status: 403, body: '<html>Blocked by policy</html>' }, 'Queued', 'Open'],
];

describe('what becomes of a sale', () => {
  test.each(TABLE)('%s', async (_name, answer, outcome, state) => {
    // The device would have to wait longer than the deadline, so what is not settled is queued at once.
    service.answer = () => ({ ...answer, headers: { ...answer.headers, 'retry-after': '600' } });
    const outbox = await open();
    expect((await outbox.sell(receipt('A-1'))).outcome).toBe(outcome);
    const { open: count, parked, halted } = await outbox.status();
    expect([count, parked.length, halted !== undefined]).toEqual([
      state === 'Parked' ? 0 : 1,
      state === 'Parked' ? 1 : 0,
      state === 'Halted',
    ]);
    expect(references()).toEqual(['A-1']);
    // The one behind it: goes on behind a parked one, waits behind all others.
    service.answer = sealed;
    expect((await outbox.sell(receipt('A-2'))).outcome).toBe(state === 'Parked' ? 'Signed' : 'Queued');
  });

  test('a refusal is answered with its errors', async () => {
    service.answer = () =>
      problem(400, 'InvalidRequest', [{ Field: 'TotalAmount', Code: 'RCPT019', Message: 'must be 12.50' }]);
    const sold = await (await open()).sell(receipt('A-1'));
    expect(sold).toMatchObject({
      outcome: 'Refused',
      error: { status: 400, code: 'InvalidRequest', errors: [{ Code: 'RCPT019' }] },
    });
  });
});

describe('what a person decides', () => {
  test('a parked sale that is retried goes out late, at its old place', async () => {
    service.answer = (request) => (request.reference === 'A-1' ? problem(400, 'InvalidRequest') : sealed(request));
    const outbox = await open();
    await outbox.sell(receipt('A-1'));
    await outbox.sell(receipt('A-2'));
    service.answer = sealed;
    await outbox.retry('A-1');
    expect(await outbox.drain()).toMatchObject({ open: 0, parked: [] });
    expect(service.requests.at(-1)).toMatchObject({ reference: 'A-1', isLate: true });
  });

  test('a discarded one is never sent again, and its reference is free', async () => {
    service.answer = () => problem(400, 'InvalidRequest');
    const outbox = await open();
    await outbox.sell(receipt('A-1'));
    await outbox.discard('A-1');
    await expect(outbox.discard('A-1')).rejects.toThrow('A-1 is not parked');
    service.answer = sealed;
    expect(await outbox.drain()).toMatchObject({ open: 0, parked: [] });
    expect(references()).toEqual(['A-1']);
    expect((await outbox.sell({ ...receipt('A-1'), Currency: 'ZWG' })).outcome).toBe('Signed');
  });

  test('only a parked sale can be retried', async () => {
    const outbox = await open();
    await outbox.sell(receipt('A-1'));
    await expect(outbox.retry('A-1')).rejects.toThrow(JournalError);
    await expect(outbox.retry('A-2')).rejects.toThrow(JournalError);
  });

  test('a halted queue sends nothing, also after a restart, until it is resumed', async () => {
    service.answer = () => problem(401, 'Unauthorized');
    await (await open()).sell(receipt('A-1'));
    service.answer = sealed;
    const outbox = await open();
    expect((await outbox.sell(receipt('A-2'))).outcome).toBe('Queued');
    expect(await outbox.drain()).toMatchObject({ open: 2, halted: { status: 401 } });
    expect(references()).toEqual(['A-1']);
    await outbox.resume();
    expect(await outbox.drain()).toMatchObject({ open: 0, halted: undefined });
    expect(references()).toEqual(['A-1', 'A-1', 'A-2']);
  });
});

describe('draining', () => {
  test('each device in order, devices beside each other, and each sale once', async () => {
    service.answer = () => 'cut';
    const outbox = await open({ deadlineMs: 0 });
    for (let n = 1; n <= 5; n += 1)
      for (const device of [1, 2, 3]) await outbox.sell(receipt(`${device}-${n}`, device));
    service.requests.length = 0;
    service.answer = sealed;
    expect(await (await open()).drain()).toMatchObject({ open: 0 });
    for (const device of [1, 2, 3])
      expect(references().filter((name) => name.startsWith(`${device}-`))).toEqual(
        [1, 2, 3, 4, 5].map((n) => `${device}-${n}`),
      );
  });

  test('Retry-After is obeyed', async () => {
    const times: number[] = [];
    service.answer = (request) => {
      times.push(Date.now());
      return times.length === 1
        ? { status: 429, body: { Code: 'DeviceBusy' }, headers: { 'retry-after': '2' } }
        : sealed(request);
    };
    const outbox = await open({ deadlineMs: 0 });
    await outbox.sell(receipt('A-1'));
    await outbox.drain();
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(1_990);
  });

  test('in the background, until it is stopped', async () => {
    service.answer = () => 'cut';
    const seen: string[] = [];
    const outbox = await open({
      deadlineMs: 900,
      onAttempt: ({ sale, verdict }) => seen.push(`${sale.reference} ${verdict.kind}`),
    });
    await outbox.sell(receipt('A-1'));
    service.answer = sealed;
    outbox.start({ everyMs: 20, onError: (error) => seen.push(String(error)) });
    await expect.poll(() => outbox.status()).toMatchObject({ open: 0 });
    await outbox.stop();
    expect(seen).toEqual(['A-1 Again', 'A-1 Signed']);
  });

  test('finished sales are compacted away after a minute, open and parked ones stay', async () => {
    const at = secondsOf(Date.now() - 61_000);
    const sale = (Reference: string) =>
      ({ Kind: 'Sale', At: at, Reference, AuthorityDeviceId: 1, Body: '{"BuyerName":"Chipo"}' }) as const;
    const records = [
      { Kind: 'Outbox', Version: 1, Id: '0123456789abcdef' },
      sale('A-1'),
      { Kind: 'Signed', At: at, Reference: 'A-1', Answer: '{}' },
      sale('A-2'),
      { Kind: 'Parked', At: at, Reference: 'A-2', Status: 400, Answer: '{}' },
      sale('A-3'),
      { Kind: 'Halted', At: at, Status: 401, Answer: '{}' },
      { Kind: 'Resumed', At: at },
      sale('A-4'),
      { Kind: 'Signed', At: secondsOf(Date.now()), Reference: 'A-4', Answer: '{}' },
    ] as const;
    writeFileSync(file, Buffer.concat(records.map(lineOf)));
    await open();
    expect(kinds()).toEqual(['Outbox', 'Sale', 'Parked', 'Sale', 'Sale', 'Signed']);
    expect(readFileSync(file, 'utf8')).not.toMatch(/A-1|0123456789abcdef/);
  });
});
