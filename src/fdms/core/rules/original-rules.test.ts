import { describe, expect, test } from 'vitest';
import { wall } from '../../../../test/support/devices.ts';
import { exact } from '../../../../test/support/exact-number.ts';
import { creditNote, receiptOf } from '../../../../test/support/receipts/receipts.ts';
import { decimal } from '../../../kernel/decimal.ts';
import {
  checkExternalOriginal,
  checkOriginal,
  type NumberHere,
  type Original,
  taxOfOriginal,
} from './original-rules.ts';
import { gather } from './report.ts';

const ORIGINAL: Original = {
  reference: 'O-1',
  deviceId: 1001,
  fiscalDayNumber: 4,
  globalCounter: 77,
  type: 'FiscalInvoice',
  currency: 'USD',
  total: decimal('115.5'),
  wallSeconds: wall('2026-11-14T09:00:00'),
  taxes: [
    {
      taxId: 517,
      taxPercent: decimal('15.5'),
      taxAmount: decimal('15.5'),
      salesAmountWithTax: decimal('115.5'),
    },
  ],
  submissionState: 'Submitted',
  notesTotal: decimal('0'),
  uncounted: [],
};
const NOW = '2026-11-15T12:00:00';

function check(changes: object, original: Partial<Original> = {}, date = NOW) {
  const note = receiptOf(creditNote(1001, 'C-1', 'O-1', changes));
  return gather((report) => checkOriginal(note, { ...ORIGINAL, ...original }, wall(date), report));
}

function found(...input: Parameters<typeof check>): string[] {
  return check(...input).map(({ Field, Code }) => `${Field} ${Code}`);
}

describe('an original that was sealed here', () => {
  test('may be credited in full, with or without its numbers', () => {
    expect(found({})).toEqual([]);
    const numbers = { OriginalFiscalDayNumber: 4, OriginalGlobalCounter: 77, OriginalAuthorityDeviceId: 1001 };
    expect(found(numbers)).toEqual([]);
  });

  test.each(['CreditNote', 'DebitNote'])('is a fiscal invoice, not a %s (RCPT032)', (type) => {
    expect(check({}, { type })).toEqual([
      {
        Field: 'OriginalReference',
        Code: 'RCPT032',
        Message: `O-1 is a ${type}: a note refers to a FiscalInvoice`,
      },
    ]);
  });

  test.each([
    ['OriginalFiscalDayNumber', 5, 4],
    ['OriginalGlobalCounter', 78, 77],
    ['OriginalAuthorityDeviceId', 1002, 1001],
  ])('agrees with the given %s (RCPT032)', (field, given, right) => {
    expect(check({ [field]: given })).toEqual([
      { Field: field, Code: 'RCPT032', Message: `${field} of O-1 is ${right}: correct it or leave it out` },
    ]);
  });

  test.each([
    ['Pending', false],
    ['Submitted', false],
    ['Refused', true],
    ['Undeliverable', true],
  ] as const)('that is %s can no longer reach the authority: %s (RCPT032)', (submissionState, isRefused) => {
    const violations = check({}, { submissionState });
    expect(violations.map(({ Field, Code }) => `${Field} ${Code}`)).toEqual(
      isRefused ? ['OriginalReference RCPT032'] : [],
    );
    if (isRefused) expect(violations[0]?.Message).toContain(submissionState);
  });

  test('has the same currency (RCPT042), ZIG being ZWG', () => {
    expect(check({ Currency: 'ZAR' })).toEqual([
      { Field: 'Currency', Code: 'RCPT042', Message: 'Currency must be USD, as on the original O-1' },
    ]);
    expect(found({ Currency: 'ZIG' }, { currency: 'ZWG' })).toEqual([]);
  });

  test('names everything that is wrong at once', () => {
    const changes = { Currency: 'ZAR', TotalAmount: -200, OriginalGlobalCounter: 1 };
    expect(found(changes, { submissionState: 'Refused' }, '2028-01-01T00:00:00')).toEqual([
      'OriginalGlobalCounter RCPT032',
      'OriginalReference RCPT032',
      'Currency RCPT042',
      'OriginalReference RCPT033',
      'TotalAmount RCPT035',
    ]);
  });
});

