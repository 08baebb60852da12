import { createVerify } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestConnection } from '../../../test/support/simulator/connection.ts';
import { control } from '../../../test/support/simulator/control.ts';
import { registeredDevice, type TestDevice } from '../../../test/support/simulator/device.ts';
import { signDay, standardCreditNote, type TestCounter } from '../../../test/support/simulator/receipt.ts';
import { TestSimulator } from '../../../test/support/simulator/simulator.ts';

let world: TestSimulator;
beforeAll(async () => {
  world = await TestSimulator.start();
});
afterAll(() => world.end());

let lastId = 5000;
async function openTill(): Promise<TestDevice> {
  lastId += 1;
  const device = await registeredDevice(world.simulator, { deviceId: lastId });
  await device.openDay('2026-02-28T23:00:00');
  return device;
}

const byTax = (type: string, value: number): TestCounter => ({
  fiscalCounterType: type,
  fiscalCounterCurrency: 'USD',
  fiscalCounterTaxID: 517,
  fiscalCounterTaxPercent: 15.5,
  fiscalCounterValue: value,
});
const money = (type: string, value: number): TestCounter => ({
  fiscalCounterType: 'BalanceByMoneyType',
  fiscalCounterCurrency: 'USD',
  fiscalCounterMoneyType: type,
  fiscalCounterValue: value,
});
const oneInvoice = [byTax('SaleByTax', 10), byTax('SaleTaxByTax', 1.34), money('Cash', 10)];

async function outcome(device: TestDevice, counters: readonly TestCounter[], receiptCounter?: number) {
  const accepted = await device.closeDay(counters, receiptCounter);
  expect(accepted.status, accepted.text).toBe(200);
  expect(Object.keys(accepted.body)).toEqual(['operationID']);
  const { body } = await device.settled();
  return body.fiscalDayClosingErrorCode ?? body.fiscalDayStatus;
}

describe('a day closes', () => {
  test('with invoices, notes and two money types, its date being that of its opening', async () => {
    const device = await openTill();
    const invoice = await device.submit({
      receiptPayments: [
        { moneyTypeCode: 'Card', paymentAmount: 4 },
        { moneyTypeCode: 'Cash', paymentAmount: 6 },
      ],
    });
    await device.submit(standardCreditNote({ receiptID: invoice.body.receiptID }));
    const counters = [
      byTax('SaleByTax', 10),
      byTax('SaleTaxByTax', 1.34),
      byTax('CreditNoteByTax', -10),
      byTax('CreditNoteTaxByTax', -1.34),
      money('Cash', -4),
      money('Card', 4),
    ];
    expect(await outcome(device, counters)).toBe('FiscalDayClosed');
    const { body } = await device.get('GetStatus');
    expect(body).toMatchObject({ fiscalDayReconciliationMode: 'Auto', fiscalDayClosed: '2026-03-01T12:00:00' });
    expect(body).not.toHaveProperty('fiscalDayCounter');
  });

  test('without receipts', async () => {
    expect(await outcome(await openTill(), [], 0)).toBe('FiscalDayClosed');
  });

  test('also with yellow receipts', async () => {
    const device = await openTill();
    await device.submit({ receiptDate: '2026-02-28T22:00:00' });
    expect(await outcome(device, oneInvoice)).toBe('FiscalDayClosed');
  });

  test("and the authority's signature covers the device's", async () => {
    const device = await openTill();
    await device.submit();
    await device.closeDay(oneInvoice);
    const { body } = await device.settled();
    const { signature } = signDayOf(await control(world.simulator, 'GET', `/devices/${device.deviceId}/days`));
    const counters = 'SALEBYTAXUSD15.501000SALETAXBYTAXUSD15.50134BALANCEBYMONEYTYPEUSDCASH1000';
    const text = `${device.deviceId}12026-02-282026-03-01T12:00:00AUTO${counters}${signature}`;
    const anonymous = new TestConnection(world.simulator);
    const certificate = await anonymous.get('/Public/v1/GetServerCertificate');
    const verify = createVerify('sha256').update(text);
    expect(verify.verify(certificate.body.certificate[0], body.fiscalDayServerSignature.signature, 'base64')).toBe(
      true,
    );
  });

  const signDayOf = (days: readonly { closeRequest: { fiscalDayDeviceSignature: { signature: string } } }[]) => {
    const request = days[0]?.closeRequest;
    if (!request) throw new Error('the day holds no request to close');
    return request.fiscalDayDeviceSignature;
  };
});

