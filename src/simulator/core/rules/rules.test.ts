/** Every rule of specification §8.2.1 with its colour: a receipt that breaks it and nothing else, over the wire. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { control } from '../../../../test/support/simulator/control.ts';
import { registeredDevice, type TestDevice } from '../../../../test/support/simulator/device.ts';
import {
  standardCreditNote,
  standardInvoice,
  type TestLine,
  type TestReceipt,
} from '../../../../test/support/simulator/receipt.ts';
import { TestSimulator } from '../../../../test/support/simulator/simulator.ts';

let world: TestSimulator;
let device: TestDevice;
let other: TestDevice;
let plain: TestDevice;
let original: { receiptID: number; globalNo: number };

const NO_VAT = { name: 'Msasa Tuckshop', tin: '1000000002', vatNumber: null };

beforeAll(async () => {
  world = await TestSimulator.start();
  device = await registeredDevice(world.simulator, { deviceId: 3001 });
  other = await registeredDevice(world.simulator, { deviceId: 3002 });
  plain = await registeredDevice(world.simulator, { deviceId: 3003, taxpayer: NO_VAT });
  for (const opened of [device, other, plain]) await opened.openDay('2026-03-01T08:00:00');
  const answer = await device.submit();
  original = { receiptID: answer.body.receiptID, globalNo: device.globalNo };
});
afterAll(() => world.end());

async function remarksOn(till: TestDevice, changes: Partial<TestReceipt>): Promise<string[]> {
  const { status, body, text } = await till.submit(changes);
  expect(status, text).toBe(200);
  return (body.validationErrors ?? []).map(
    (error: { validationErrorCode: string; validationErrorColor: string }) =>
      `${error.validationErrorCode} ${error.validationErrorColor}`,
  );
}

const invoiceLine = (changes: Partial<TestLine> = {}): TestLine => {
  const [line] = standardInvoice().receiptLines;
  if (!line) throw new Error('the standard invoice has a line');
  return { ...line, ...changes };
};
const note = (changes: Partial<TestReceipt> = {}) => ({
  ...standardCreditNote({ receiptID: original.receiptID }),
  ...changes,
});
/** A credit note over `amount` of the original, so that several fit in it. */
const smallNote = (amount: number, tax: number, changes: Partial<TestReceipt> = {}) =>
  note({
    receiptLines: [invoiceLine({ receiptLinePrice: -amount, receiptLineQuantity: 1, receiptLineTotal: -amount })],
    receiptTaxes: [{ taxPercent: 15.5, taxID: 517, taxAmount: -tax, salesAmountWithTax: -amount }],
    receiptPayments: [{ moneyTypeCode: 'Cash', paymentAmount: -amount }],
    receiptTotal: -amount,
    ...changes,
  });
/** An invoice of one line without tax worries: 10.00 zero-rated. */
const zeroRated = (changes: Partial<TestReceipt> = {}): Partial<TestReceipt> => ({
  receiptLines: [invoiceLine({ taxPercent: 0, taxID: 2 })],
  receiptTaxes: [{ taxPercent: 0, taxID: 2, taxAmount: 0, salesAmountWithTax: 10 }],
  ...changes,
});

test('a receipt without fault has no remarks', async () => {
  expect(await remarksOn(device, {})).toEqual([]);
  expect(await remarksOn(device, { buyerData: { buyerRegisterName: 'B', buyerTIN: '1234567890' } })).toEqual([]);
});

