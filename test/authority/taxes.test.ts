import { beforeEach, expect, test } from 'vitest';
import { AuthorityBench, benchOfFile } from '../support/authority/authority.ts';
import { creditNote, invoice } from '../support/receipts/receipts.ts';

const bench = await benchOfFile();
beforeEach(() => bench.moveToNoon());

const tax = (taxID: number, taxPercent: number, more: object = {}) => ({
  taxID,
  taxPercent,
  taxName: `Standard ${taxPercent}%`,
  validFrom: '2020-01-01T00:00:00',
  ...more,
});

/** The tax id under which each receipt arrived, and its colour. */
async function booked(deviceId: number) {
  const receipts = await bench.books.receipts(deviceId);
  return receipts.map((one) => [one.invoiceNo, one.receipt.receiptTaxes[0]?.taxID, one.colour]);
}

/** The authority changes the device's taxes overnight: GetConfig has them before the next day. */
async function changeTaxes(deviceId: number, taxes: readonly object[], nextDay = 2): Promise<void> {
  await bench.books.changeDevice(deviceId, { taxes });
  await bench.nextDay(deviceId, nextDay);
}

interface Tax {
  readonly TaxId: number;
  readonly TaxPercent: number | null;
  readonly Since: string | null;
  readonly EndedAt?: string;
}

async function taxesOf(deviceId: number) {
  const answer = await bench.get(`/api/device/${deviceId}`);
  return answer.json<{ readonly ApplicableTaxes: readonly Tax[]; readonly EndedTaxes: readonly Tax[] }>();
}

test('the same rate under a new id uses the new id from then on; a note keeps the id of its original', async () => {
  const deviceId = await bench.addDevice({ atAuthority: { taxes: [tax(1, 15.5)] } });
  await bench.sell(deviceId, 'id-1');
  await changeTaxes(deviceId, [tax(517, 15.5)]);
  await bench.sell(deviceId, 'id-2');
  const note = await bench.sign(creditNote(deviceId, 'id-3', 'id-1', { Date: bench.now.toISOString() }));
  expect(note.json()).toMatchObject({ SubmissionFailed: null, Remarks: [] });
  expect(await booked(deviceId)).toEqual([
    ['id-1', 1, null],
    ['id-2', 517, null],
    ['id-3', 1, null],
  ]);
  const { ApplicableTaxes: applicable, EndedTaxes: ended } = await taxesOf(deviceId);
  expect(applicable).toMatchObject([{ TaxId: 517, TaxPercent: 15.5 }]);
  expect(ended).toMatchObject([{ TaxId: 1, TaxPercent: 15.5, Since: '2020-01-01T00:00:00+02:00' }]);
  expect(applicable[0]?.Since).toBe(ended[0]?.EndedAt);
  await bench.closeDay(deviceId, 2);
  expect((await bench.books.day(deviceId, 2)).fiscalDayStatus).toBe('FiscalDayClosed');
});

test.each([
  ['under another id', 11],
  ['under the same id', 1],
])('a rate that is gone is refused, with those that are there, when another came %s', async (_how, taxId) => {
  const deviceId = await bench.addDevice({ atAuthority: { taxes: [tax(1, 15.5), tax(2, 0)] } });
  await bench.sell(deviceId, `gone-${taxId}-1`);
  await changeTaxes(deviceId, [tax(taxId, 16), tax(2, 0)]);
  const date = bench.now.toISOString();
  const refused = await bench.sign(invoice(deviceId, `gone-${taxId}-2`, { Date: date }));
  expect(refused.json()).toMatchObject({
    status: 400,
    errors: [
      { Code: 'RCPT025', Message: expect.stringMatching(/^15\.5% is not a tax of device \d+ on .*: use 16%, 0%$/) },
      { Code: 'RCPT025' },
    ],
  });
  await bench.sell(deviceId, `gone-${taxId}-3`, {
    Date: date,
    ReceiptLines: [{ Type: 'Sale', Name: 'x', HsCode: '8516', Quantity: 1, LineTotal: 115.5, TaxPercent: 16 }],
    Taxes: [{ TaxPercent: 16, SalesAmountWithTax: 115.5, TaxAmount: 15.93 }],
  });
  expect(await booked(deviceId)).toEqual([
    [`gone-${taxId}-1`, 1, null],
    [`gone-${taxId}-3`, taxId, null],
  ]);
});

