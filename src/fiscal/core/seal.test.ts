import { describe, expect, test } from 'vitest';
import { device, deviceTax, head, hold, instant, taxTable, wall } from '../../../test/support/devices.ts';
import { exact } from '../../../test/support/exact-number.ts';
import { creditNote, invoice, receiptOf } from '../../../test/support/receipts/receipts.ts';
import type { DayCounter } from '../../fdms/core/day-counters.ts';
import { sha256 } from '../../fdms/core/hash.ts';
import { deviceWall } from '../../fdms/core/receipt-date.ts';
import type { Original } from '../../fdms/core/rules/original-rules.ts';
import { decimal } from '../../kernel/decimal.ts';
import { decideInDay, decideSeal, invalidReceipt, type SealInput } from './seal.ts';

const NOON = instant('2026-11-15T12:00:00+02:00');
const LAST = head({
  fiscalDayCounter: 4,
  globalCounter: 77,
  lastHash: sha256('the one before'),
  lastWallSeconds: wall('2026-11-15T11:59:00'),
  dayVolume: decimal('100'),
});

function input(wire: object, changes: Partial<SealInput> = {}): SealInput {
  return {
    receipt: receiptOf(wire),
    device: device(),
    isVatRegistered: true,
    head: LAST,
    original: undefined,
    isLate: false,
    nowSeconds: NOON,
    ...changes,
  };
}

function seal(...given: Parameters<typeof input>) {
  const decision = decideSeal(input(...given));
  if (decision.kind !== 'seal') throw new Error(JSON.stringify(decision));
  return decision;
}

function refused(...given: Parameters<typeof input>) {
  const decision = decideSeal(input(...given));
  return decision.kind === 'refuse' ? decision.refusal : undefined;
}

function codes(...given: Parameters<typeof input>): string[] {
  return (refused(...given)?.errors ?? []).map(({ Field, Code }) => `${Field} ${Code}`);
}

describe('the next link of the chain', () => {
  test('takes the next numbers and hashes over the one before', () => {
    const { link, head: next } = seal(invoice(1001, 'R-1'));
    expect(link).toMatchObject({ fiscalDayNumber: 1, fiscalDayCounter: 5, globalCounter: 78, advancedSeconds: 0 });
    expect(link.signingText).toBe(
      `1001FISCALINVOICEUSD782026-11-15T12:00:001155015.50155011550${sha256('the one before').toString('base64')}`,
    );
    expect(link.hash).toEqual(sha256(link.signingText));
    expect(next).toEqual({
      ...LAST,
      fiscalDayCounter: 5,
      globalCounter: 78,
      lastHash: link.hash,
      lastWallSeconds: wall('2026-11-15T12:00:00'),
      dayVolume: decimal('215.5'),
    });
  });

  test('begins anew on the first receipt of a day, while the global number runs on', () => {
    const fresh = head({ fiscalDayNumber: 2, globalCounter: 77, lastWallSeconds: wall('2026-11-14T20:00:00') });
    const { link } = seal(invoice(1001, 'R-1'), { head: fresh });
    expect(link).toMatchObject({ fiscalDayNumber: 2, fiscalDayCounter: 1, globalCounter: 78, previousHash: undefined });
    expect(link.signingText).toMatch(/^1001FISCALINVOICEUSD78.*155011550$/);
  });

  test('is the same for the same input', () => {
    expect(seal(invoice(1001, 'R-1'))).toEqual(seal(invoice(1001, 'R-1')));
  });
});