describe('the 12 months (RCPT033)', () => {
  test.each([
    ['2025-11-15T12:00:00', '2026-11-15T12:00:00', false],
    ['2025-11-15T12:00:00', '2026-11-15T12:00:01', true],
    ['2027-02-28T12:00:00', '2028-02-28T12:00:00', false],
    ['2027-02-28T12:00:00', '2028-02-29T12:00:00', true],
    ['2028-02-29T12:00:00', '2029-02-28T12:00:00', false],
    ['2028-02-29T12:00:00', '2029-02-28T12:00:01', true],
    ['2028-02-29T12:00:00', '2029-03-01T00:00:00', true],
    ['2025-12-31T23:59:59', '2026-12-31T23:59:59', false],
    ['2025-12-31T23:59:59', '2027-01-01T00:00:00', true],
  ])('from %s are over on %s: %s', (issued, date, isOver) => {
    expect(found({}, { wallSeconds: wall(issued) }, date)).toEqual(isOver ? ['OriginalReference RCPT033'] : []);
  });

  test('the message says when it was issued', () => {
    const [violation] = check({}, { wallSeconds: wall('2025-01-01T08:00:00') });
    expect(violation?.Message).toContain('2025-01-01T08:00:00');
    expect(violation?.Message).toContain('12 months');
  });
});

describe('the percentages of the original (RCPT036)', () => {
  const exempt = {
    ReceiptLines: [{ Type: 'Sale', Name: 'Kettle', HsCode: '85160000', Quantity: 1, LineTotal: -10, TaxPercent: null }],
    Taxes: [{ TaxPercent: null, SalesAmountWithTax: -10, TaxAmount: 0 }],
    TotalAmount: -10,
  };

  test('are the only ones a note may use, exempt not being 0 %', () => {
    expect(check(exempt)).toEqual([
      {
        Field: 'ReceiptLines[0].TaxPercent',
        Code: 'RCPT036',
        Message: 'exempt is not on the original O-1: use 15.5%',
      },
      { Field: 'Taxes[0].TaxPercent', Code: 'RCPT036', Message: 'exempt is not on the original O-1: use 15.5%' },
    ]);
    const zeroRated = ORIGINAL.taxes.map((tax) => ({ ...tax, taxPercent: decimal('0') }));
    expect(found(exempt, { taxes: zeroRated })).toHaveLength(2);
    expect(check(exempt, { taxes: [...ORIGINAL.taxes, ...zeroRated] })[0]?.Message).toMatch(/use 15\.5%, 0%$/);
    expect(found(exempt, { taxes: ORIGINAL.taxes.map((tax) => ({ ...tax, taxPercent: null })) })).toEqual([]);
  });

  test("come with the original's own tax id", () => {
    expect(taxOfOriginal(ORIGINAL, decimal('15.50'))?.taxId).toBe(517);
    expect(taxOfOriginal(ORIGINAL, null)).toBeUndefined();
  });
});