test('a receipt dated before the new configuration was received uses the tax of its date', async () => {
  const deviceId = await bench.addDevice({ atAuthority: { taxes: [tax(1, 15.5)] } });
  const soldAt = bench.now.toISOString();
  await bench.advance(60);
  // The day stays open: the change is seen by the refresh that comes every few hours. The authority knows the old tax until now.
  const harare = new Date(bench.now.getTime() + 2 * 3_600_000).toISOString().slice(0, 19);
  await bench.books.changeDevice(deviceId, { taxes: [tax(1, 15.5, { validTill: harare }), tax(517, 15.5)] });
  const isSeen = async () => (await taxesOf(deviceId)).EndedTaxes.length > 0;
  await bench.until(isSeen, 'the change is seen', { stepSeconds: 600, deviceId });
  await bench.sell(deviceId, 'date-1', { Date: soldAt });
  await bench.sell(deviceId, 'date-2');
  await bench.untilSubmitted(deviceId);
  expect(await booked(deviceId)).toEqual([
    ['date-1', 1, null],
    ['date-2', 517, null],
  ]);
});

test.each([
  ['without any tax', { applicableTaxes: [] }],
  ['that cannot be read', { applicableTaxes: 'none' }],
  ['with 1e21 %', { applicableTaxes: [tax(1, 15.5), tax(2, 1e21)] }],
  ['with -5 %', { applicableTaxes: [tax(1, -5)] }],
  ['with 100.5 %', { applicableTaxes: [tax(1, 100.5)] }],
  ['with 15.555 %', { applicableTaxes: [tax(1, 15.555)] }],
  ['with a 30 February', { applicableTaxes: [tax(1, 15.5, { validTill: '2027-02-30' })] }],
])('a configuration %s is kept, alerted and not put in force, until a good one comes', async (how, fields) => {
  const deviceId = await bench.addDevice({ atAuthority: { taxes: [tax(1, 15.5)] } });
  const isAlerted = async () =>
    (await bench.alerts()).filter((one) => one.Kind === 'ConfigurationUnusable' && one.Subject === `device ${deviceId}`)
      .length === 1;
  await bench.books.fault({ kind: 'amend-answer', operation: 'GetConfig', deviceId, fields });
  await changeTaxes(deviceId, [tax(517, 15.5)]);
  expect(await isAlerted()).toBe(true);
  await bench.sell(deviceId, `${how}-1`);
  expect((await taxesOf(deviceId)).ApplicableTaxes).toMatchObject([{ TaxId: 1 }]);
  const kept = await bench.pool.query(
    "select reason, body from alerts a, jsonb_each_text(a.data) as kept (reason, body) where a.device_id = $1 and a.kind = 'ConfigurationUnusable'",
    [deviceId],
  );
  expect(kept.rows).toMatchObject([{ reason: expect.stringMatching(/tax/i), body: expect.stringContaining('qrUrl') }]);

  await bench.books.clearFaults();
  await bench.until(async () => !(await isAlerted()), 'the alert ends', { stepSeconds: 10, deviceId });
  await bench.sell(deviceId, `${how}-2`);
  expect((await booked(deviceId)).map(([, id]) => id)).toEqual([1, 517]);
});

const ZERO_RATED = {
  TotalAmount: 5,
  ReceiptLines: [{ Type: 'Sale', Name: 'Bread', HsCode: '19059010', Quantity: 1, LineTotal: 5, TaxPercent: 0 }],
  Payments: [{ Type: 'Cash', Amount: 5 }],
  Taxes: [{ TaxPercent: 0, SalesAmountWithTax: 5, TaxAmount: 0 }],
};

/** What the device's alert about taxes says, or said last. */
async function told(deviceId: number) {
  const { rows } = await bench.pool.query<{ message: string; open: boolean }>(
    `select message, cleared_at is null as open from alerts
      where kind = 'TaxesDiffer' and device_id = $1 order by alert_id desc limit 1`,
    [deviceId],
  );
  return rows[0];
}

const trySell = async (deviceId: number, reference: string, instance = 0) =>
  (await bench.sign(invoice(deviceId, reference, { Date: bench.now.toISOString() }), { instance })).json<{
    readonly Code?: string;
    readonly Then?: string;
  }>();

const untilSold = (deviceId: number, reference: string) =>
  bench.until(async () => (await trySell(deviceId, reference)).Code === undefined, `${reference} is sold`, {
    stepSeconds: 10,
    deviceId,
  });

/** A day that is opened with an answer that lacks the tax, and with none when it is asked for again. */
async function openInDoubt(deviceId: number, listed: readonly object[]): Promise<void> {
  const calls = { operation: 'GetConfig', deviceId } as const;
  await bench.books.fault({ ...calls, kind: 'amend-answer', fields: { applicableTaxes: listed } });
  await bench.books.fault({ ...calls, kind: 'error-500', every: 2 });
  await changeTaxes(deviceId, [tax(1, 15.5), tax(2, 0)]);
  await bench.until(async () => (await bench.books.struck()) === 3, 'it is asked again', { stepSeconds: 0 });
}

