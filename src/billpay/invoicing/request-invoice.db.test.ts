/** Invoices over real HTTP between the two services, each on a database of its own. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { BILLER } from '../../../test/support/billpay/billpay.ts';
import { createInvoicing, INVOICED, type Invoicing } from '../../../test/support/billpay/invoicing.ts';
import { NOON } from '../../../test/support/service.ts';
import { decimal } from '../../kernel/decimal.ts';
import { inTransaction } from '../../platform/database/database.ts';
import { changeVendor, encryptVendorSecret, updateVendorSecret } from '../index.ts';
import {
  assignInvoices,
  claimInvoices,
  keepWaiting,
  retryInvoice,
  retryInvoicesOf,
  storeBody,
} from '../invoices/job-store.ts';
import { findInvoiceFields } from '../invoices/store.ts';

let world: Invoicing;
let biller: string;

beforeAll(async () => {
  world = await createInvoicing();
  biller = await world.billpay.addBiller(INVOICED);
});
afterAll(() => world.close());
beforeEach(() => {
  world.proxy.mode = 'pass';
});

const later = (seconds: number) => new Date(world.billpay.now.getTime() + seconds * 1000);
const isSealed = ({ state }: { readonly state: string }) => state === 'Sealed';
const isRejected = ({ state }: { readonly state: string }) => state === 'Rejected';
const sealedUnder = async (reference: string) =>
  (await world.sealedReceipts()).filter((receipt) => receipt.reference.startsWith(reference));

async function openAlerts(subject: string): Promise<{ kind: string; message: string }[]> {
  const { rows } = await world.billpay.pool.query<{ kind: string; message: string }>(
    'select kind, message from alerts where what = $1 and cleared_at is null',
    [subject],
  );
  return rows;
}

describe('a paid payment', () => {
  test('gets the three fields together, and its event, once its invoice is sealed', async () => {
    const products =
      '[{"Code":"W","Name":"Water","Quantity":3,"Price":20},{"Code":"R","Name":"Refuse","Quantity":1,"Price":55.5}]';
    const payment = await world.pay(biller, { amount: '115.50', fee: '2.31', products });
    expect(payment.reference).toMatch(/^BP-[0-9A-HJKMNP-TV-Z]{20}$/);
    await world.untilInvoice(payment.reference, isSealed);
    const answer = await world.fiscal.get(world.taxpayer.token, `/api/receipt/${payment.reference}`);
    const receipt = answer.json();
    expect(receipt).toMatchObject({ Type: 'FiscalInvoice', TotalAmount: 117.81, AuthorityDeviceId: world.deviceId });
    expect(receipt.ReceiptLines.map((line: { Name: string }) => line.Name)).toEqual([
      'Water',
      'Refuse',
      'City of Harare fee',
    ]);
    expect(receipt.Payments).toEqual([{ Type: 'MobileWallet', Amount: 117.81 }]);
    const fields = (await findInvoiceFields(world.billpay.pool, [payment])).get(payment.paymentId);
    expect(fields).toEqual({
      VendorInvoiceReference: payment.reference,
      VendorFiscalSignature: receipt.QrCodeContent,
      VendorFiscalMetadata: {
        VerificationCode: receipt.VerificationCode,
        DeviceId: world.deviceId,
        DeviceSerialNumber: receipt.DeviceSerialNumber,
        FiscalDayNumber: receipt.FiscalDayNumber,
        FiscalDayCounter: receipt.FiscalDayCounter,
        GlobalCounter: receipt.GlobalCounter,
      },
    });
    const { rows } = await world.billpay.pool.query<{ data: string }>(
      `select data from events where type = 'payment.fiscalised' and data ->> 'VendorInvoiceReference' = $1`,
      [payment.reference],
    );
    expect(rows.map(({ data }) => JSON.parse(data))).toEqual([
      expect.objectContaining({ ...fields, BillPayReference: expect.stringMatching(/^BPR-/) }),
    ]);
  });

  test('has none of them before', async () => {
    world.proxy.mode = 'cut';
    const payment = await world.pay(biller);
    expect(await findInvoiceFields(world.billpay.pool, [payment])).toEqual(new Map());
    await world.untilInvoice(payment.reference, ({ error }) => error !== null);
    expect(await findInvoiceFields(world.billpay.pool, [payment])).toEqual(new Map());
    world.proxy.mode = 'pass';
    world.moveTo(later(120));
    await world.untilInvoice(payment.reference, isSealed);
  });
});

describe('an answer that gets lost', () => {
  test('is asked for again with the same body: one invoice', async () => {
    world.proxy.mode = 'lose-answer';
    const lostBefore = world.proxy.lost;
    const payment = await world.pay(biller);
    const waiting = await world.untilInvoice(payment.reference, ({ error }) => error !== null);
    expect(waiting).toMatchObject({ state: 'Waiting', error: expect.stringContaining('No answer from the signing') });
    expect(world.proxy.lost).toBeGreaterThan(lostBefore);
    const sealed = await sealedUnder(payment.reference);
    expect(sealed).toHaveLength(1);
    world.proxy.mode = 'pass';
    world.moveTo(later(120));
    const adopted = await world.untilInvoice(payment.reference, isSealed);
    expect(JSON.parse(adopted.body ?? '{}')).toMatchObject({ Date: JSON.parse(waiting.body ?? '{}').Date });
    expect(await sealedUnder(payment.reference)).toEqual(sealed);
  });
});

describe('a refusal for now', () => {
  test('in the maintenance window: asks again after five minutes, not in hours, and goes with a new date', async () => {
    // 02:30 in Harare, in a window from 02:00 to 04:00.
    world.moveTo(new Date('2026-11-16T00:30:00Z'));
    const payment = await world.pay(biller);
    const waiting = await world.untilInvoice(payment.reference, ({ lastStatus }) => lastStatus === 503);
    expect(waiting.error).toContain('MaintenanceWindow');
    expect(waiting.nextAttemptAt).toEqual(new Date('2026-11-16T00:35:00Z'));
    world.moveTo(new Date('2026-11-16T02:00:01Z'));
    const sealed = await world.untilInvoice(payment.reference, isSealed);
    expect(sealed.attempts).toBe(2);
    expect(JSON.parse(sealed.body ?? '{}').Date).toBe('2026-11-16T02:00:01Z');
    expect(await sealedUnder(payment.reference)).toHaveLength(1);
  });

  test('because the device seals too fast (429): waits as long as it is told', async () => {
    const deviceId = await world.fiscal.addDevice(world.taxpayer.taxpayerId, { advanceLimitSeconds: 5 });
    const vendor = await world.billpay.addVendor({ fiscalToken: world.taxpayer.token, fiscalDeviceId: deviceId });
    await sellElsewhere(deviceId, later(60));
    const payment = await world.pay(biller, { vendor });
    const waiting = await world.untilInvoice(payment.reference, ({ lastStatus }) => lastStatus === 429);
    expect(waiting).toMatchObject({ state: 'Waiting', error: expect.stringContaining('DeviceBusy') });
    expect(waiting.nextAttemptAt?.getTime()).toBeGreaterThan(later(50).getTime());
    world.moveTo(later(120));
    await world.untilInvoice(payment.reference, isSealed);
  });

  test('because the device is on hold: waits, is not rejected, and is sealed when the hold ends', async () => {
    const { pool } = world.fiscal;
    const device = [world.taxpayer.taxpayerId, world.deviceId];
    const seen = 'update device_heads set revision = revision + 1 where taxpayer_id = $1 and device_id = $2';
    const hold = "insert into alerts (taxpayer_id, device_id, kind, message) values ($1, $2, 'Operator', 'Stolen')";
    for (const statement of [hold, seen]) await pool.query(statement, device);
    const payment = await world.pay(biller);
    const waiting = await world.untilInvoice(payment.reference, ({ lastStatus }) => lastStatus === 503);
    expect(waiting).toMatchObject({ state: 'Waiting', error: expect.stringContaining('DeviceOnHold') });
    expect(waiting.nextAttemptAt).toEqual(later(60));
    const free = "delete from alerts where taxpayer_id = $1 and device_id = $2 and kind = 'Operator'";
    for (const statement of [free, seen]) await pool.query(statement, device);
    world.moveTo(later(120));
    const sealed = await world.untilInvoice(payment.reference, isSealed);
    expect(sealed.body).toContain(`"Date":"${world.billpay.now.toISOString().slice(0, 19)}Z"`);
    expect(await sealedUnder(payment.reference)).toHaveLength(1);
  });

  test('because its device is unknown: waits, is not rejected, and goes at once when the vendor gets another', async () => {
    const vendor = await world.billpay.addVendor({ fiscalToken: world.taxpayer.token, fiscalDeviceId: 899_999 });
    const payment = await world.pay(biller, { vendor });
    const waiting = await world.untilInvoice(payment.reference, ({ lastStatus }) => lastStatus === 400);
    expect(waiting).toMatchObject({ state: 'Waiting', error: expect.stringContaining('There is no device 899999') });
    expect(waiting.nextAttemptAt).toEqual(later(300));
    await inTransaction(world.billpay.pool, (tx) =>
      changeVendor(
        tx,
        world.billpay.masterKeys,
        vendor.vendorId,
        { FiscalDeviceId: world.deviceId },
        world.billpay.now,
      ),
    );
    await world.untilInvoice(payment.reference, isSealed);
    expect(await sealedUnder(payment.reference)).toHaveLength(1);
  });

  test('because its date fell behind the device while nobody answered (RCPT030): goes with a new one', async () => {
    world.proxy.mode = 'cut';
    const payment = await world.pay(biller);
    const first = await world.untilInvoice(payment.reference, ({ error }) => error !== null);
    // Bill payments' clock last: an attempt that is due while nothing passes puts the next one off, and time stands still.
    const at = later(600);
    world.fiscal.now = at;
    await sellElsewhere(world.deviceId, at);
    world.proxy.mode = 'pass';
    world.moveTo(at);
    const refused = await world.untilInvoice(payment.reference, ({ lastStatus }) => lastStatus === 400);
    expect(refused).toMatchObject({ state: 'Waiting', body: first.body, errors: expect.stringContaining('RCPT030') });
    world.moveTo(later(120));
    const sealed = await world.untilInvoice(payment.reference, isSealed);
    expect(sealed.body).toContain(`"Date":"${world.billpay.now.toISOString().slice(0, 19)}Z"`);
    expect(await sealedUnder(payment.reference)).toHaveLength(1);
  });
});

/** Another till of the same taxpayer. */
async function sellElsewhere(deviceId: number, at: Date): Promise<void> {
  const body = JSON.parse(await anySealedBody());
  const sold = { ...body, Reference: `TILL-${at.getTime()}`, AuthorityDeviceId: deviceId, Date: at.toISOString() };
  const answer = await world.fiscal.sign(world.taxpayer.token, sold);
  if (answer.statusCode !== 200) throw new Error(answer.body);
}