describe('the date that is signed', () => {
  test.each([
    ['2026-11-15T11:58:00', '2026-11-15T11:59:01'],
    ['2026-11-15T11:58:00.750', '2026-11-15T11:59:01'],
    ['2026-11-15T09:58:00Z', '2026-11-15T09:59:01Z'],
    ['2026-11-15T11:58:00+02:00', '2026-11-15T11:59:01+02:00'],
    ['2026-11-15T15:28:00+05:30', '2026-11-15T15:29:01+05:30'],
  ])('%s is echoed in its own form after it was advanced: %s', (sent, echoed) => {
    const { link } = seal(invoice(1001, 'R-1', { Date: sent }));
    expect(link.receipt.Date.text).toBe(echoed);
    expect(link.advancedSeconds).toBe(61);
    expect(link.signingText).toContain('782026-11-15T11:59:01');
  });

  test.each([
    ['2026-10-25T02:59:50+02:00', '2026-10-25T02:59:59', '2026-10-25T00:59:51Z', 'over the end of summer time'],
    ['2026-10-25T02:30:00+01:00', '2026-10-25T02:30:05', '2026-10-25T01:30:00Z', 'in the second of two equal hours'],
    ['2026-10-25T02:30:00+02:00', '2026-10-25T02:30:05', '2026-10-25T00:30:00Z', 'in the first of two equal hours'],
    ['2026-07-01T10:00:00Z', '2026-07-01T12:00:00', '2026-07-01T10:00:00Z', 'in summer'],
  ])('%s is echoed as the time that was signed, where clocks change: %s', (sent, last, now) => {
    const taxTables = [taxTable('2020-01-01T00:00:00', [deviceTax(1, '15.5', '2020-01-01')])];
    const berlin = device({ zone: 'Europe/Berlin', taxTables, maintenanceStartMinute: 18 * 60 });
    const { link } = seal(invoice(1001, 'R-1', { Date: sent }), {
      device: berlin,
      head: head({ lastWallSeconds: wall(last), dayOpenedAtSeconds: instant(now) - 3600 }),
      nowSeconds: instant(now),
    });
    expect(link.wallSeconds).toBe(wall(last) + 1);
    expect(deviceWall(link.receipt.Date, 'Europe/Berlin')).toBe(link.wallSeconds);
    expect(link.receipt.Date.text.slice(19)).toBe(sent.slice(19));
  });

  test('decides which taxes are valid: an advance over midnight uses the new day', () => {
    const midnight = {
      head: head({
        lastWallSeconds: wall('2025-12-31T23:59:59'),
        dayOpenedAtSeconds: instant('2025-12-31T12:00:00+02:00'),
      }),
      nowSeconds: instant('2026-01-01T00:00:10+02:00'),
    };
    const at15 = {
      Date: '2025-12-31T23:59:58',
      ReceiptLines: [{ Type: 'Sale', Name: 'x', HsCode: '8516', Quantity: 1, LineTotal: 115.5, TaxPercent: 15 }],
      Taxes: [{ TaxPercent: 15, SalesAmountWithTax: 115.5, TaxAmount: 15.07 }],
    };
    expect(codes(invoice(1001, 'R-1', at15), midnight)).toEqual([
      'ReceiptLines[0].TaxPercent RCPT025',
      'Taxes[0].TaxPercent RCPT025',
    ]);
    expect(seal(invoice(1001, 'R-1', { Date: '2025-12-31T23:59:58' }), midnight).link.taxes[0]?.taxId).toBe(517);
  });
});

