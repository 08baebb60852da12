import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestBillpay, type TestBillpay } from '../../../test/support/billpay/billpay.ts';
import { tillseal } from '../../../test/support/command-line.ts';
import { readVendorSecret } from '../../billpay/vendors/secrets.ts';

let billpay: TestBillpay;
let environment: Record<string, string>;
let folder: string;

beforeAll(async () => {
  billpay = await createTestBillpay();
  environment = { TILLSEAL_URL: await billpay.listen(), TILLSEAL_OPERATOR_TOKEN: billpay.operatorToken };
  folder = await mkdtemp(join(tmpdir(), 'tillseal-billers-'));
});
afterAll(async () => {
  await billpay.close();
  await rm(folder, { recursive: true });
});

const run = (words: string, input?: string) =>
  tillseal(words.split(' '), { environment, ...(input === undefined ? {} : { input }) });

test('from nothing to a vendor that sees a biller, and back', async () => {
  const added = await run('vendor add --code MOBIPAY --name MobiPay --json');
  expect([added.code, added.stderr]).toEqual([0, '']);
  const { VendorId } = JSON.parse(added.stdout) as { VendorId: string };
  const issued = JSON.parse((await run(`token issue --vendor ${VendorId} --name app --json`)).stdout) as {
    Token: string;
    Scopes: string[];
  };
  expect(issued.Scopes).toEqual(['pay', 'read']);
  const seen = async () =>
    (await billpay.send('GET', '/api/payment/ListBillers', undefined, `Bearer ${issued.Token}`)).json().Billers;

  const example = (await run('biller example')).stdout;
  expect((await run('biller add -', example)).stdout).toMatch(/^Biller +CITYWATER$/m);
  expect((await run(`biller grant CITYWATER --vendor ${VendorId}`)).stdout).toBe(
    `Vendor ${VendorId} sees CITYWATER.\n`,
  );
  expect(await seen()).toMatchObject([{ Code: 'CITYWATER', Enabled: true }]);
  expect((await run('biller disable CITYWATER')).stdout).toMatch(/^State +disabled$/m);
  expect(await seen()).toMatchObject([{ Enabled: false }]);
  expect((await run('biller enable CITYWATER')).stdout).toMatch(/^State +enabled$/m);
  expect((await run('biller list')).stdout).toMatch(/^CITYWATER +City Water +USD, ZWG +1 +no +yes +250000 +enabled$/m);
  expect((await run(`vendor show ${VendorId}`)).stdout).toMatch(/^Billers +CITYWATER$/m);
  await run(`biller withdraw CITYWATER --vendor ${VendorId}`);
  expect(await seen()).toEqual([]);
});

test('what show printed can be changed and sent back; a second one who read the same is told', async () => {
  const read = (await run('biller show CITYWATER --json')).stdout;
  const file = join(folder, 'biller.json');
  await writeFile(file, read.replace('"Price":12.5', '"Price":12345678901234567.89'));
  expect((await run(`biller update ${file}`)).stdout).toContain('USD 12345678901234567.89');
  await run('biller disable CITYWATER');
  expect((await run('biller enable CITYWATER')).stdout).toContain('USD 12345678901234567.89');
  const late = await run('biller update -', read.replace('City Water', 'Town Water'));
  expect([late.code, late.stderr]).toEqual([1, expect.stringContaining('read it again and repeat the change')]);
});

test('a secret can come from a file and is never shown', async () => {
  const { vendorId } = await billpay.addVendor();
  await writeFile(join(folder, 'token.txt'), 'the-callback-token\n');
  const set = await run(
    `vendor set ${vendorId} --callback-url http://127.0.0.1:9/hook --callback-token @${join(folder, 'token.txt')}`,
  );
  expect(set.stdout).toMatch(/^Bearer token +kept, encrypted$/m);
  expect(set.stdout + set.stderr).not.toContain('the-callback-token');
  const secret = () => readVendorSecret(billpay.pool, billpay.masterKeys, vendorId, 'callbackToken');
  expect(await secret()).toBe('the-callback-token');
  expect((await run(`vendor set ${vendorId} --no-callback-token`)).stdout).toMatch(/^Bearer token +none$/m);
  expect(await secret()).toBeUndefined();
  expect((await run(`vendor suspend ${vendorId}`)).stdout).toMatch(/^State +suspended since /m);
  expect((await run(`vendor resume ${vendorId}`)).stdout).toMatch(/^State +active$/m);
  expect((await run(`vendor rotate-secret ${vendorId}`)).stdout).toMatch(/^Callback secret +whsec_/m);
});

test('mistakes are told with what to do', async () => {
  const cases: [string, string][] = [
    ['vendor show MOBIPAY', 'See the ids: tillseal vendor list'],
    ['vendor add --name X', '--code is missing'],
    [`vendor set ${billpay.vendor.vendorId}`, 'Nothing to set'],
    ['biller show a/b', 'See the codes: tillseal biller list'],
    ['biller update /nowhere.json', 'there is no such file'],
    ['biller grant CITYWATER', '--vendor is missing'],
  ];
  await Promise.all(
    cases.map(async ([words, expected]) => {
      const ran = await run(words);
      expect([ran.code, ran.stderr], words).toEqual([2, expect.stringContaining(expected)]);
    }),
  );
  const unknown = await run('biller show NOWHERE');
  expect([unknown.code, unknown.stderr]).toEqual([
    expect.any(Number),
    expect.stringContaining('no biller with this code'),
  ]);
  const wrong = await run('biller add -', '{"Code":"X"}');
  expect(wrong.stderr).toContain('Name is missing');
});