describe('a closing fails, in this order', () => {
  test('first of all with a bad signature, whatever else is wrong', async () => {
    const device = await openTill();
    await device.submit({ receiptTotal: 11 });
    device.advance(device.next());
    await device.submit();
    const post = (counters: readonly TestCounter[], date: string, signed = counters) =>
      device.post('CloseDay', {
        fiscalDayNo: 1,
        fiscalDayCounters: counters,
        fiscalDayDeviceSignature: signDay(device.deviceId, 1, date, signed, device.privateKey),
        receiptCounter: 9,
      });
    const error = async () => (await device.settled()).body.fiscalDayClosingErrorCode;
    await post(oneInvoice, '2026-03-01');
    expect(await error()).toBe('BadCertificateSignature');
    await post(oneInvoice, '2026-02-28', oneInvoice.toReversed());
    expect(await error()).toBe('BadCertificateSignature');
    await post(oneInvoice, '2026-02-28');
    expect(await error()).toBe('MissingReceipts');
  });

  test('with a missing receipt, in the middle or at the end; it closes once that has come', async () => {
    const device = await openTill();
    await device.submit();
    const missing = device.next();
    device.advance(missing);
    const counters = [byTax('SaleByTax', 20), byTax('SaleTaxByTax', 2.68), money('Cash', 20)];
    expect(await outcome(device, counters)).toBe('MissingReceipts');
    // After a failed closing receipts are taken again.
    expect((await device.send(missing)).status).toBe(200);
    device.advance(device.next());
    await device.submit();
    expect(await outcome(device, counters)).toBe('MissingReceipts');
  });

  test('with a red receipt, even with counters that are wrong', async () => {
    const device = await openTill();
    await device.submit({ receiptDate: '2026-02-28T23:00:05' });
    await device.submit({ receiptDate: '2026-02-28T23:00:05' });
    expect(await outcome(device, oneInvoice)).toBe('ReceiptsWithValidationErrors');
  });

  test.each<[string, readonly TestCounter[]]>([
    ['another value', [byTax('SaleByTax', 10.01), ...oneInvoice.slice(1)]],
    ['one left out', oneInvoice.slice(0, 2)],
    ['one too many', [...oneInvoice, money('Card', 1)]],
    ['another tax id', [{ ...byTax('SaleByTax', 10), fiscalCounterTaxID: 3 }, ...oneInvoice.slice(1)]],
  ])('last with counters that differ: %s', async (_what, counters) => {
    const device = await openTill();
    await device.submit();
    expect(await outcome(device, counters)).toBe('CountersMismatch');
    expect(await outcome(device, oneInvoice)).toBe('FiscalDayClosed');
  });

  test('with fewer receipts than it holds', async () => {
    const device = await openTill();
    await device.submit();
    expect(await outcome(device, oneInvoice, 0)).toBe('CountersMismatch');
  });
});

describe('states', () => {
  test('while a closing is undecided nothing else is taken: RCPT01, FISC01, FISC03; afterwards FISC04', async () => {
    await control(world.simulator, 'PATCH', '/settings', { closeDelayMs: 5000 });
    const device = await openTill();
    await device.submit();
    await device.closeDay(oneInvoice);
    expect((await device.get('GetStatus')).body.fiscalDayStatus).toBe('FiscalDayCloseInitiated');
    expect((await device.submit()).body.errorCode).toBe('RCPT01');
    expect((await device.closeDay(oneInvoice)).body.errorCode).toBe('FISC03');
    expect((await device.openDay('2026-03-01T09:00:00')).body.errorCode).toBe('FISC01');
    expect((await device.settled()).body.fiscalDayStatus).toBe('FiscalDayClosed');
    expect((await device.closeDay(oneInvoice)).body.errorCode).toBe('FISC04');
    expect((await device.submit()).body.errorCode).toBe('RCPT01');
    await control(world.simulator, 'PATCH', '/settings', { closeDelayMs: 20 });
  });

  test('another number than that of the open day is FISC04', async () => {
    const device = await openTill();
    device.dayNo = 2;
    expect((await device.closeDay([], 0)).body.errorCode).toBe('FISC04');
  });

  test('a person may close a day that cannot close; its counters are then told', async () => {
    const device = await openTill();
    await device.submit();
    await device.submit({ receiptDate: '2026-02-28T23:00:01' });
    expect(await outcome(device, oneInvoice)).toBe('ReceiptsWithValidationErrors');
    await control(world.simulator, 'POST', `/devices/${device.deviceId}/close-day`);
    const { body, text } = await device.get('GetStatus');
    expect(body).toMatchObject({
      fiscalDayStatus: 'FiscalDayClosed',
      fiscalDayReconciliationMode: 'Manual',
      fiscalDayCounter: [byTax('SaleByTax', 20), byTax('SaleTaxByTax', 2.68), money('Cash', 20)],
      fiscalDayDocumentQuantities: [
        { receiptType: 'FiscalInvoice', receiptCurrency: 'USD', receiptQuantity: 2, receiptTotalAmount: 20 },
      ],
    });
    expect(body).not.toHaveProperty('fiscalDayClosingErrorCode');
    expect(text).toContain('"fiscalCounterValue":2.68');
    expect((await device.openDay('2026-03-01T09:00:00')).body.fiscalDayNo).toBe(2);
  });
});