/** A body that the signing service took before, without what it added. */
async function anySealedBody(): Promise<string> {
  const { rows } = await world.billpay.pool.query<{ body: string }>(
    `select body from payment_invoices where state = 'Sealed' and body like '%"TotalAmount":115.5,%' limit 1`,
  );
  const receipt = JSON.parse(rows[0]?.body ?? '{}');
  const kept = ['Type', 'Currency', 'ReceiptLinesTaxInclusive', 'TotalAmount', 'ReceiptLines', 'Payments', 'Taxes'];
  return JSON.stringify(Object.fromEntries(kept.map((key) => [key, receipt[key]])));
}

describe('a refusal for good', () => {
  test('is shown with its errors and an alert, and goes after the fix', async () => {
    const wrong = await world.billpay.addBiller({ ...INVOICED, InvoiceTaxPercent: decimal('15') });
    const payment = await world.pay(wrong);
    const rejected = await world.untilInvoice(payment.reference, isRejected);
    expect(JSON.parse(rejected.errors ?? '[]')).toContainEqual(
      expect.objectContaining({ Field: 'ReceiptLines[0].TaxPercent', Code: 'RCPT025' }),
    );
    expect(await openAlerts(payment.reference)).toEqual([
      { kind: 'InvoiceRejected', message: expect.stringContaining('RCPT025') },
    ]);
    await world.billpay.changeBiller({ ...BILLER, ...INVOICED, Code: wrong });
    await world.untilInvoice(payment.reference, isSealed);
    expect(await openAlerts(payment.reference)).toEqual([]);
  });

  test('of what was configured before the fix is not shown at all: it is built anew', async () => {
    const code = await world.billpay.addBiller({ ...INVOICED, InvoiceTaxPercent: decimal('15') });
    world.proxy.mode = 'cut';
    const payment = await world.pay(code);
    const stored = await world.untilInvoice(payment.reference, ({ error }) => error !== null);
    expect(stored.body).toContain('"TaxPercent":15}');
    await world.billpay.changeBiller({ ...BILLER, ...INVOICED, Code: code });
    world.proxy.mode = 'pass';
    world.moveTo(later(120));
    const sealed = await world.untilInvoice(payment.reference, ({ state }) => state !== 'Waiting');
    expect(sealed).toMatchObject({ state: 'Sealed', body: expect.stringContaining('"TaxPercent":15.5}') });
    expect(await openAlerts(payment.reference)).toEqual([]);
  });

  test('a vendor without a token or a device is told what to set', async () => {
    const vendor = await world.billpay.addVendor();
    const payment = await world.pay(biller, { vendor });
    const rejected = await world.untilInvoice(payment.reference, isRejected);
    expect(rejected.error).toContain('FiscalToken');
    await setFiscalToken(vendor.vendorId, world.taxpayer.token);
    await retry(payment.reference);
    const again = await world.untilInvoice(
      payment.reference,
      ({ error }) => error?.includes('FiscalDeviceId') === true,
    );
    expect(again.state).toBe('Rejected');
    await world.billpay.pool.query('update vendors set fiscal_device_id = $2 where vendor_id = $1', [
      vendor.vendorId,
      world.deviceId,
    ]);
    await retry(payment.reference);
    await world.untilInvoice(payment.reference, isSealed);
  });

  test('a token that is not taken is tried again every minute, and at once when it was changed', async () => {
    const vendor = await world.billpay.addVendor({ fiscalToken: 'tsk_wrong', fiscalDeviceId: world.deviceId });
    const payment = await world.pay(biller, { vendor });
    const waiting = await world.untilInvoice(payment.reference, ({ lastStatus }) => lastStatus === 401);
    expect(waiting).toMatchObject({ state: 'Waiting', nextAttemptAt: later(60) });
    expect(waiting.error).not.toContain('tsk_wrong');
    await setFiscalToken(vendor.vendorId, world.taxpayer.token);
    await inTransaction(world.billpay.pool, (tx) => retryInvoicesOf(tx, vendor, world.billpay.now));
    await world.untilInvoice(payment.reference, isSealed);
  });
});

