import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createInvoicing,
  INVOICED,
  type Invoicing,
  type PaidPayment,
} from '../../../test/support/billpay/invoicing.ts';
import { decimal } from '../../kernel/decimal.ts';

let world: Invoicing;
let biller: string;
let wrongBiller: string;
let rejected: PaidPayment;
let sealed: PaidPayment;

const WRONG_TAX = { InvoiceTaxPercent: decimal('15') };

beforeAll(async () => {
  world = await createInvoicing();
  biller = await world.billpay.addBiller(INVOICED);
  wrongBiller = await world.billpay.addBiller({ ...INVOICED, ...WRONG_TAX });
  sealed = await world.pay(biller, { amount: '12345678901234567.89' });
  rejected = await world.pay(wrongBiller);
  await world.untilInvoice(sealed.reference, ({ state }) => state !== 'Waiting');
  await world.untilInvoice(rejected.reference, ({ state }) => state === 'Rejected');
});
afterAll(() => world.close());

async function get(path: string) {
  const answer = await world.billpay.admin('GET', `/invoices${path}`);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer;
}

async function referencesOf(query: string): Promise<string[]> {
  return (await get(query)).json().Invoices.map((invoice: { Reference: string }) => invoice.Reference);
}

test('the list shows newest first, by state, kind and vendor', async () => {
  expect(await referencesOf('')).toEqual([rejected.reference, sealed.reference]);
  expect(await referencesOf('?State=Rejected')).toEqual([rejected.reference]);
  expect(await referencesOf('?State=Sealed')).toEqual([sealed.reference]);
  expect(await referencesOf('?State=Waiting')).toEqual([]);
  expect(await referencesOf('?Kind=CreditNote')).toEqual([]);
  expect(await referencesOf(`?VendorId=${world.vendor.vendorId}&State=Sealed`)).toEqual([sealed.reference]);
  expect(await referencesOf(`?VendorId=${world.billpay.vendor.vendorId}`)).toEqual([]);
  const { BillPayReference } = (await get(`/${sealed.reference}`)).json();
  expect(await referencesOf(`?BillPayReference=${BillPayReference}`)).toEqual([sealed.reference]);
  expect(await referencesOf('?BillPayReference=NONE')).toEqual([]);
});

test('pages show each invoice once', async () => {
  const first = (await get('?Limit=1')).json();
  expect(first.Invoices).toHaveLength(1);
  const second = (await get(`?Limit=1&Cursor=${first.NextCursor}`)).json();
  expect(
    [first, second].flatMap(({ Invoices }) => Invoices.map((one: { Reference: string }) => one.Reference)),
  ).toEqual([rejected.reference, sealed.reference]);
  const wrong = await world.billpay.admin('GET', '/invoices?Cursor=nonsense');
  expect(wrong.json()).toMatchObject({ status: 400, errors: [{ Field: 'Cursor' }] });
});

test('totals keep every digit', async () => {
  expect((await get(`/${sealed.reference}`)).body).toContain('"TotalAmount":12345678901234567.89');
});

test('a rejected one is shown with what the signing service found, and the body that was refused', async () => {
  expect((await get(`/${rejected.reference}`)).json()).toMatchObject({
    State: 'Rejected',
    LastStatus: 400,
    Errors: [{ Field: 'ReceiptLines[0].TaxPercent', Code: 'RCPT025' }, {}],
    Receipt: { Reference: rejected.reference, ReceiptLines: [{ TaxPercent: 15 }] },
    VendorFiscalSignature: null,
  });
});

test('a sealed one is shown with its receipt as it was signed', async () => {
  expect((await get(`/${sealed.reference}`)).json()).toMatchObject({
    State: 'Sealed',
    Errors: [],
    NextAttemptAt: null,
    Receipt: { GlobalCounter: expect.any(Number), QrCodeContent: expect.stringContaining('https://') },
    VendorFiscalMetadata: { VerificationCode: expect.stringMatching(/^([0-9A-F]{4}-){3}[0-9A-F]{4}$/) },
  });
});

test('what does not exist answers 404, to a retry too', async () => {
  for (const path of ['/invoices/BP-NONE', '/invoices/BP-NONE/retry']) {
    const answer = await world.billpay.admin(path.endsWith('retry') ? 'POST' : 'GET', path);
    expect(answer.json()).toMatchObject({ status: 404, Code: 'NotFound' });
  }
});

test('a retry before the fix fails again, is audited, and a fixed biller sends it automatically', async () => {
  const answer = await world.billpay.admin('POST', `/invoices/${rejected.reference}/retry`);
  expect(answer.json()).toMatchObject({ State: 'Waiting', Reference: rejected.reference });
  const again = await world.untilInvoice(
    rejected.reference,
    ({ state, attempts }) => state === 'Rejected' && attempts === 2,
  );
  expect(again.errors).toContain('RCPT025');
  const audit = (await world.billpay.admin('GET', '/audit?Action=invoice.retried')).json();
  expect(audit.Entries).toMatchObject([{ Before: { State: 'Rejected' }, After: { State: 'Waiting' } }]);

  const read = await world.billpay.admin('GET', `/billers/${wrongBiller}`);
  const fixed = { ...configurationOf(read.json()), InvoiceTaxPercent: 15.5 };
  const changed = await world.billpay.admin('PUT', `/billers/${wrongBiller}`, fixed);
  expect(changed.statusCode, changed.body).toBe(200);
  await world.untilInvoice(rejected.reference, ({ state }) => state === 'Sealed');
});

/** Without what only an answer has. */
function configurationOf(biller: object) {
  const shown = new Set(['Revision', 'ChangedAt', 'CreatedAt']);
  return Object.fromEntries(Object.entries(biller).filter(([name]) => !shown.has(name)));
}

test('a retry of a sealed one changes nothing', async () => {
  const before = await world.invoice(sealed.reference);
  const answer = await world.billpay.admin('POST', `/invoices/${sealed.reference}/retry`);
  expect(answer.json()).toMatchObject({ State: 'Sealed' });
  expect(await world.invoice(sealed.reference)).toEqual(before);
});

test("a vendor's new token and device send what waited for them", async () => {
  const vendor = await world.billpay.addVendor();
  const payment = await world.pay(biller, { vendor });
  await world.untilInvoice(payment.reference, ({ state }) => state === 'Rejected');
  const change = { FiscalToken: world.taxpayer.token, FiscalDeviceId: world.deviceId };
  const answer = await world.billpay.admin('PATCH', `/vendors/${vendor.vendorId}`, change);
  expect(answer.statusCode, answer.body).toBe(200);
  await world.untilInvoice(payment.reference, ({ state }) => state === 'Sealed');
});