describe('what is left to credit (RCPT035)', () => {
  test.each([
    ['CreditNote', '-115.50', '0', false],
    ['CreditNote', '-115.51', '0', true],
    ['CreditNote', '-15.50', '-100', false],
    ['CreditNote', '-15.51', '-100', true],
    ['CreditNote', '-0.01', '-115.50', true],
    ['CreditNote', '-0', '-115.50', false],
    ['CreditNote', '-120', '4.50', false],
    ['CreditNote', '-120.01', '4.50', true],
    ['DebitNote', '1000000', '0', false],
    ['DebitNote', '1', '-115.50', false],
    ['DebitNote', '1', '-500', false],
  ])('a %s of %s after notes of %s takes too much: %s', (Type, total, notes, isRefused) => {
    const violations = found({ Type, TotalAmount: exact(total) }, { notesTotal: decimal(notes) });
    expect(violations).toEqual(isRefused ? ['TotalAmount RCPT035'] : []);
  });

  test('the message gives the rest', () => {
    expect(check({}, { notesTotal: decimal('-100') })[0]?.Message).toBe(
      'at most 15.50 of O-1 can still be credited: TotalAmount must be between -15.50 and 0',
    );
  });

  test('is never shown as less than nothing', () => {
    for (const notes of ['-115.5', '-500'])
      expect(check({}, { notesTotal: decimal(notes) })[0]?.Message).toBe('nothing of O-1 is left to credit');
  });

  test.each([
    ['Pending', 'is not at the authority yet, so it does not count: send again when it is'],
    ['Refused', 'was refused by the authority, so it does not count: an operator has to decide about it'],
    ['Undeliverable', 'cannot reach the authority any more, so it does not count'],
    ['Red', 'was marked red by the authority, so it does not count'],
    ['Grey', 'was marked grey by the authority, so it does not count'],
    ['Unknown', 'is at the authority, but its answer was lost, so it does not count: it may be marked red there'],
  ] as const)('is not raised by a debit note that is %s, and the message says why', (standing, why) => {
    const uncounted = [{ reference: 'D-1', total: decimal('5'), standing }];
    expect(found({}, { uncounted })).toEqual([]);
    expect(check({ TotalAmount: exact('-115.51') }, { uncounted })[0]?.Message).toBe(
      `at most 115.50 of O-1 can still be credited: TotalAmount must be between -115.50 and 0; debit note D-1 of 5.00 ${why}`,
    );
  });

  test('names three debit notes that do not count, and how many more there are', () => {
    const uncounted = ['A', 'B', 'C', 'D', 'E'].map((reference) => ({
      reference,
      total: decimal('1'),
      standing: 'Pending' as const,
    }));
    const message = check({ TotalAmount: -200 }, { uncounted })[0]?.Message;
    expect(message?.match(/debit note \w/g)).toEqual(['debit note A', 'debit note B', 'debit note C']);
    expect(message).toMatch(/; 2 more debit notes do not count$/);
    const three = check({ TotalAmount: -200 }, { uncounted: uncounted.slice(0, 3) });
    expect(three[0]?.Message).not.toMatch(/more debit notes/);
  });
});

describe('an original that was sealed elsewhere (RCPT032)', () => {
  const numbers = { OriginalFiscalDayNumber: 4, OriginalGlobalCounter: 77, OriginalAuthorityDeviceId: 900 };
  const external = (changes: object, numberHere?: NumberHere | 'unlisted') => {
    const note = receiptOf(creditNote(1001, 'C-1', 'O-1', changes));
    return gather((report) => checkExternalOriginal(note, numberHere, report));
  };

  test('is named by its three numbers', () => {
    expect(external(numbers)).toEqual([]);
    const missing = Object.keys(numbers).map((name) => external({ ...numbers, [name]: undefined }).length);
    expect(missing).toEqual([1, 1, 1]);
    const [violation] = external({});
    expect(violation).toMatchObject({ Field: 'OriginalReference', Code: 'RCPT032' });
    expect(violation?.Message).toMatch(/O-1 was not sealed here.*OriginalFiscalDayNumber, OriginalGlobalCounter/);
  });

  test('is one of the devices that the taxpayer lists, where it lists any', () => {
    expect(external(numbers, 'unlisted')).toEqual([
      {
        Field: 'OriginalAuthorityDeviceId',
        Code: 'RCPT032',
        Message:
          '900 is not one of the devices that the invoices of this taxpayer came from: check it, or ask the operator to add it (OriginalDevices)',
      },
    ]);
  });

  test('is not a receipt of ours under another reference', () => {
    expect(external(numbers, { registeredCounter: 50, sealedAs: 'O-99' })).toEqual([
      {
        Field: 'OriginalGlobalCounter',
        Code: 'RCPT032',
        Message: 'receipt 77 of device 900 was sealed here as O-99, not as O-1',
      },
    ]);
  });

  test('on a device of ours lies at or below the number it was registered with: what comes later is sealed here', () => {
    expect(external(numbers, { registeredCounter: 77, sealedAs: undefined })).toEqual([]);
    expect(external(numbers, { registeredCounter: 76, sealedAs: undefined })).toEqual([
      {
        Field: 'OriginalGlobalCounter',
        Code: 'RCPT032',
        Message:
          'receipt 77 of device 900 is not sealed yet: the device seals here from number 77 on, and O-1 is no receipt of yours. Check OriginalReference',
      },
    ]);
  });
});
