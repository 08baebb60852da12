import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { AuthorityBench } from '../support/authority/authority.ts';
import { creditNote, invoice } from '../support/receipts/receipts.ts';

let bench: AuthorityBench;
beforeAll(async () => {
  bench = await AuthorityBench.start();
});
beforeEach(async () => {
  const noon = new Date(bench.now);
  noon.setUTCHours(24 + 10, 0, 0, 0);
  await bench.moveTo(noon);
});
afterEach(() => bench.books.clearFaults());
afterAll(() => bench.end());

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
  await bench.requestDay(deviceId, 'close', { ThenOpen: true });
  await bench.untilDay(deviceId, 'Opened', nextDay);
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
  await bench.requestDay(deviceId, 'close');
  await bench.untilDay(deviceId, 'Closed', 2);
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
  const kept = await bench.pool.query('select reason, body from unusable_configurations where device_id = $1', [
    deviceId,
  ]);
  expect(kept.rows).toMatchObject([{ reason: expect.stringMatching(/tax/i), body: expect.stringContaining('qrUrl') }]);

  await bench.books.clearFaults();
  await bench.until(async () => !(await isAlerted()), 'the alert ends', { stepSeconds: 10, deviceId });
  await bench.sell(deviceId, `${how}-2`);
  expect((await booked(deviceId)).map(([, id]) => id)).toEqual([1, 517]);
});