describe('what refuses a receipt under the head lock', () => {
  test('a device on hold, with its reason; the receipt itself is not at fault', () => {
    const refusal = refused(invoice(1001, 'R-1'), {
      device: device({ holds: [hold('Operator', 'revoked on 1 May'), hold('Refused', 'DEV01')] }),
    });
    expect(refusal).toMatchObject({ code: 'DeviceOnHold', retryAfterSeconds: 60 });
    expect(refusal?.detail).toBe(
      'Device 1001 is on hold: revoked on 1 May. An operator of the service can end this. Also: DEV01. It ends when the authority accepts the device again, if need be once an operator has registered it again. Nothing was signed; send the same receipt again later, with the header Late-Receipt: true.',
    );
    expect(refusal?.errors).toBeUndefined();
  });

  test('an expired certificate, from the second on at which it expires', () => {
    const expiring = device({ certificateValidTill: new Date('2026-11-15T12:00:00+02:00') });
    expect(seal(invoice(1001, 'R-1'), { device: expiring, nowSeconds: NOON - 1 }).kind).toBe('seal');
    const refusal = refused(invoice(1001, 'R-1'), { device: expiring });
    expect(refusal).toMatchObject({ code: 'DeviceOnHold', detail: expect.stringContaining('certificate expired') });
  });

  test.each([
    ['MaintenanceWindow', { nowSeconds: instant('2026-11-15T02:00:00+02:00') }],
    ['FiscalDayNotOpen', { head: { ...LAST, dayState: 'Closed' as const } }],
    ['FiscalDayTooLong', { head: { ...LAST, dayOpenedAtSeconds: NOON - 86_401 } }],
    ['DeviceBusy', { head: { ...LAST, lastWallSeconds: wall('2026-11-15T12:10:00') } }],
  ])('%s', (code, changes) => {
    const refusal = refused(invoice(1001, 'R-1'), changes);
    expect(refusal?.code).toBe(code);
    expect(refusal?.retryAfterSeconds).toBeGreaterThan(0);
  });

  test('a wrong date and a wrong tax are named together', () => {
    const wrong = {
      Date: '2026-11-15T13:00:00',
      ReceiptLines: [{ Type: 'Sale', Name: 'x', HsCode: '8516', Quantity: 1, LineTotal: 115.5, TaxPercent: 14 }],
      Taxes: [{ TaxPercent: 14, SalesAmountWithTax: 115.5, TaxAmount: 14.18 }],
    };
    const taxes = ['ReceiptLines[0].TaxPercent RCPT025', 'Taxes[0].TaxPercent RCPT025'];
    expect(codes(invoice(1001, 'R-1', wrong))).toEqual(['Date RCPT031', ...taxes]);
    expect(codes(invoice(1001, 'R-1', { ...wrong, Date: '2026-11-15T10:00:00' }))).toEqual(['Date RCPT030', ...taxes]);
  });

  test('a tax above 0 of a taxpayer without VAT registration', () => {
    expect(codes(invoice(1001, 'R-1'), { isVatRegistered: false })).toContain('Taxes[0].TaxPercent RCPT021');
  });

  test('an answer says how many things are wrong', () => {
    const violation = { Field: 'Date', Code: 'RCPT030', Message: '' };
    expect(invalidReceipt([violation]).detail).toMatch(/^One thing /);
    expect(invalidReceipt([violation, violation]).detail).toMatch(/^2 things /);
  });
});

describe('a day near what its counters hold', () => {
  const nearlyFull = { head: { ...LAST, dayVolume: decimal('99999999999999999') } };

  test('is counted exactly before a receipt is refused', () => {
    expect(decideSeal(input(invoice(1001, 'R-1'), nearlyFull))).toEqual({ kind: 'needs-day-counters' });
    expect(seal(invoice(1001, 'R-1'), { ...nearlyFull, dayCounters: [] }).link.globalCounter).toBe(78);
  });

  test('refuses what does not fit', () => {
    const cash: DayCounter = {
      type: 'BalanceByMoneyType',
      currency: 'USD',
      moneyType: 'Cash',
      value: decimal('99999999999999900'),
    };
    expect(codes(invoice(1001, 'R-1'), { ...nearlyFull, dayCounters: [cash] })).toEqual(['TotalAmount TooLarge']);
  });
});