describe('the receipt in itself', () => {
  test.each<[string, string[], () => Partial<TestReceipt>]>([
    ['an unknown currency', ['RCPT010 Red'], () => ({ receiptCurrency: 'ZWL' })],
    ['no lines', ['RCPT016 Red', 'RCPT019 Red', 'RCPT026 Red', 'RCPT027 Red'], () => ({ receiptLines: [] })],
    ['no taxes', ['RCPT017 Red', 'RCPT026 Red', 'RCPT027 Red', 'RCPT038 Red'], () => ({ receiptTaxes: [] })],
    ['no payments', ['RCPT018 Red', 'RCPT039 Red'], () => ({ receiptPayments: [] })],
    [
      'a total that is not the sum of the lines',
      ['RCPT019 Red', 'RCPT038 Red', 'RCPT039 Red'],
      () => ({ receiptTotal: 10.01 }),
    ],
    [
      'lines and taxes that do not come to an exclusive total',
      ['RCPT037 Red', 'RCPT038 Red'],
      () => ({
        receiptLinesTaxInclusive: false,
        receiptTaxes: [{ taxPercent: 15.5, taxID: 517, taxAmount: 1.55, salesAmountWithTax: 11.55 }],
        receiptTotal: 11.56,
        receiptPayments: [{ moneyTypeCode: 'Cash', paymentAmount: 11.56 }],
      }),
    ],
    [
      'payments that are not the total',
      ['RCPT039 Red'],
      () => ({ receiptPayments: [{ moneyTypeCode: 'Cash', paymentAmount: 9.99 }] }),
    ],
    [
      'a negative payment',
      ['RCPT028 Red'],
      () => ({
        receiptPayments: [
          { moneyTypeCode: 'Cash', paymentAmount: 12 },
          { moneyTypeCode: 'Card', paymentAmount: -2 },
        ],
      }),
    ],
    [
      'a negative total of an invoice',
      ['RCPT039 Red', 'RCPT040 Red'],
      () => ({
        receiptLines: [invoiceLine({ receiptLineType: 'Discount', receiptLinePrice: -5, receiptLineTotal: -10 })],
        receiptTaxes: [{ taxPercent: 15.5, taxID: 517, taxAmount: -1.34, salesAmountWithTax: -10 }],
        receiptPayments: [
          { moneyTypeCode: 'Cash', paymentAmount: 0 },
          { moneyTypeCode: 'Card', paymentAmount: 0 },
        ],
        receiptTotal: -10,
      }),
    ],
    [
      'a sale with a negative price',
      ['RCPT022 Red', 'RCPT024 Red'],
      () => ({ receiptLines: [invoiceLine({ receiptLinePrice: -5 })] }),
    ],
    [
      'a discount with a positive price',
      ['RCPT022 Red'],
      () => ({ receiptLines: [invoiceLine({ receiptLineType: 'Discount' })] }),
    ],
    ['no quantity', ['RCPT023 Red'], () => ({ receiptLines: [{ ...lineWithoutPrice(), receiptLineQuantity: 0 }] })],
    ['price times quantity', ['RCPT024 Red'], () => ({ receiptLines: [invoiceLine({ receiptLinePrice: 4.99 })] })],
    [
      'a tax a cent too high',
      ['RCPT026 Red'],
      () => ({ receiptTaxes: [{ taxPercent: 15.5, taxID: 517, taxAmount: 1.35, salesAmountWithTax: 10 }] }),
    ],
    [
      'sales a cent too low',
      ['RCPT027 Red', 'RCPT038 Red'],
      () => ({ receiptTaxes: [{ taxPercent: 15.5, taxID: 517, taxAmount: 1.34, salesAmountWithTax: 9.99 }] }),
    ],
    [
      'a tax entry twice',
      ['RCPT026 Red', 'RCPT027 Red', 'RCPT038 Red'],
      () => ({ receiptTaxes: [...standardInvoice().receiptTaxes, ...standardInvoice().receiptTaxes] }),
    ],
    ['a tax id the device does not have', ['RCPT025 Red'], () => withTax(9, 15.5, 1.34)],
    ['a percentage of another tax', ['RCPT025 Red'], () => withTax(517, 15, 1.3)],
    ['a tax that has ended', ['RCPT025 Red'], () => withTax(3, 15, 1.3)],
    ['exempt sent as 0 %', ['RCPT025 Red'], () => withTax(1, 0, 0)],
    ['zero-rated sent as exempt', ['RCPT025 Red'], () => withTax(2, undefined, 0)],
    ['invoice data on an invoice', ['RCPT029 Red'], () => ({ creditDebitNote: { receiptID: original.receiptID } })],
    ['a buyer without TIN', ['RCPT043 Red'], () => ({ buyerData: { buyerRegisterName: 'B' } })],
    ['a buyer without name', ['RCPT043 Red'], () => ({ buyerData: { buyerTIN: '1234567890' } })],
    ['no HS code', ['RCPT047 Red'], () => ({ receiptLines: [withoutHsCode()] })],
    ['an HS code of five', ['RCPT048 Red'], () => ({ receiptLines: [invoiceLine({ receiptLineHSCode: '12345' })] })],
    [
      'an HS code of four on a zero-rated line',
      ['RCPT048 Red'],
      () => zeroRated({ receiptLines: [invoiceLine({ taxPercent: 0, taxID: 2, receiptLineHSCode: '1234' })] }),
    ],
    ['an HS code of four on a taxed line', [], () => ({ receiptLines: [invoiceLine({ receiptLineHSCode: '1234' })] })],
    ['a line without price', [], () => ({ receiptLines: [lineWithoutPrice()] })],
    ['before the day was opened', ['RCPT014 Yellow'], () => ({ receiptDate: '2026-03-01T07:59:59' })],
  ])('%s: %j', async (_what, expected, changes) => {
    if (expected.includes('RCPT014 Yellow')) {
      const early = await registeredDevice(world.simulator, { deviceId: 3004 });
      await early.openDay('2026-03-01T08:00:00');
      expect(await remarksOn(early, changes())).toEqual(expected);
      return;
    }
    expect(await remarksOn(device, changes())).toEqual(expected);
  });

  const lineWithoutPrice = (): TestLine => {
    const { receiptLinePrice: _price, ...line } = invoiceLine();
    return line;
  };
  const withoutHsCode = (): TestLine => {
    const { receiptLineHSCode: _hsCode, ...line } = invoiceLine();
    return line;
  };
  const withTax = (taxID: number, taxPercent: number | undefined, taxAmount: number): Partial<TestReceipt> => {
    const { taxPercent: _percent, ...line } = invoiceLine();
    const tax = taxPercent === undefined ? { taxID } : { taxID, taxPercent };
    return {
      receiptLines: [{ ...line, ...tax }],
      receiptTaxes: [{ ...tax, taxAmount, salesAmountWithTax: 10 }],
    };
  };
});

