import { describe, expect, test } from 'vitest';
import { invoice, receiptOf } from '../../../../test/support/receipts/receipts.ts';
import { checkBuyer } from './buyer-rules.ts';
import { gather } from './report.ts';

const TIN = '2000123456';
const VAT = '220012345';

function check(buyer: object) {
  return gather((report) => checkBuyer(receiptOf(invoice(1, 'R-1', buyer)), report));
}

function found(buyer: object): string[] {
  return check(buyer).map(({ Field, Code }) => `${Field} ${Code}`);
}

describe('which buyer data go together (RCPT043)', () => {
  test.each([
    [{}, []],
    [{ BuyerName: 'Shop' }, []],
    [{ BuyerTIN: TIN, BuyerName: 'Shop' }, []],
    [{ BuyerTIN: TIN, BuyerVAT: VAT, BuyerName: 'Shop' }, []],
    [{ BuyerTIN: '', BuyerVAT: '', BuyerName: '', BuyerEmail: '', BuyerPhone: '', BuyerAddress: '' }, []],
    [{ BuyerTIN: null, BuyerVAT: null, BuyerName: null, BuyerEmail: null, BuyerPhone: null, BuyerAddress: null }, []],
    [{ BuyerTIN: TIN }, ['BuyerName RCPT043']],
    [{ BuyerTIN: TIN, BuyerName: '' }, ['BuyerName RCPT043']],
    [{ BuyerTIN: TIN, BuyerName: '  ' }, ['BuyerName RCPT043']],
    [{ BuyerVAT: VAT }, ['BuyerTIN RCPT043', 'BuyerName RCPT043']],
    [{ BuyerVAT: VAT, BuyerName: 'Shop' }, ['BuyerTIN RCPT043']],
    [{ BuyerVAT: VAT, BuyerTIN: TIN }, ['BuyerName RCPT043']],
  ])('%j: %j', (buyer, expected) => {
    expect(found(buyer)).toEqual(expected);
  });

  test('the message says which field requires it', () => {
    expect(check({ BuyerVAT: VAT }).map(({ Message }) => Message)).toEqual([
      'BuyerTIN is required when BuyerVAT is given',
      'BuyerName is required when BuyerVAT is given',
    ]);
    expect(check({ BuyerTIN: TIN })[0]?.Message).toBe('BuyerName is required when BuyerTIN is given');
  });
});

describe('the numbers of a buyer (RCPT043)', () => {
  test.each(['200012345', '20001234567', '200012345a', ' 200012345', '2000123456\n', '٢٠٠٠١٢٣٤٥٦'])(
    'BuyerTIN is not %j',
    (BuyerTIN) => {
      expect(check({ BuyerTIN, BuyerName: 'Shop' })).toEqual([
        { Field: 'BuyerTIN', Code: 'RCPT043', Message: 'BuyerTIN must be exactly 10 digits' },
      ]);
    },
  );

  test.each(['22001234', '2200123456', '22001234a', '220-01234'])('BuyerVAT is not %j', (BuyerVAT) => {
    expect(check({ BuyerVAT, BuyerTIN: TIN, BuyerName: 'Shop' })).toEqual([
      { Field: 'BuyerVAT', Code: 'RCPT043', Message: 'BuyerVAT must be exactly 9 digits' },
    ]);
  });
});

describe('the lengths of buyer data', () => {
  test.each([
    ['BuyerAddress', 400, 'RCPT043'],
    ['BuyerPhone', 20, 'RCPT043'],
    ['BuyerName', 250, 'TooLong'],
  ])('%s has at most %i characters (%s)', (field, maximum, code) => {
    expect(found({ [field]: 'x'.repeat(maximum) })).toEqual([]);
    const [violation, ...others] = check({ [field]: 'x'.repeat(maximum + 1) });
    expect(violation).toMatchObject({ Field: field, Code: code });
    expect(violation?.Message).toContain(`at most ${maximum} characters, got ${maximum + 1}`);
    expect(others).toEqual([]);
  });

  test('BuyerEmail has at most 100 characters (RCPT043)', () => {
    expect(found({ BuyerEmail: `${'x'.repeat(94)}@bb.zw` })).toEqual([]);
    expect(found({ BuyerEmail: `${'x'.repeat(95)}@bb.zw` })).toEqual(['BuyerEmail RCPT043']);
    expect(found({ BuyerEmail: 'x'.repeat(100) })).toEqual(['BuyerEmail Malformed']);
    expect(found({ BuyerEmail: 'x'.repeat(101) })).toEqual(['BuyerEmail RCPT043']);
  });
});

describe('BuyerEmail', () => {
  test.each(['a@b.zw', 'first.last+till@accounts.example.co.zw', "o'neil@example.com", 'ü@exämple.com'])(
    'may be %s',
    (BuyerEmail) => {
      expect(found({ BuyerEmail })).toEqual([]);
    },
  );

  test.each(['a', 'a@', '@b.zw', 'a@b', 'a@b.', 'a@.zw', 'a@b..zw', 'a b@c.zw', 'a@b@c.zw', 'a@b.zw ', 'a@b.zw\n'])(
    'is not %j (Malformed)',
    (BuyerEmail) => {
      expect(found({ BuyerEmail })).toEqual(['BuyerEmail Malformed']);
    },
  );
});