const addSeller = () => bench.addDevice({ atAuthority: { taxes: [tax(1, 15.5), tax(2, 0)] } });

test('one answer that lacks a tax ends none: it is asked again at once, and the alert is solved', async () => {
  const deviceId = await addSeller();
  await bench.sell(deviceId, 'glitch-1');
  const fields = { applicableTaxes: [tax(2, 0)] };
  await bench.books.fault({ kind: 'amend-answer', operation: 'GetConfig', deviceId, fields, count: 1 });
  await changeTaxes(deviceId, [tax(1, 15.5), tax(2, 0)]);
  const first = await trySell(deviceId, 'glitch-2');
  expect([undefined, 'TaxUnclear']).toContain(first.Code);
  await untilSold(deviceId, 'glitch-2');
  expect(await told(deviceId)).toEqual({ message: expect.stringContaining('15.5% (tax 1) is gone'), open: false });
  expect(await booked(deviceId)).toEqual([
    ['glitch-1', 1, null],
    ['glitch-2', 1, null],
  ]);
  expect((await taxesOf(deviceId)).EndedTaxes).toEqual([]);
});

test('while a tax is in doubt its percentage waits on every instance and all else is sealed; said twice, it has ended', async () => {
  const deviceId = await addSeller();
  await openInDoubt(deviceId, [tax(517, 15.5), tax(2, 0), tax(3, 5)]);
  await bench.addInstance();
  for (const instance of [0, 1]) {
    expect(await trySell(deviceId, 'twice-1', instance)).toMatchObject({ Code: 'TaxUnclear', Then: 'Again' });
  }
  const check = await bench.instance().post(bench.shop.token, '/api/receipt/check', invoice(deviceId, 'twice-1'));
  expect([check.statusCode, check.headers['not-now']]).toEqual([200, 'TaxUnclear']);
  await bench.sell(deviceId, 'twice-2', ZERO_RATED);
  expect((await taxesOf(deviceId)).ApplicableTaxes.map((one) => one.TaxId)).toEqual([2, 3, 1]);
  await bench.books.changeDevice(deviceId, { taxes: [tax(517, 15.5), tax(2, 0), tax(3, 5)] });
  await untilSold(deviceId, 'twice-1');
  expect(await booked(deviceId)).toEqual([
    ['twice-2', 2, null],
    ['twice-1', 517, null],
  ]);
  expect(await told(deviceId)).toEqual({
    message: expect.stringMatching(/has changed .*15\.5% \(tax 1\) is gone, 15\.5% \(tax 517\) is new/),
    open: true,
  });
});

test('if the authority is silent after such an answer, the taxes from before count after ten minutes, until it speaks', async () => {
  const deviceId = await addSeller();
  await openInDoubt(deviceId, [tax(2, 0)]);
  await bench.books.clearFaults();
  await bench.books.fault({ kind: 'error-500', operation: 'GetConfig', deviceId });
  await bench.advance(590);
  expect((await trySell(deviceId, 'silent-1')).Code).toBe('TaxUnclear');
  await bench.advance(10);
  await bench.sell(deviceId, 'silent-1');
  await bench.books.clearFaults();
  const isSolved = async () => (await told(deviceId))?.open === false;
  await bench.until(isSolved, 'the authority lists it again', { stepSeconds: 10, deviceId });
  await bench.sell(deviceId, 'silent-2');
  expect((await booked(deviceId)).map(([, ...rest]) => rest)).toEqual([
    [1, null],
    [1, null],
  ]);
});

test('a tax that changes during the day turns one receipt red: GetConfig is the next step, and the new one is used', async () => {
  const deviceId = await addSeller();
  await bench.sell(deviceId, 'red-1');
  await bench.books.changeDevice(deviceId, { taxes: [tax(517, 15.5), tax(2, 0)] });
  await bench.sell(deviceId, 'red-2');
  await untilSold(deviceId, 'red-3');
  await bench.sell(deviceId, 'red-4');
  expect(await booked(deviceId)).toEqual([
    ['red-1', 1, null],
    ['red-2', 1, 'Red'],
    ['red-3', 517, null],
    ['red-4', 517, null],
  ]);
  const calls = (await bench.books.calls({ deviceId })).map(({ operation }) => operation);
  const submissions = calls.flatMap((operation, index) => (operation === 'SubmitReceipt' ? [index] : []));
  expect(calls[(submissions[1] ?? 0) + 1]).toBe('GetConfig');
  expect((await told(deviceId))?.message).toMatch(/has changed .*is gone, 15\.5% \(tax 517\) is new/);
});