describe('numbers, clocks and taxpayers', () => {
  test('RCPT013: an invoice number is unique over all devices of a taxpayer, not beyond', async () => {
    expect(await remarksOn(device, { invoiceNo: 'TWICE' })).toEqual([]);
    expect(await remarksOn(other, { invoiceNo: 'TWICE' })).toEqual(['RCPT013 Red']);
    expect(await remarksOn(plain, zeroRated({ invoiceNo: 'TWICE' }))).toEqual([]);
  });

  test('RCPT030: a receipt is at least a second later than the one before', async () => {
    const till = await registeredDevice(world.simulator, { deviceId: 3010 });
    await till.openDay('2026-03-01T08:00:00');
    await till.submit({ receiptDate: '2026-03-01T09:00:00' });
    expect(await remarksOn(till, { receiptDate: '2026-03-01T09:00:00' })).toEqual(['RCPT030 Red']);
    expect(await remarksOn(till, { receiptDate: '2026-03-01T09:00:01' })).toEqual([]);
  });

  test('RCPT031: not later than the clock of the authority and the allowance', async () => {
    const till = await registeredDevice(world.simulator, { deviceId: 3011 });
    await till.openDay('2026-03-01T08:00:00');
    expect(await remarksOn(till, { receiptDate: '2026-03-01T12:10:00' })).toEqual([]);
    expect(await remarksOn(till, { receiptDate: '2026-03-01T12:10:01' })).toEqual(['RCPT031 Yellow']);
  });

  test('RCPT041: not after the maximum length of the day', async () => {
    const till = await registeredDevice(world.simulator, { deviceId: 3012, dayMaxHours: 3 });
    await till.openDay('2026-03-01T08:00:00');
    expect(await remarksOn(till, { receiptDate: '2026-03-01T11:00:00' })).toEqual([]);
    expect(await remarksOn(till, { receiptDate: '2026-03-01T11:00:01' })).toEqual(['RCPT041 Yellow']);
  });

  test('RCPT021: a taxpayer without VAT uses no tax above 0, and HS codes of 4 or 8', async () => {
    expect(await remarksOn(plain, {})).toEqual(['RCPT021 Red']);
    expect(await remarksOn(plain, zeroRated())).toEqual([]);
    const line = invoiceLine({ taxPercent: 0, taxID: 2, receiptLineHSCode: '1234' });
    expect(await remarksOn(plain, zeroRated({ receiptLines: [line] }))).toEqual([]);
    const wrong = invoiceLine({ taxPercent: 0, taxID: 2, receiptLineHSCode: '123456' });
    expect(await remarksOn(plain, zeroRated({ receiptLines: [wrong] }))).toEqual(['RCPT048 Red']);
  });
});

