import { describe, expect, test } from 'vitest';
import { exact } from '../../../../test/support/exact-number.ts';
import { creditNote, invoice, receiptOf } from '../../../../test/support/receipts/receipts.ts';
import { checkNoteFields } from './note-rules.ts';
import { gather } from './report.ts';

const NUMBERS = { OriginalFiscalDayNumber: 3, OriginalGlobalCounter: 77, OriginalAuthorityDeviceId: 900 };

function check(wire: object) {
  return gather((report) => checkNoteFields(receiptOf(wire), report));
}

function found(wire: object): string[] {
  return check(wire).map(({ Field, Code }) => `${Field} ${Code}`);
}

describe.each(['CreditNote', 'DebitNote'])('a %s', (Type) => {
  const note = (changes: object) => creditNote(1, 'R-1', 'O-1', { Type, ...changes });

  test('says why (RCPT034) and for which invoice (RCPT015)', () => {
    expect(check(note({ Notes: undefined, OriginalReference: undefined }))).toEqual([
      { Field: 'Notes', Code: 'RCPT034', Message: `Notes is required on a ${Type}: the reason for it` },
      {
        Field: 'OriginalReference',
        Code: 'RCPT015',
        Message: `OriginalReference is required on a ${Type}: the invoice it refers to`,
      },
    ]);
    expect(found(note({ Notes: null, OriginalReference: null }))).toEqual([
      'Notes RCPT034',
      'OriginalReference RCPT015',
    ]);
    expect(found(note({ Notes: ' ', OriginalReference: '' }))).toEqual(['Notes RCPT034', 'OriginalReference RCPT015']);
    expect(found(note({}))).toEqual([]);
  });

  test('has Notes of at most 500 characters', () => {
    expect(found(note({ Notes: 'x'.repeat(500) }))).toEqual([]);
    expect(check(note({ Notes: 'x'.repeat(501) }))).toEqual([
      { Field: 'Notes', Code: 'TooLong', Message: 'at most 500 characters, got 501' },
    ]);
  });

  test('has an OriginalReference of at most 50 characters, as every reference', () => {
    expect(found(note({ OriginalReference: 'x'.repeat(50) }))).toEqual([]);
    expect(found(note({ OriginalReference: 'x'.repeat(51) }))).toEqual(['OriginalReference TooLong']);
  });

  test('gives all three numbers of its original or none (RCPT032)', () => {
    expect(found(note(NUMBERS))).toEqual([]);
    for (const missing of Object.keys(NUMBERS)) {
      expect(found(note({ ...NUMBERS, [missing]: undefined }))).toEqual([`${missing} RCPT032`]);
      const alone = Object.fromEntries(Object.entries(NUMBERS).filter(([name]) => name === missing));
      expect(found(note(alone))).toEqual(
        Object.keys(NUMBERS)
          .filter((name) => name !== missing)
          .map((name) => `${name} RCPT032`),
      );
    }
  });

  test.each(['-1', '1.5', '2147483648', '1e400', '99999999999999999999', '1.00000000000000000001'])(
    'has no original numbered %s',
    (text) => {
      for (const name of Object.keys(NUMBERS)) {
        expect(found(note({ ...NUMBERS, [name]: exact(text) }))).toEqual([`${name} Malformed`]);
      }
    },
  );

  test.each(['1', '1e0', '2147483647', '1.0'])('may have an original numbered %s', (text) => {
    expect(found(note({ ...NUMBERS, OriginalGlobalCounter: exact(text) }))).toEqual([]);
  });
});

describe('an invoice', () => {
  test('has no Notes and none of the Original fields (RCPT029), each named', () => {
    const given = { OriginalReference: 'O-1', ...NUMBERS, Notes: 'why' };
    expect(found(invoice(1, 'R-1', given))).toEqual([
      'OriginalReference RCPT029',
      'OriginalFiscalDayNumber RCPT029',
      'OriginalGlobalCounter RCPT029',
      'OriginalAuthorityDeviceId RCPT029',
      'Notes RCPT029',
    ]);
    for (const [name, value] of Object.entries(given)) {
      expect(check(invoice(1, 'R-1', { [name]: value }))).toEqual([
        {
          Field: name,
          Code: 'RCPT029',
          Message: `${name} belongs to credit and debit notes: leave it out of a FiscalInvoice`,
        },
      ]);
      expect(found(invoice(1, 'R-1', { [name]: null }))).toEqual([]);
      // That its type is none is said elsewhere.
      expect(found(invoice(1, 'R-1', { Type: 'Proforma', [name]: value }))).toEqual([]);
    }
  });
});