async function setFiscalToken(vendorId: string, token: string): Promise<void> {
  const { pool, masterKeys } = world.billpay;
  await inTransaction(pool, async (tx) => {
    const encrypted = await encryptVendorSecret(tx, masterKeys, vendorId, 'fiscalToken', token);
    await updateVendorSecret(tx, vendorId, 'fiscalToken', encrypted);
  });
}

function retry(reference: string): Promise<boolean> {
  return inTransaction(world.billpay.pool, (tx) => retryInvoice(tx, reference, world.billpay.now));
}

describe('a reference that is taken', () => {
  /** A payment whose invoice cannot go yet. */
  async function held() {
    world.proxy.mode = 'cut';
    const payment = await world.pay(biller);
    await world.untilInvoice(payment.reference, ({ error }) => error !== null);
    return payment;
  }

  test('by this very invoice with another date: adopted', async () => {
    const body = JSON.parse(await anySealedBody());
    const payment = await held();
    const ours = {
      ...body,
      Reference: payment.reference,
      AuthorityDeviceId: world.deviceId,
      Date: later(1).toISOString(),
    };
    expect((await world.fiscal.sign(world.taxpayer.token, ours)).statusCode).toBe(200);
    world.proxy.mode = 'pass';
    world.moveTo(later(120));
    await world.untilInvoice(payment.reference, isSealed);
    expect(await sealedUnder(payment.reference)).toHaveLength(1);
  });

  test('by another receipt: never adopted, an alert says so', async () => {
    const body = JSON.parse(await anySealedBody());
    const [line] = body.ReceiptLines;
    const payment = await held();
    const other = {
      ...body,
      ReceiptLines: [{ ...line, Name: 'Groceries' }],
      Reference: payment.reference,
      AuthorityDeviceId: world.deviceId,
      Date: later(1).toISOString(),
    };
    expect((await world.fiscal.sign(world.taxpayer.token, other)).statusCode).toBe(200);
    world.proxy.mode = 'pass';
    world.moveTo(later(120));
    const rejected = await world.untilInvoice(payment.reference, isRejected);
    expect(rejected).toMatchObject({ lastStatus: 409, signature: null });
    expect(await openAlerts(payment.reference)).toEqual([
      { kind: 'InvoiceConflict', message: expect.stringContaining('is already used') },
    ]);
  });
});