describe('rounding', () => {
  /** 3.00 at 15.5 % exclusive is 0.465: half a cent above an even one. */
  const halfCent = (taxCents: number): Partial<TestReceipt> => {
    const receiptTotal = (300 + taxCents) / 100;
    return {
      receiptLinesTaxInclusive: false,
      receiptLines: [invoiceLine({ receiptLinePrice: 3, receiptLineQuantity: 1, receiptLineTotal: 3 })],
      receiptTaxes: [{ taxPercent: 15.5, taxID: 517, taxAmount: taxCents / 100, salesAmountWithTax: receiptTotal }],
      receiptPayments: [{ moneyTypeCode: 'Cash', paymentAmount: receiptTotal }],
      receiptTotal,
    };
  };

  test('a group is rounded once, half to even', async () => {
    expect(await remarksOn(device, halfCent(46))).toEqual([]);
    expect(await remarksOn(device, halfCent(47))).toEqual(['RCPT026 Red', 'RCPT027 Red']);
    const lines = [1, 2, 3, 4].map((number) =>
      invoiceLine({ receiptLineNo: number, receiptLinePrice: 0.87, receiptLineQuantity: 1, receiptLineTotal: 0.87 }),
    );
    const four: Partial<TestReceipt> = {
      receiptLinesTaxInclusive: false,
      receiptLines: lines,
      receiptTaxes: [{ taxPercent: 15.5, taxID: 517, taxAmount: 0.54, salesAmountWithTax: 4.02 }],
      receiptPayments: [{ moneyTypeCode: 'Cash', paymentAmount: 4.02 }],
      receiptTotal: 4.02,
    };
    expect(await remarksOn(device, four)).toEqual([]);
  });

  test('the mode and the tolerance are switches', async () => {
    await control(world.simulator, 'PATCH', '/settings', { rounding: 'half-up' });
    expect(await remarksOn(device, halfCent(47))).toEqual([]);
    expect(await remarksOn(device, halfCent(46))).toEqual(['RCPT026 Red', 'RCPT027 Red']);
    await control(world.simulator, 'PATCH', '/settings', { rounding: 'half-even', toleranceCents: 1 });
    const aCentOff = { receiptTaxes: [{ taxPercent: 15.5, taxID: 517, taxAmount: 1.35, salesAmountWithTax: 10 }] };
    expect(await remarksOn(device, aCentOff)).toEqual([]);
    await control(world.simulator, 'PATCH', '/settings', { toleranceCents: 0 });
  });
});

