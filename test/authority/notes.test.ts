import { expect, test } from 'vitest';
import { benchOfFile } from '../support/authority/authority.ts';
import { until } from '../support/process.ts';
import { creditNote, invoice } from '../support/receipts/receipts.ts';

const bench = await benchOfFile({ now: new Date('2025-12-31T10:00:00Z') });

/** The kettle at the old rate: 115 with 15 in it. */
function at15(sign: 1 | -1) {
  const amount = 115 * sign;
  return {
    TotalAmount: amount,
    ReceiptLines: [
      {
        Type: 'Sale',
        Name: 'Kettle',
        HsCode: '8516',
        UnitPrice: amount,
        Quantity: 1,
        LineTotal: amount,
        TaxPercent: 15,
      },
    ],
    Payments: [{ Type: 'Cash', Amount: amount }],
    Taxes: [{ TaxPercent: 15, SalesAmountWithTax: amount, TaxAmount: 15 * sign }],
  };
}

const sell15 = (deviceId: number, reference: string) => bench.sell(deviceId, reference, at15(1));

function note(deviceId: number, reference: string, original: string) {
  return creditNote(deviceId, reference, original, { Date: bench.now.toISOString(), ...at15(-1) });
}

async function colours(deviceId: number): Promise<(string | null)[]> {
  return (await bench.books.receipts(deviceId)).map((receipt) => receipt.colour);
}

test('a credit note on another device waits until the original is at the authority, and says why', async () => {
  const [from = 0, to = 0] = await bench.addDevices(2);
  await bench.books.fault({ kind: 'error-500', operation: 'SubmitReceipt', deviceId: from });
  await sell15(from, 'foreign-original');
  const held = await bench.sign(note(to, 'foreign-note', 'foreign-original'));
  expect(held.json()).toMatchObject({
    SubmissionError: expect.stringContaining('waits for its original foreign-original'),
  });
  await bench.until(
    async () =>
      (await bench.alerts()).some(({ Kind, Subject }) => Kind === 'NoteHeldBack' && Subject === 'foreign-note'),
    'the alert after a quarter of an hour',
    { stepSeconds: 20 },
  );
  expect(await bench.books.calls({ deviceId: to, operation: 'SubmitReceipt' })).toEqual([]);
  await bench.books.clearFaults();
  await bench.untilSubmitted(from);
  await bench.untilSubmitted(to);
  expect(await colours(to)).toEqual([null]);
  expect((await bench.alerts()).filter(({ Kind }) => Kind === 'NoteHeldBack')).toEqual([]);
});

test('a note goes to the authority as soon as its original is there, however long its lane meant to rest', async () => {
  const [from = 0, to = 0] = await bench.addDevices(2);
  const letGo = bench.hold('SubmitReceipt', from);
  const selling = sell15(from, 'woken-original');
  await until(async () => (await bench.submissions(from)).length === 1, 'the original is sealed');
  const held = await bench.sign(note(to, 'woken-note', 'woken-original'));
  expect(held.json()).toMatchObject({ SubmissionState: 'Pending' });
  letGo();
  await selling;
  // The clock stands still, so no pause can end.
  await until(async () => (await bench.submissions(to)).join() === 'Submitted', 'the note is submitted');
  expect(await colours(to)).toEqual([null]);
});

test('the tax rate changes at midnight: 15 % until then, 15.5 % after, and an old invoice can still be credited', async () => {
  const deviceId = await bench.addDevice({ registration: { MaintenanceStart: '06:00' } });
  await bench.moveTo('2025-12-31T21:59:50Z');
  await bench.untilDay(deviceId, 'Opened');
  await sell15(deviceId, 'rate-old');
  const early = await bench.sign(invoice(deviceId, 'rate-early', { Date: bench.now.toISOString() }));
  expect(early.json()).toMatchObject({
    status: 400,
    errors: expect.arrayContaining([expect.objectContaining({ Code: 'RCPT025' })]),
  });

  await bench.moveTo('2025-12-31T22:00:10Z');
  await bench.sell(deviceId, 'rate-new');
  const late = await bench.sign(invoice(deviceId, 'rate-late', { Date: bench.now.toISOString(), ...at15(1) }));
  expect(late.json()).toMatchObject({
    status: 400,
    errors: expect.arrayContaining([expect.objectContaining({ Code: 'RCPT025' })]),
  });
  await bench.advance(5);
  expect((await bench.sign(note(deviceId, 'rate-note', 'rate-old'))).json()).toMatchObject({ SubmissionFailed: null });
  expect(await colours(deviceId)).toEqual([null, null, null]);

  await bench.closeDay(deviceId);
  const { ours, theirs } = await bench.counters(deviceId, 1);
  expect(ours).toEqual(theirs);
  expect(ours).toContain('SaleByTax USD 3 15 115');
  expect(ours).toContain('SaleByTax USD 517 15.5 115.5');
});

test('a credit note for an invoice of an earlier day is accepted, and its day closes', async () => {
  const deviceId = await bench.addDevice({ registration: { MaintenanceStart: '06:00' } });
  await bench.moveTo('2026-01-01T10:00:00Z');
  const original = await bench.sell(deviceId, 'days-original');
  await bench.closeDay(deviceId, original.FiscalDayNumber);
  await bench.openDay(deviceId, original.FiscalDayNumber + 1);
  const credited = await bench.sign(
    creditNote(deviceId, 'days-note', 'days-original', { Date: bench.now.toISOString() }),
  );
  expect(credited.json()).toMatchObject({ FiscalDayCounter: 1, SubmissionFailed: null });
  expect(await colours(deviceId)).toEqual([null, null]);
  await bench.closeDay(deviceId, original.FiscalDayNumber + 1);
});