describe('a reversal', () => {
  const net = async (reference: string) =>
    (await sealedUnder(reference)).reduce((sum, { total }) => sum + Math.round(Number(total) * 100), 0);

  test('after the invoice is sealed: one credit note for exactly the invoice', async () => {
    const payment = await world.pay(biller, { amount: '33.33', fee: '0.17' });
    await world.untilInvoice(payment.reference, isSealed);
    await world.reverse(payment);
    const note = await world.untilInvoice(`${payment.reference}-CN`, isSealed);
    const invoice = await world.invoice(payment.reference);
    expect(JSON.parse(note.body ?? '{}')).toMatchObject({
      Type: 'CreditNote',
      OriginalReference: payment.reference,
      TotalAmount: -33.5,
      ReceiptLines: JSON.parse(invoice.body ?? '{}').ReceiptLines.map((line: { LineTotal: number }) =>
        expect.objectContaining({ LineTotal: -line.LineTotal }),
      ),
    });
    expect((await sealedUnder(payment.reference)).map(({ type }) => type)).toEqual(['FiscalInvoice', 'CreditNote']);
    expect(await net(payment.reference)).toBe(0);
  });

  test('before the invoice is sealed: the invoice first, then its note', async () => {
    world.proxy.mode = 'cut';
    const payment = await world.pay(biller);
    await world.untilInvoice(payment.reference, ({ error }) => error !== null);
    await world.reverse(payment);
    expect(await world.invoice(`${payment.reference}-CN`)).toMatchObject({ isWaitingForInvoice: true, attempts: 0 });
    await retry(`${payment.reference}-CN`);
    expect(await world.invoice(`${payment.reference}-CN`)).toMatchObject({ isWaitingForInvoice: true });
    world.proxy.mode = 'pass';
    world.moveTo(later(120));
    await world.untilInvoice(`${payment.reference}-CN`, isSealed);
    expect((await sealedUnder(payment.reference)).map(({ type }) => type)).toEqual(['FiscalInvoice', 'CreditNote']);
    expect(await net(payment.reference)).toBe(0);
  });

  test('with every answer of the note lost: still one', async () => {
    const payment = await world.pay(biller);
    await world.untilInvoice(payment.reference, isSealed);
    world.proxy.mode = 'lose-answer';
    await world.reverse(payment);
    await world.untilInvoice(`${payment.reference}-CN`, ({ error }) => error !== null);
    world.proxy.mode = 'pass';
    world.moveTo(later(120));
    await world.untilInvoice(`${payment.reference}-CN`, isSealed);
    expect(await net(payment.reference)).toBe(0);
    expect(await sealedUnder(payment.reference)).toHaveLength(2);
  });
});