describe('credit and debit notes', () => {
  test.each<[string, string[], () => Partial<TestReceipt>]>([
    ['without a reference', ['RCPT015 Red', 'RCPT032 Red'], () => withoutReference()],
    ['with an empty reference', ['RCPT015 Red', 'RCPT032 Red'], () => smallNote(1, 0.13, { creditDebitNote: {} })],
    ['of nothing', ['RCPT032 Red'], () => smallNote(1, 0.13, { creditDebitNote: { receiptID: 999_999 } })],
    [
      'of the right number in the wrong day',
      ['RCPT032 Red'],
      () =>
        smallNote(1, 0.13, { creditDebitNote: { deviceID: 3001, receiptGlobalNo: original.globalNo, fiscalDayNo: 2 } }),
    ],
    ['without notes', ['RCPT034 Red'], () => withoutNotes()],
    ['in another currency', ['RCPT042 Red'], () => smallNote(1, 0.13, { receiptCurrency: 'ZWG' })],
    [
      'with a tax the original does not have',
      ['RCPT036 Red'],
      () =>
        smallNote(1, 0, {
          receiptLines: [
            invoiceLine({
              receiptLinePrice: -1,
              receiptLineQuantity: 1,
              receiptLineTotal: -1,
              taxPercent: 0,
              taxID: 2,
            }),
          ],
          receiptTaxes: [{ taxPercent: 0, taxID: 2, taxAmount: 0, salesAmountWithTax: -1 }],
        }),
    ],
    [
      'with a positive price',
      ['RCPT022 Red', 'RCPT024 Red'],
      () =>
        smallNote(1, 0.13, {
          receiptLines: [invoiceLine({ receiptLinePrice: 1, receiptLineQuantity: 1, receiptLineTotal: -1 })],
        }),
    ],
    [
      'with a positive payment',
      ['RCPT028 Red'],
      () =>
        smallNote(1, 0.13, {
          receiptPayments: [
            { moneyTypeCode: 'Cash', paymentAmount: -2 },
            { moneyTypeCode: 'Card', paymentAmount: 1 },
          ],
        }),
    ],
    ['of a part', [], () => smallNote(1, 0.13)],
    [
      'by device and number',
      [],
      () => smallNote(1, 0.13, { creditDebitNote: { deviceID: 3001, receiptGlobalNo: original.globalNo } }),
    ],
    ['of more than is left', ['RCPT035 Red'], () => note()],
  ])('a credit note %s: %j', async (_what, expected, changes) => {
    expect(await remarksOn(device, changes())).toEqual(expected);
  });

  const withoutReference = () => {
    const { creditDebitNote: _reference, ...rest } = smallNote(1, 0.13);
    return rest;
  };
  const withoutNotes = () => {
    const { receiptNotes: _notes, ...rest } = smallNote(1, 0.13);
    return rest;
  };

  test('RCPT032: a receipt of another taxpayer, or a note, is no original', async () => {
    const foreign = await plain.submit(zeroRated());
    const reference = { creditDebitNote: { receiptID: foreign.body.receiptID } };
    expect(await remarksOn(device, smallNote(1, 0.13, reference))).toEqual(['RCPT032 Red']);
    const invoice = await device.submit();
    const credited = await device.submit(standardCreditNote({ receiptID: invoice.body.receiptID }));
    const ofNote = smallNote(1, 0.13, { creditDebitNote: { receiptID: credited.body.receiptID } });
    expect(await remarksOn(device, ofNote)).toEqual(['RCPT032 Red']);
  });

  test('RCPT035: to the cent, over all devices, and a debit note makes room', async () => {
    const invoice = await device.submit();
    const reference = { creditDebitNote: { receiptID: invoice.body.receiptID } };
    expect(await remarksOn(other, smallNote(9.99, 1.34, reference))).toEqual([]);
    expect(await remarksOn(other, smallNote(0.02, 0, reference))).toEqual(['RCPT035 Red']);
    const debit: Partial<TestReceipt> = { receiptType: 'DebitNote', receiptNotes: 'more', ...reference };
    expect(await remarksOn(other, debit)).toEqual([]);
    expect(await remarksOn(other, smallNote(9.99, 1.34, reference))).toEqual([]);
  });

  test('RCPT033: a year to the second; and the tax of an old invoice may still be credited', async () => {
    await control(world.simulator, 'POST', '/clock', { time: '2025-03-01T12:00:00+02:00' });
    const till = await registeredDevice(world.simulator, { deviceId: 3020, certificateDays: 1000 });
    await till.openDay('2025-03-01T08:00:00');
    const tax = { taxPercent: 15, taxID: 3 };
    const old = await till.submit({
      receiptDate: '2025-03-01T10:00:00',
      receiptLines: [invoiceLine(tax)],
      receiptTaxes: [{ ...tax, taxAmount: 1.3, salesAmountWithTax: 10 }],
    });
    expect(old.body.validationErrors).toBeUndefined();
    await control(world.simulator, 'POST', '/clock', { offsetSeconds: 0 });
    const credit = (receiptDate: string) =>
      smallNote(1, 0.13, {
        creditDebitNote: { receiptID: old.body.receiptID },
        receiptDate,
        receiptLines: [invoiceLine({ receiptLinePrice: -1, receiptLineQuantity: 1, receiptLineTotal: -1, ...tax })],
        receiptTaxes: [{ ...tax, taxAmount: -0.13, salesAmountWithTax: -1 }],
      });
    const current = await registeredDevice(world.simulator, { deviceId: 3021 });
    await current.openDay('2026-03-01T08:00:00');
    expect(await remarksOn(current, credit('2026-03-01T10:00:00'))).toEqual([]);
    expect(await remarksOn(current, credit('2026-03-01T10:00:01'))).toEqual(['RCPT033 Red']);
  });

  test('RCPT021: who is no longer registered for VAT may still credit the VAT of an old invoice', async () => {
    const taxpayer = { name: 'Once VAT', tin: '1000000003', vatNumber: '110000003' };
    const till = await registeredDevice(world.simulator, { deviceId: 3030, taxpayer });
    await till.openDay('2026-03-01T08:00:00');
    const invoice = await till.submit();
    await control(world.simulator, 'PATCH', '/taxpayers/1000000003', { vatNumber: '' });
    expect(await remarksOn(till, standardCreditNote({ receiptID: invoice.body.receiptID }))).toEqual([]);
    expect(await remarksOn(till, {})).toEqual(['RCPT021 Red']);
  });
});

test('taxes of two codes under one tax id are two groups, and the codes are signed', async () => {
  const remarks = await remarksOn(device, {
    receiptLines: [invoiceLine({ taxCode: 'A' }), invoiceLine({ receiptLineNo: 2, taxCode: 'B' })],
    receiptTaxes: [
      { taxCode: 'B', taxPercent: 15.5, taxID: 517, taxAmount: 1.34, salesAmountWithTax: 10 },
      { taxCode: 'A', taxPercent: 15.5, taxID: 517, taxAmount: 1.34, salesAmountWithTax: 10 },
    ],
    receiptPayments: [{ moneyTypeCode: 'Cash', paymentAmount: 20 }],
    receiptTotal: 20,
  });
  expect(remarks).toEqual([]);
});
