import { Readable } from 'node:stream';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AuthorityBench } from '../../test/support/authority/authority.ts';
import { until } from '../../test/support/process.ts';
import { runs } from '../../test/support/property-runs.ts';
import { creditNote } from '../../test/support/receipts/receipts.ts';
import { CHAIN_START, chainLine, type FileVerdict, verifyExport } from '../verifier/index.ts';

/** Two closed days and an open one, sealed here and signed by a real simulator of the authority. */
let bench: AuthorityBench;
let deviceId: number;
let exported: string;
let lines: string[];

beforeAll(async () => {
  bench = await AuthorityBench.start();
  deviceId = await bench.addDevice();
  for (const day of [1, 2, 3]) {
    for (let count = 1; count <= 3; count += 1) {
      await bench.sell(deviceId, `DAY${day}-${count}`, count === 2 ? { Cashier: 'Rûdo' } : {});
      await bench.advance(2);
    }
    const note = await bench.sign(
      creditNote(deviceId, `DAY${day}-NOTE`, `DAY${day}-1`, { Date: bench.now.toISOString() }),
    );
    expect(note.statusCode, note.body).toBe(200);
    await bench.advance(2);
    await bench.untilSubmitted(deviceId);
    if (day === 3) break;
    await bench.requestDay(deviceId, 'close');
    await bench.untilDay(deviceId, 'Closed', day);
    await bench.requestDay(deviceId, 'open');
    await bench.untilDay(deviceId, 'Opened', day + 1);
  }
  // A signature that was not proved within moments is proved afterwards.
  await until(async () => (await verifyStored()).UnprovenSignatures === 0, 'every signature is proved');
  exported = await download();
  lines = exported.trimEnd().split('\n');
});
afterAll(() => bench.end());

async function download(query = ''): Promise<string> {
  const answer = await bench.admin('GET', `/api/admin/devices/${deviceId}/export${query}`);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.body;
}

const verifyBytes = (bytes: Buffer) => verifyExport(Readable.from([bytes.subarray(0, 100), bytes.subarray(100)]));
const verifyText = (text: string) => verifyBytes(Buffer.from(text));
function findingOf(verdict: FileVerdict) {
  if (verdict.holds) throw new Error('it holds');
  return verdict.finding;
}

interface Verdict {
  Holds: boolean;
  NextDay: number | null;
  UnprovenSignatures: number;
  Fault: { Kind: string; GlobalCounter: number | null; FiscalDayNumber: number | null; Detail: string } | null;
}
async function verifyStored(query = ''): Promise<Verdict> {
  const answer = await bench.admin('POST', `/api/admin/devices/${deviceId}/verify${query}`, {});
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json<Verdict>();
}