test('a payment is assigned one invoice, however often its batch is run', async () => {
  const payment = await world.pay(biller);
  const again = { ...payment, paidAt: NOON };
  await inTransaction(world.billpay.pool, (tx) => assignInvoices(tx, [again, again]));
  const { rows } = await world.billpay.pool.query<{ reference: string }>(
    'select invoice_reference as reference from payment_invoices where payment_id = $1',
    [payment.paymentId],
  );
  expect(rows).toEqual([{ reference: payment.reference }]);
});

test('whoever lost its lease writes nothing any more', async () => {
  const { pool } = world.billpay;
  const payment = await world.pay(biller, { vendor: await world.billpay.addVendor() });
  await world.untilInvoice(payment.reference, isRejected);
  await pool.query(
    `update payment_invoices set state = 'Waiting', next_attempt_at = 'infinity' where payment_id = $1`,
    [payment.paymentId],
  );
  const stale = { vendorId: payment.vendorId, paymentId: payment.paymentId, kind: 'Invoice', attempt: 0 } as const;
  expect(await storeBody(pool, stale, '{}')).toBe(false);
  const wait = { at: NOON, isDateSpent: true, status: 500, error: 'late', errors: [] };
  await keepWaiting(pool, stale, wait);
  expect(await world.invoice(payment.reference)).toMatchObject({ body: null, isWaitingForInvoice: true });
});

test('what a killed process had claimed is due again when its lease has run out, and not before, or lies hours ahead', async () => {
  const { pool } = world.billpay;
  const payment = await world.pay(biller, { vendor: await world.billpay.addVendor() });
  await world.untilInvoice(payment.reference, isRejected);
  const soon = later(1_000_000);
  await pool.query(`update payment_invoices set state = 'Waiting', next_attempt_at = $2 where payment_id = $1`, [
    payment.paymentId,
    soon,
  ]);
  const claim = (at: Date) => claimInvoices(pool, at, new Date(at.getTime() + 6000), 10);
  const mine = (claimed: readonly { paymentId: bigint }[]) =>
    claimed.filter(({ paymentId }) => paymentId === payment.paymentId).length;
  expect(mine(await claim(soon))).toBe(1);
  expect(mine(await claim(new Date(soon.getTime() + 5999)))).toBe(0);
  expect(mine(await claim(new Date(soon.getTime() + 6000)))).toBe(1);
  // By a clock that was hours ahead: nobody waits until then.
  expect(mine(await claim(new Date(soon.getTime() + 3 * 3_600_000)))).toBe(1);
  expect(mine(await claim(soon))).toBe(1);
});