describe('a note', () => {
  const original: Original = {
    reference: 'O-1',
    deviceId: 1002,
    fiscalDayNumber: 9,
    globalCounter: 5,
    type: 'FiscalInvoice',
    currency: 'USD',
    total: decimal('115.5'),
    wallSeconds: wall('2025-12-20T09:00:00'),
    taxes: [{ taxId: 3, taxPercent: decimal('15'), taxAmount: decimal('15.07'), salesAmountWithTax: decimal('115.5') }],
    submissionState: 'Submitted',
    notesTotal: decimal('0'),
    uncounted: [],
  };
  const at15 = {
    ReceiptLines: [{ Type: 'Sale', Name: 'x', HsCode: '8516', Quantity: 1, LineTotal: -115.5, TaxPercent: 15 }],
    Taxes: [{ TaxPercent: 15, SalesAmountWithTax: -115.5, TaxAmount: exact('-15.07') }],
  };
  const note = creditNote(1001, 'C-1', 'O-1', at15);

  test("against an invoice of ours uses that invoice's tax id, also after the rate changed and without VAT", () => {
    const { link } = seal(creditNote(1001, 'C-1', 'O-1', at15), {
      original: { kind: 'here', original },
      isVatRegistered: false,
    });
    expect(link.taxes.map((tax) => tax.taxId)).toEqual([3]);
    expect(link).toMatchObject({ type: 'CreditNote', originalDeviceId: 1002, originalGlobalCounter: 5 });
  });

  test('against an invoice of elsewhere uses the taxes of the device', () => {
    const numbers = { OriginalFiscalDayNumber: 3, OriginalGlobalCounter: 41, OriginalAuthorityDeviceId: 900 };
    const elsewhere = { original: { kind: 'elsewhere', numberHere: undefined } } as const;
    const { link } = seal(creditNote(1001, 'C-1', 'X-1', numbers), elsewhere);
    expect(link).toMatchObject({ originalDeviceId: 900, originalGlobalCounter: 41 });
    expect(codes(creditNote(1001, 'C-1', 'X-1', { ...numbers, ...at15 }), elsewhere)).toEqual([
      'ReceiptLines[0].TaxPercent RCPT025',
      'Taxes[0].TaxPercent RCPT025',
    ]);
    expect(codes(creditNote(1001, 'C-1', 'X-1'), elsewhere)).toEqual(['OriginalReference RCPT032']);
  });

  test('on an invoice of ours is sealed while its tax is in doubt; on one of elsewhere it waits, as an invoice does', () => {
    const doubted = (percent: string) => ({
      device: device({ taxDoubt: { percents: [percent], answer: undefined, sinceSeconds: NOON, isRemarked: true } }),
    });
    expect(seal(note, { ...doubted('15'), original: { kind: 'here', original } }).link.globalCounter).toBe(78);
    const numbers = { OriginalFiscalDayNumber: 3, OriginalGlobalCounter: 41, OriginalAuthorityDeviceId: 900 };
    const elsewhere = { original: { kind: 'elsewhere', numberHere: undefined } } as const;
    const unclear = { code: 'TaxUnclear', retryAfterSeconds: 10 };
    expect(refused(creditNote(1001, 'C-1', 'X-1', numbers), { ...doubted('15.5'), ...elsewhere })).toMatchObject(
      unclear,
    );
    expect(refused(invoice(1001, 'R-1'), doubted('15.5'))).toMatchObject(unclear);
  });

  test('is checked against what is left of its original, and the answer is a refusal of the receipt', () => {
    const used = { ...original, notesTotal: decimal('-0.01') };
    const refusal = refused(note, { original: { kind: 'here', original: used } });
    expect(refusal).toMatchObject({ code: 'InvalidRequest', errors: [{ Field: 'TotalAmount', Code: 'RCPT035' }] });
  });

  test('has an original, and an invoice has none, whatever numbers come with it', () => {
    const numbers = { OriginalAuthorityDeviceId: 55, OriginalGlobalCounter: 9 };
    const { link } = seal({ ...invoice(1001, 'R-3'), ...numbers });
    expect(link).toHaveProperty('originalDeviceId', undefined);
    expect(link).toHaveProperty('originalGlobalCounter', undefined);
  });

  test("takes its original's buyer where it has none and is to have it", () => {
    const { link: sold } = seal(invoice(1001, 'R-1', { BuyerTIN: '2000000009', BuyerName: 'A buyer' }));
    const here = { kind: 'here', original, buyer: sold.receipt } as const;
    expect(seal(note, { original: here }).link.receipt).toMatchObject({ BuyerTIN: '2000000009', BuyerName: 'A buyer' });
    const own = { ...note, BuyerTIN: '2000000008', BuyerName: 'Another' };
    expect(seal(own, { original: here }).link.receipt).toMatchObject({ BuyerTIN: '2000000008' });
    expect(seal(note, { original: { kind: 'here', original } }).link.receipt.BuyerTIN).toBeUndefined();
  });
});

test('a receipt from before the opening of its day is dated after it', () => {
  const opened = head({ dayOpenedAtSeconds: NOON - 60 });
  expect(seal(invoice(1001, 'R-1', { Date: '2026-11-15T11:58:00' }), { head: opened }).link.wallSeconds).toBe(
    wall('2026-11-15T11:59:01'),
  );
});

test('what can be said of a receipt is said while no day is open, too', () => {
  const never = head({ dayState: 'Closed', dayOpenedAtSeconds: undefined });
  expect(decideInDay(input(invoice(1001, 'R-1'), { head: never }))).toMatchObject({ link: { advancedSeconds: 0 } });
});