describe('an export', () => {
  test('of a taxpayer has all its devices in a row, each of which proves itself', async () => {
    const second = await bench.addDevice();
    await bench.sell(second, 'SECOND-1');
    await bench.untilSubmitted(second);
    const path = `/api/admin/taxpayers/${bench.shop.taxpayerId}/export`;
    const { body, headers } = await bench.admin('GET', path);
    expect(headers['content-disposition']).toMatch(/filename="taxpayer-\d{10}[.]jsonl"/);
    expect(await verifyText(body)).toMatchObject({
      holds: true,
      proof: { deviceId },
      others: [{ deviceId: second, receipts: 1 }],
    });
    const changed = body.replace('"SECOND-1"', '"SECOND-2"');
    expect(findingOf(await verifyText(changed))).toMatchObject({ kind: 'changed-line' });
    const without = body.trimEnd().split('\n').slice(0, -1).join('\n');
    expect(findingOf(await verifyText(`${without}\n`))).toMatchObject({ kind: 'end-missing' });
  });

  test('proves itself: every seal, link, closing and signature of the authority', async () => {
    expect(await verifyText(exported)).toMatchObject({
      holds: true,
      lines: 1 + 12 + 3 + 2 + 1,
      proof: {
        deviceId,
        receipts: 12,
        firstGlobalCounter: 1,
        lastGlobalCounter: 12,
        closedDays: 2,
        openDays: 1,
        evidence: 14,
        unproven: 0,
      },
    });
  });

  test('of some days proves itself too, by number and by date of opening', async () => {
    const second = await download('?From=2&To=2');
    const verdict = await verifyText(second);
    expect(verdict).toMatchObject({ holds: true, proof: { receipts: 4, firstGlobalCounter: 5, closedDays: 1 } });
    expect(await verifyText(await download('?From=3'))).toMatchObject({ holds: true, proof: { openDays: 1 } });
    expect(await verifyText(await download('?From=9'))).toMatchObject({ holds: true, proof: { receipts: 0 } });
    expect(await verifyText(await download('?From=2026-11-15&To=2026-11-15'))).toMatchObject({ holds: true });
    for (const [query, status] of [
      ['?To=2020-01-01', 404],
      ['?From=2099-01-01', 404],
      ['?From=2026-02-31', 400],
      ['?From=0', 400],
      ['?Form=1', 400],
    ] as const) {
      const answer = await bench.admin('GET', `/api/admin/devices/${deviceId}/export${query}`);
      expect(answer.statusCode, query).toBe(status);
    }
    expect((await bench.admin('GET', '/api/admin/devices/999/export')).statusCode).toBe(404);
  });

  test('is noted in the audit log', async () => {
    const audit = await bench.admin('GET', `/api/admin/audit?Action=device.exported&Limit=1`);
    expect(audit.json()).toMatchObject({ Entries: [{ Subject: `device ${deviceId}`, After: { FromDay: 1 } }] });
  });
});

describe('a file that was touched fails, and the report says where', () => {
  const lineAt = (bytes: Buffer, at: number) => bytes.subarray(0, at).filter((byte) => byte === 0x0a).length + 1;

  test('one byte changed anywhere', async () => {
    const whole = Buffer.from(exported);
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), async (at, change) => {
        const bytes = Buffer.from(whole);
        bytes[at] = (bytes[at] ?? 0) ^ change;
        const { line } = findingOf(await verifyBytes(bytes));
        expect(line).toBe(lineAt(whole, at));
      }),
      runs(300),
    );
  });

  test('one byte removed or added anywhere', async () => {
    const whole = Buffer.from(exported);
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), fc.option(fc.nat(255)), async (at, added) => {
        const middle = added === null ? [] : [Buffer.from([added]), whole.subarray(at, at + 1)];
        const bytes = Buffer.concat([whole.subarray(0, at), ...middle, whole.subarray(at + 1)]);
        const { line } = findingOf(await verifyBytes(bytes));
        // Doubling a byte is the same wherever in a run of equal ones; a line break more shows at the line it ends.
        expect(Math.abs(line - lineAt(whole, at))).toBeLessThanOrEqual(1);
      }),
      runs(200),
    );
  });

  test('lines removed, doubled, swapped, or the end cut off', async () => {
    const place = fc.nat(lines.length - 1);
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('remove', 'double', 'swap', 'cut'), place, place, async (act, one, other) => {
        const changed = [...lines];
        const [first, second] = [Math.min(one, other), Math.max(one, other)];
        if (act === 'remove') changed.splice(first, 1);
        if (act === 'double') changed.splice(first, 0, lines[first] ?? '');
        if (act === 'swap') [changed[first], changed[second]] = [lines[second] ?? '', lines[first] ?? ''];
        if (act === 'cut') changed.splice(first);
        if (act === 'swap' && first === second) return;
        const { line } = findingOf(await verifyText(changed.map((text) => `${text}\n`).join('')));
        expect(line).toBe(act === 'double' ? first + 2 : first + 1);
      }),
      runs(150),
    );
  });

  test('what was changed in a line is told where it can be', async () => {
    const at = lines.findIndex((line) => line.includes('"Reference":"DAY2-2"'));
    const changed = lines.with(at, lines[at]?.replace('"Total":"115.50"', '"Total":"15.50"') ?? '');
    expect(findingOf(await verifyText(changed.map((line) => `${line}\n`).join('')))).toMatchObject({
      kind: 'changed-line',
      line: at + 1,
      reference: 'DAY2-2',
      globalCounter: 6,
      fiscalDayNumber: 2,
      consequence: 'the fields give another hash than the stored one',
    });
  });
});

