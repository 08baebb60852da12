import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestBillpay } from '../../../test/support/billpay/billpay.ts';
import { createInvoicing, INVOICED, type Invoicing } from '../../../test/support/billpay/invoicing.ts';
import { tillseal } from '../../../test/support/command-line.ts';
import { readVendorSecret } from '../../billpay/vendors/secrets.ts';
import { decimal } from '../../kernel/decimal.ts';

let world: Invoicing;
let billpay: TestBillpay;
let environment: Record<string, string>;
let folder: string;

beforeAll(async () => {
  world = await createInvoicing();
  billpay = world.billpay;
  environment = { TILLSEAL_URL: await billpay.listen(), TILLSEAL_OPERATOR_TOKEN: billpay.operatorToken };
  folder = await mkdtemp(join(tmpdir(), 'tillseal-billers-'));
});
afterAll(async () => {
  await world.close();
  await rm(folder, { recursive: true });
});

const run = (words: string, input = '') => tillseal(words.split(' '), { environment, input });

test('from nothing to a vendor that sees a biller, and back', async () => {
  const added = await run('vendor add --code MOBIPAY --name MobiPay --json');
  expect([added.code, added.stderr]).toEqual([0, '']);
  const { VendorId } = JSON.parse(added.stdout) as { VendorId: string };
  const issued = JSON.parse((await run(`token issue --vendor ${VendorId} --name app --json`)).stdout);
  expect(issued.Scopes).toEqual(['pay', 'read']);
  const seen = async () =>
    (await billpay.send('GET', '/api/payment/ListBillers', undefined, `Bearer ${issued.Token}`)).json().Billers;

  const example = (await run('biller example')).stdout;
  expect((await run('biller add -', example)).stdout).toMatch(/^Code +CITYWATER$/m);
  expect((await run(`biller grant CITYWATER --vendor ${VendorId}`)).stdout).toMatch(/^Visible +yes$/m);
  expect(await seen()).toMatchObject([{ Code: 'CITYWATER', Enabled: true }]);
  expect((await run('biller disable CITYWATER')).stdout).toMatch(/^Enabled +no$/m);
  expect(await seen()).toMatchObject([{ Enabled: false }]);
  expect((await run('biller enable CITYWATER')).stdout).toMatch(/^Enabled +yes$/m);
  expect((await run('biller list')).stdout).toMatch(
    /^CITYWATER +City Water +USD, ZWG +1 +no +yes +250000 +yes +Offline$/m,
  );
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
  const callback = `--callback-url http://127.0.0.1:9/hook --callback-token @${join(folder, 'token.txt')}`;
  const set = await run(`vendor set ${vendorId} ${callback}`);
  expect(set.stdout).toMatch(/^Has callback token +yes$/m);
  expect(set.stdout + set.stderr).not.toContain('the-callback-token');
  const secret = () => readVendorSecret(billpay.pool, billpay.masterKeys, vendorId, 'callbackToken');
  expect(await secret()).toBe('the-callback-token');
  expect((await run(`vendor set ${vendorId} --no-callback-token`)).stdout).toMatch(/^Has callback token +no$/m);
  expect(await secret()).toBeUndefined();
  expect((await run(`vendor suspend ${vendorId}`)).stdout).toMatch(/^Suspended at +2/m);
  expect((await run(`vendor resume ${vendorId}`)).stdout).toMatch(/^Suspended +no$/m);
  expect((await run(`vendor rotate-secret ${vendorId}`)).stdout).toMatch(/^Webhook secret +whsec_/m);
});

test('an operator finds a flagged payment, settles it and takes it back', async () => {
  const code = await billpay.addBiller({ Connector: 'Test' });
  const pay = async (VendorReference: string, MemberNumber: string) => {
    const body = { VendorReference, BillerCode: code, MemberNumber, Currency: 'USD', Amount: 12.5 };
    return (await billpay.send('POST', '/api/payment/pay', body)).json<{ BillPayReference: string }>().BillPayReference;
  };
  const reference = await pay('V-1', 'PFF-77');
  const listed = await run('payment list --status Flagged');
  expect([listed.code, listed.stderr]).toEqual([0, '']);
  expect(listed.stdout).toMatch(new RegExp(`^${reference} .* V-1 .* PFF-77 +12.50 +0.00 +USD +Flagged$`, 'm'));
  const settled = await run(`payment settle ${reference} --as Paid --reason Confirmed`);
  expect(settled.stdout).toMatch(/^Status +Paid$.*Flagged +Paid +20\S+ \S+ \S+ +settled by hand: Confirmed$/ms);
  const reversed = await run(`payment reverse ${reference} --reason Twice`);
  expect(reversed.stdout).toMatch(/^Status +Reversed$/m);
  expect((await run(`payment show ${reference}`)).stdout).toBe(reversed.stdout);
  const json = await run(`payment show ${reference} --json`);
  expect(JSON.parse(json.stdout)).toMatchObject({ Status: 'Reversed', Amount: 12.5 });
  const refused = await run(`payment reverse ${await pay('V-2', 'PF-1')} --reason x`);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('this one is Failed')]);
});

test('invoices are listed, shown with what is wrong with them, and tried again', async () => {
  const biller = await billpay.addBiller({ ...INVOICED, InvoiceTaxPercent: decimal('15') });
  const { reference } = await world.pay(biller, { fee: '2.31' });
  await world.untilInvoice(reference, ({ state }) => state === 'Rejected');
  const listed = await run('invoice list --state Rejected');
  expect(listed.stdout).toMatch(new RegExp(`${reference} .* Rejected +117\\.81 +USD`));
  const { stdout } = await run(`invoice show ${reference}`);
  expect(stdout).toMatch(/^Currency +USD\nTotal amount +117\.81$.*ReceiptLines\[0\]\.TaxPercent +RCPT025/ms);
  const retried = await run(`invoice retry ${reference}`);
  expect(retried).toMatchObject({ code: 0, stdout: expect.stringMatching(/^State +Waiting$/m) });
  await world.untilInvoice(reference, ({ attempts }) => attempts === 2);
});

test.each([
  ['vendor show MOBIPAY', 2, 'See the ids: tillseal vendor list'],
  ['vendor add --name X', 2, '--code is missing'],
  ['vendor set 01a1dd0d-9ddf-7104-8dce-93864a487705', 2, 'Nothing to set'],
  ['biller show a/b', 2, 'See the codes: tillseal biller list'],
  ['biller show NOWHERE', 1, 'no biller with this code'],
  ['biller update /nowhere.json', 2, 'there is no such file'],
  ['biller update -', 2, 'The biller has no Code.'],
  ['biller add -', 1, 'Name is missing'],
  ['biller grant CITYWATER', 2, '--vendor is missing'],
  ['invoice list --vendor nobody', 2, 'tillseal vendor list'],
  ['payment settle P-NONE --as Maybe --reason x', 2, '--as must be Paid or Failed'],
  ['payment show P-NONE', 1, 'There is no payment with this reference.'],
  ['callback resend nope', 2, 'See the ids: tillseal callback list'],
])('%s ends with %i and says what to do', async (words, code, message) => {
  const ran = await run(words, words.includes('add') ? '{"Code":"X"}' : '{}');
  expect([ran.code, ran.stderr]).toEqual([code, expect.stringContaining(message)]);
});