test('after a remark RCPT025 its percentage waits for the authority however long, and all else is sealed', async () => {
  const deviceId = await addSeller();
  await bench.books.fault({ kind: 'error-500', operation: 'GetConfig', deviceId });
  await bench.books.changeDevice(deviceId, { taxes: [tax(11, 16), tax(2, 0)] });
  await bench.sell(deviceId, 'long-1');
  await bench.advance(1200);
  expect((await trySell(deviceId, 'long-2')).Code).toBe('TaxUnclear');
  await bench.sell(deviceId, 'long-3', ZERO_RATED);
  expect((await told(deviceId))?.message).toContain('however long');
  await bench.books.clearFaults();
  const isBelieved = async () => (await told(deviceId))?.message.includes('has changed') === true;
  await bench.until(isBelieved, 'one answer is believed', { stepSeconds: 10, deviceId });
  expect((await trySell(deviceId, 'long-2')).Code).toBe('InvalidRequest');
  expect((await booked(deviceId)).map(([, , colour]) => colour)).toEqual(['Red', null]);
});

test('if the tax is still listed after a remark, sealing goes on, the alert says so, and it is asked once a minute', async () => {
  const deviceId = await addSeller();
  const asked = async () => (await bench.books.calls({ deviceId, operation: 'GetConfig' })).length;
  const before = await asked();
  await bench.books.fault({ kind: 'remark', code: 'RCPT025', colour: 'Red', deviceId });
  await bench.sell(deviceId, 'listed-1');
  await untilSold(deviceId, 'listed-2');
  expect((await told(deviceId))?.message).toContain('still lists that tax');
  await bench.sell(deviceId, 'listed-3');
  expect(await asked()).toBe(before + 1);
  await bench.advance(61);
  await bench.sell(deviceId, 'listed-4');
  await untilSold(deviceId, 'listed-5');
  expect(await asked()).toBe(before + 2);
});

test('an operator who resumes a device has its configuration asked for', async () => {
  const deviceId = await addSeller();
  const asked = async () => (await bench.books.calls({ deviceId, operation: 'GetConfig' })).length;
  const before = await asked();
  await bench.admin('POST', `/api/admin/devices/${deviceId}/resume`);
  await bench.until(async () => (await asked()) === before + 1, 'it is asked for', { stepSeconds: 0, deviceId });
});

test('with TAX_ROUNDING=half-up exact halves are rounded up, and a remark on one raises an alert that names the setting', async () => {
  const up = await AuthorityBench.start({ beside: bench, settings: { taxRounding: 'half-up' } });
  const told = async () => (await up.alerts()).filter(({ Kind }) => Kind === 'TaxesDiffer').map((one) => one.Message);
  try {
    const deviceId = await up.addDevice();
    // 3.00 at 15.5 % is 0.465.
    const half = (tax: number, total: number) => ({
      ReceiptLinesTaxInclusive: false,
      TotalAmount: total,
      ReceiptLines: [{ Type: 'Sale', Name: 'x', HsCode: '8516', Quantity: 1, LineTotal: 3, TaxPercent: 15.5 }],
      Payments: [{ Type: 'Cash', Amount: total }],
      Taxes: [{ TaxPercent: 15.5, SalesAmountWithTax: total, TaxAmount: tax }],
    });
    const { Taxes: _taxes, TotalAmount: _total, ...draft } = invoice(deviceId, 'half-1', half(0, 3));
    const body = { ...draft, Date: up.now.toISOString(), Payments: [{ Type: 'Cash' }] };
    const calculated = await up.instance().post(up.shop.token, '/api/receipt/calculate', body);
    expect(calculated.json()).toMatchObject({ TotalAmount: 3.47, Taxes: [{ TaxAmount: 0.47 }] });
    const refused = await up.sign(invoice(deviceId, 'half-1', { ...half(0.46, 3.46), Date: up.now.toISOString() }));
    expect(refused.json()).toMatchObject({
      errors: [{ Code: 'RCPT026', Message: expect.stringContaining('rounded half-up here') }, { Code: 'RCPT027' }],
    });
    await bench.books.control('PATCH', '/settings', { rounding: 'half-up' });
    expect(await up.sell(deviceId, 'half-1', half(0.47, 3.47))).toMatchObject({ Remarks: [] });
    expect(await told()).toEqual([]);
    await bench.books.control('PATCH', '/settings', { rounding: 'half-even' });
    expect(await up.sell(deviceId, 'half-2', half(0.47, 3.47))).toMatchObject({ Remarks: [{ Code: 'RCPT026' }, {}] });
    expect(await told()).toEqual([expect.stringContaining('set TAX_ROUNDING=half-even')]);
  } finally {
    await bench.books.control('PATCH', '/settings', { rounding: 'half-even' });
    await up.end();
  }
});