/** Somebody who changes a line and computes all hashes of the lines anew is caught by the signatures. */
describe('a forger who knows the format fails', () => {
  function forge(change: (line: string, index: number) => string | undefined): string {
    let hash = CHAIN_START;
    let text = '';
    for (const [index, line] of lines.entries()) {
      const changed = change(line.replace(/,"Chain":"[^"]{44}"\}$/, '}'), index);
      if (changed === undefined) continue;
      const next = chainLine(hash, changed);
      hash = next.hash;
      text += `${next.line}\n`;
    }
    return text;
  }
  const within = (part: string, from: string | RegExp, to: string) => (line: string) =>
    line.includes(part) ? line.replace(from, to) : line;
  const receipt = '"Reference":"DAY2-2"';

  test('untouched, the forged chain of lines is the real one', () => {
    expect(forge((line) => line)).toBe(exported);
  });

  test.each([
    ['the total', within(receipt, '"Total":"115.50"', '"Total":"15.50"'), 'wrong-hash'],
    ['the currency', within(receipt, '"Currency":"USD"', '"Currency":"EUR"'), 'wrong-hash'],
    ['the date', within(receipt, /"Date":"2026-11-15T\d\d/, '"Date":"2026-11-15T23'), 'wrong-hash'],
    ['a tax', within(receipt, '"TaxAmount":"15.50"', '"TaxAmount":"5.50"'), 'wrong-hash'],
    ['the body total', within(receipt, '"TotalAmount":115.5', '"TotalAmount":11.5'), 'body-differs'],
    ['the body reference', within(receipt, /("Body":.*"Reference":")DAY2-2/, '$1DAY2-X'), 'body-differs'],
    ['the body tax', within(receipt, /("Body":.*"TaxAmount":)15.5/, '$15.5'), 'body-differs'],
    ['the body date', within(receipt, /("Body":.*"Date":"....-..-..T..:..:)\d\d/, '$199'), 'body-differs'],
    ['a line', within(receipt, '"LineTotal":115.5', '"LineTotal":1.5'), 'wrong-sum'],
    ['a payment', within(receipt, '"Type":"Cash","Amount":115.5', '"Type":"Cash","Amount":5.5'), 'wrong-sum'],
    ['a money type', within(receipt, '"Type":"Cash"', '"Type":"Card"'), 'counters-differ'],
    ['the type', within(receipt, '"Type":"FiscalInvoice"', '"Type":"DebitNote"'), 'wrong-hash'],
    ['the key', within(receipt, '"KeyVersion":1', '"KeyVersion":2'), 'unknown-key'],
    ['the code', within(receipt, /"VerificationCode":"..../, '"VerificationCode":"0000'), 'wrong-verification-code'],
    [
      'the receipt id of the authority',
      within(receipt, /"AuthorityReceiptId":"/, '"AuthorityReceiptId":"9'),
      'wrong-evidence',
    ],
    ['a counter at closing', within('"Kind":"day-close"', /"Value":"/, '"Value":"1'), 'counters-differ'],
    ['the time of closing', within('"Kind":"day-close"', /"Closed":"2026/, '"Closed":"2027'), 'wrong-evidence'],
    ['the date of opening', within('"Kind":"day-open"', /"Opened":"2026/, '"Opened":"2025'), 'wrong-hash'],
    ['a receipt removed', (line: string) => (line.includes(receipt) ? undefined : line), 'gap-in-global-counter'],
    ['the last receipts removed', (line: string) => (/"DAY3-NOTE"/.test(line) ? undefined : line), 'wrong-count'],
    ['a closing removed', (line: string) => (/"day-close"/.test(line) ? undefined : line), 'day-out-of-order'],
    [
      'another key',
      within('"Kind":"header"', /MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE..../, 'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEAAAA'),
      'wrong-certificate',
    ],
    ['a thumbprint', within('"Kind":"header"', /"Thumbprint":"..../, '"Thumbprint":"0000'), 'wrong-certificate'],
    ['another format', within('"Kind":"header"', 'export/1', 'export/2'), 'unreadable'],
    ['three decimals', within(receipt, '"Total":"115.50"', '"Total":"115.501"'), 'unreadable'],
  ])('%s', async (_name, change, kind) => {
    expect(findingOf(await verifyText(forge(change))).kind).toBe(kind);
  });

  test('without the certificates of the authority its signatures are unproven, and said to be', async () => {
    const text = forge(within('"Kind":"header"', /"AuthorityCertificates":\[.*\]/, '"AuthorityCertificates":[]'));
    expect(await verifyText(text)).toMatchObject({ holds: true, proof: { evidence: 0, unproven: 14 } });
  });
});

describe('what is stored is proven by the administration', () => {
  test('it holds, with counts', async () => {
    expect(await verifyStored()).toMatchObject({
      Holds: true,
      Receipts: 12,
      ClosedDays: 2,
      OpenDays: 1,
      AuthoritySignatures: 14,
      UnprovenSignatures: 0,
      NextDay: null,
      Fault: null,
    });
    expect(await verifyStored('?FromDay=2')).toMatchObject({ Holds: true, Receipts: 8, ClosedDays: 1 });
    expect((await bench.admin('POST', '/api/admin/devices/999/verify', {})).statusCode).toBe(404);
  });

  /** As somebody with the keys of the database would: triggers off. */
  async function tampered(statement: string): Promise<Verdict['Fault']> {
    const client = await bench.pool.connect();
    try {
      await client.query('begin; set local session_replication_role = replica');
      const { rowCount } = await client.query(statement, [deviceId]);
      expect(rowCount).toBeGreaterThan(0);
      await client.query('commit');
      return (await verifyStored()).Fault;
    } catch (error) {
      await client.query('rollback');
      throw error;
    } finally {
      client.release();
    }
  }
  async function restored(table: string, work: () => Promise<void>): Promise<void> {
    await bench.pool.query(`create table kept as table ${table}`);
    try {
      await work();
    } finally {
      const client = await bench.pool.connect();
      await client.query('begin; set local session_replication_role = replica');
      await client.query(`delete from ${table}`);
      await client.query(`insert into ${table} select * from kept`);
      await client.query('drop table kept');
      await client.query('commit');
      client.release();
    }
  }

  test.each([
    ['receipts', 'total = 1', 6, 'wrong-hash'],
    ['receipts', "currency = 'EUR'", 6, 'wrong-hash'],
    ['receipts', "reference = 'OTHER'", 6, 'body-differs'],
    ['receipts', "signed_date = signed_date + interval '1 hour'", 6, 'wrong-hash'],
    ['receipts', "taxes = jsonb_set(taxes, '{0,taxAmount}', '\"1.00\"')", 6, 'wrong-hash'],
    ['receipts', "body = replace(body, '115.5', '115.4')", 6, 'body-differs'],
    ['receipts', "previous_hash = sha256('x')", 6, 'wrong-link'],
    ['receipts', "hash = sha256('x')", 6, 'wrong-hash'],
    ['receipts', "signature = '\\x30'", 6, 'bad-signature'],
    ['receipts', 'fiscal_day_counter = 9', 6, 'gap-in-day-counter'],
    ['receipts', 'fiscal_day_number = 77', 6, 'day-out-of-order'],
    ['receipts', 'configuration_version = 77', 6, 'wrong-verification-code'],
    ['submissions', 'authority_receipt_id = authority_receipt_id + 1', 6, 'wrong-evidence'],
    ['submissions', "server_signature = '\\x30'", 6, 'wrong-evidence'],
  ])('%s: %s', async (table, change, globalCounter, kind) => {
    await restored(table, async () => {
      const where = `device_id = $1 and global_counter = ${globalCounter}`;
      const fault = await tampered(`update ${table} set ${change} where ${where}`);
      expect(fault).toMatchObject({ Kind: kind, GlobalCounter: globalCounter });
    });
    expect((await verifyStored()).Holds).toBe(true);
  });

  test.each([
    ['receipt_count = receipt_count + 1', 'counters-differ'],
    ["counters = jsonb_set(counters, '{0,value}', '\"1\"')", 'counters-differ'],
    ["opened_wall = opened_wall - interval '1 day'", 'wrong-hash'],
    ["device_signature = '\\x30'", 'bad-signature'],
    ["closed_wall = closed_wall + interval '1 second'", 'wrong-evidence'],
  ])('fiscal_days: %s', async (change, kind) => {
    await restored('fiscal_days', async () => {
      const fault = await tampered(`update fiscal_days set ${change} where device_id = $1 and fiscal_day_number = 2`);
      expect(fault).toMatchObject({ Kind: kind, FiscalDayNumber: 2 });
    });
  });

  test('a receipt that is gone, in the middle or at the end', async () => {
    for (const [globalCounter, kind] of [
      [6, 'gap-in-global-counter'],
      [12, 'wrong-head'],
    ] as const) {
      await restored('receipts', async () => {
        const fault = await tampered(`delete from receipts where device_id = $1 and global_counter = ${globalCounter}`);
        expect(fault?.Kind).toBe(kind);
      });
    }
    expect((await verifyStored()).Holds).toBe(true);
  });
});

describe('X and Z report', () => {
  const report = async (day: number) =>
    (await bench.admin('GET', `/api/admin/devices/${deviceId}/days/${day}/report`)).json<Record<string, unknown>>();

  test('a closed day is a Z report from its counters, an open one an X report from its receipts', async () => {
    const closed = await report(1);
    expect(closed).toMatchObject({
      Kind: 'Z',
      State: 'Closed',
      FiscalDayNumber: 1,
      Reconciliation: 'Auto',
      ReceiptCount: 4,
      AuthorityDeviceId: deviceId,
      Currencies: [
        {
          Currency: 'USD',
          TotalNet: 200,
          Taxes: [{ TaxPercent: 15.5, Amount: 31 }],
          TotalTax: 31,
          TotalGross: 231,
          Documents: [
            { Type: 'FiscalInvoice', Quantity: 3, Amount: 346.5 },
            { Type: 'CreditNote', Quantity: 1, Amount: -115.5 },
            { Type: 'DebitNote', Quantity: 0, Amount: 0 },
          ],
          Balances: [{ MoneyType: 'Cash', Amount: 231 }],
        },
      ],
    });
    expect(await report(3)).toMatchObject({
      Kind: 'X',
      State: 'Opened',
      Closed: null,
      Currencies: closed['Currencies'],
    });
    expect(await report(4)).toMatchObject({ status: 404 });
  });

  test('its taxpayer sees the same report, another one none', async () => {
    const path = `/api/device/${deviceId}/day/1/report`;
    expect((await bench.get(path)).json()).toEqual(await report(1));
    const other = await bench.addShop('2000000099');
    expect((await bench.get(path, { token: other.token })).statusCode).toBe(404);
    expect((await bench.get(`/api/device/${deviceId}/day/0/report`)).statusCode).toBe(404);
  });

  test('the days are listed newest first, page by page', async () => {
    const path = `/api/admin/devices/${deviceId}/days`;
    const first = (await bench.admin('GET', `${path}?Limit=2`)).json<{ Days: object[]; NextCursor: string }>();
    expect(first).toMatchObject({
      Days: [
        { FiscalDayNumber: 3, State: 'Opened', ClosedAt: null, ReceiptCount: 4, IsOpenConfirmed: true },
        { FiscalDayNumber: 2, State: 'Closed', Reconciliation: 'Auto', ReceiptCount: 4 },
      ],
      NextCursor: '2',
    });
    const rest = await bench.admin('GET', `${path}?Cursor=${first.NextCursor}`);
    expect(rest.json()).toMatchObject({ Days: [{ FiscalDayNumber: 1 }], NextCursor: null });
  });
});
