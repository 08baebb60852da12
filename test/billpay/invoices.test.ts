/** Pay, invoice, verify, reverse: the payment service, the signing service and the authority, each talking HTTP to the next. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AuthorityBench } from '../support/authority/authority.ts';
import { createTestBillpay, type TestBillpay, type TestVendor } from '../support/billpay/billpay.ts';
import { INVOICED } from '../support/billpay/invoicing.ts';
import { until } from '../support/process.ts';

let bench: AuthorityBench;
let billpay: TestBillpay;
let vendor: TestVendor;
let deviceId: number;
let biller: string;

beforeAll(async () => {
  bench = await AuthorityBench.start({ isProcess: true });
  deviceId = await bench.addDevice();
  const fiscalUrl = await bench.instance().app.listen({ host: '127.0.0.1', port: 0 });
  billpay = await createTestBillpay({ clock: () => bench.now, fiscalUrl });
  vendor = await billpay.addVendor({ fiscalToken: bench.shop.token, fiscalDeviceId: deviceId });
  biller = await billpay.addBiller(INVOICED, [vendor]);
  billpay.service.startWorkers();
});
afterAll(async () => {
  await billpay.close();
  await bench.end();
});

interface PaymentAnswer {
  readonly Status: string;
  readonly BillPayReference: string;
  readonly VendorInvoiceReference: string | null;
  readonly VendorFiscalSignature: string | null;
  readonly VendorFiscalMetadata: { readonly GlobalCounter: number; readonly VerificationCode: string } | null;
}

let number = 0;

async function send(method: 'GET' | 'POST', path: string, body?: object): Promise<PaymentAnswer> {
  const answer = await billpay.send(method, `/api/payment/${path}`, body, `Bearer ${vendor.token}`);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json<PaymentAnswer>();
}

function newPayment(changes: object = {}) {
  number += 1;
  const VendorReference = `J-${number}`;
  return { VendorReference, BillerCode: biller, MemberNumber: 'M-1', Currency: 'USD', Amount: 115.5, ...changes };
}

const status = (payment: PaymentAnswer) => send('GET', `status?billPayReference=${payment.BillPayReference}`);

async function untilFiscalised(payment: PaymentAnswer): Promise<PaymentAnswer> {
  await until(async () => (await status(payment)).VendorInvoiceReference !== null, 'the invoice is sealed');
  return status(payment);
}

async function booked(reference: string | null): Promise<string[]> {
  const receipts = await bench.books.receipts(deviceId);
  return receipts.map(({ invoiceNo }) => invoiceNo).filter((name) => name.startsWith(reference ?? 'none'));
}

test('a paid payment shows its three fields, and the QR code opens the page of the authority as valid', async () => {
  const paid = await send('POST', 'pay', newPayment());
  expect(paid).toMatchObject({
    Status: 'Paid',
    VendorInvoiceReference: null,
    VendorFiscalSignature: null,
    VendorFiscalMetadata: null,
  });
  const shown = await untilFiscalised(paid);
  expect(shown.VendorFiscalMetadata).toEqual({
    VerificationCode: expect.stringMatching(/^([0-9A-F]{4}-){3}[0-9A-F]{4}$/),
    DeviceId: deviceId,
    DeviceSerialNumber: expect.any(String),
    FiscalDayNumber: 1,
    FiscalDayCounter: expect.any(Number),
    GlobalCounter: expect.any(Number),
  });
  await bench.untilSubmitted(deviceId);
  const page = await fetch(shown.VendorFiscalSignature ?? '');
  expect(page.status).toBe(200);
  const text = await page.text();
  expect(text).toContain(shown.VendorInvoiceReference);
  expect(text).toContain(shown.VendorFiscalMetadata?.VerificationCode);
  const events = await billpay.send('GET', '/api/events?after=0', undefined, `Bearer ${vendor.token}`);
  expect(
    events
      .json<{ Events: { Type: string; Data: object }[] }>()
      .Events.filter(({ Type }) => Type === 'payment.fiscalised')
      .map(({ Data }) => Data),
  ).toEqual([expect.objectContaining({ VendorInvoiceReference: shown.VendorInvoiceReference })]);
});

test('a reversal is followed by one credit note at the authority, and the status keeps the invoice', async () => {
  const paid = await send('POST', 'pay', newPayment({ Amount: 33.33 }));
  const shown = await untilFiscalised(paid);
  const reversed = await send('POST', 'reverse', { BillPayReference: paid.BillPayReference });
  expect(reversed.Status).toBe('Reversed');
  await send('POST', 'reverse', { BillPayReference: paid.BillPayReference });
  const reference = shown.VendorInvoiceReference;
  await until(async () => (await booked(reference)).length === 2, 'the credit note is at the authority');
  expect(await booked(reference)).toEqual([reference, `${reference}-CN`]);
  expect(await status(paid)).toMatchObject({ VendorInvoiceReference: reference });
  const receipts = await bench.books.receipts(deviceId);
  expect(receipts.filter(({ colour }) => colour === 'Red' || colour === 'Grey')).toEqual([]);
});

test('in the maintenance window payments go on, and their invoices wait for the next day', async () => {
  await bench.moveTo('2026-11-16T00:30:00Z');
  const paid = await send('POST', 'pay', newPayment());
  await until(async () => (await invoiceOf(paid)).LastStatus === 503, 'the signing service says not now');
  const waiting = await invoiceOf(paid);
  expect(waiting).toMatchObject({ State: 'Waiting', Error: expect.stringContaining('503') });
  // Undone, and still invoiced first.
  await send('POST', 'reverse', { BillPayReference: paid.BillPayReference });
  await bench.moveTo('2026-11-16T02:00:30Z');
  await bench.until(async () => (await invoiceOf(paid)).State === 'Sealed', 'the invoice is sealed');
  const shown = await status(paid);
  await bench.until(async () => (await booked(shown.VendorInvoiceReference)).length === 2, 'both are submitted');
  expect(shown.VendorFiscalMetadata).toMatchObject({ FiscalDayNumber: 2 });
  expect(await booked(shown.VendorInvoiceReference)).toEqual([
    shown.VendorInvoiceReference,
    `${shown.VendorInvoiceReference}-CN`,
  ]);
});

interface InvoiceAnswer {
  readonly State: string;
  readonly LastStatus: number | null;
  readonly BillPayReference: string;
}

async function invoiceOf(payment: PaymentAnswer): Promise<InvoiceAnswer> {
  const answer = await billpay.admin('GET', '/invoices?Limit=200&Kind=Invoice');
  const { Invoices } = answer.json<{ Invoices: InvoiceAnswer[] }>();
  const found = Invoices.find(({ BillPayReference }) => BillPayReference === payment.BillPayReference);
  if (found === undefined) throw new Error('the payment has no invoice');
  return found;
}

test('a payment is paid with its invoice or not at all', async () => {
  const { pool } = billpay;
  const request = newPayment();
  await pool.query(
    `create function no_invoice() returns trigger language plpgsql as $$ begin raise 'no invoice'; end $$`,
  );
  await pool.query('create trigger no_invoice before insert on payment_invoices execute function no_invoice()');
  const failed = await billpay.send('POST', '/api/payment/pay', request, `Bearer ${vendor.token}`);
  expect(failed.statusCode).toBe(500);
  const { rows } = await pool.query('select from payments where vendor_reference = $1', [request.VendorReference]);
  expect(rows).toEqual([]);
  await pool.query('drop function no_invoice cascade');
  await untilFiscalised(await send('POST', 'pay', request));
  // Twins and strangers at once: nobody gets two, nobody none.
  const twins = Array.from({ length: 40 }, (_, index) => newPayment({ Amount: 1 + (index % 7) }));
  await Promise.all([...twins, ...twins].map((twin) => send('POST', 'pay', twin)));
  const { rows: without } = await pool.query(
    `select from payments p where p.paid_at is not null
        and 1 <> (select count(*) from payment_invoices i where i.payment_id = p.payment_id and i.kind = 'Invoice')`,
  );
  expect(without).toEqual([]);
});
