import { Big } from 'big.js';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../test/support/property-runs.ts';
import { ReceiptBody } from '../../contract/fiscal/receipt-body.ts';
import { PAYMENT_TYPES } from '../../contract/shared/values.ts';
import { checkRules } from '../../fdms/core/rules/check-rules.ts';
import { readReceipt } from '../../fiscal/core/read-receipt.ts';
import { type Decimal, decimal, formatDecimal, fromCents } from '../../kernel/decimal.ts';
import { bodyShape } from '../../platform/http/shape.ts';
import { parseExactJson } from '../../platform/json/exact-json.ts';
import { exactValue } from '../../platform/json/exact-value.ts';
import { buildCreditNote } from './build-credit-note.ts';
import { buildInvoice, type InvoiceInput } from './build-invoice.ts';
import { FiscalReceipt, fiscalReceiptText, isOurs } from './fiscal-receipt.ts';

const INPUT: InvoiceInput = {
  reference: 'BP-0123456789ABCDEFGHJK',
  date: new Date('2026-11-15T10:00:00.987Z'),
  deviceId: 1001,
  billerName: 'City of Harare',
  line: { hsCode: '99001000', taxPercent: decimal('15.5'), isInclusive: true },
  taxRounding: 'half-even',
  payment: { amount: decimal('115.50'), fee: decimal('0'), currency: 'USD', products: [], paymentType: 'Cash' },
};
const FEE = { ...INPUT.payment, fee: decimal('2.31') };
const PRODUCTS = [
  { code: 'W', name: 'Water', quantity: 3, price: decimal('20') },
  { code: 'R', name: 'Refuse', quantity: 1, price: decimal('55.50') },
];

const shape = bodyShape(ReceiptBody);

/** The signing service's own rules, run over the text that would be sent to it. */
function violations(receipt: FiscalReceipt) {
  const json = parseExactJson(Buffer.from(fiscalReceiptText(receipt)));
  return [...shape(json), ...checkRules(readReceipt(json.value as ReceiptBody, json.decimal), undefined)];
}

const money = (value: Decimal | null | undefined) => value && formatDecimal(value);
const linesOf = (receipt: FiscalReceipt) =>
  receipt.ReceiptLines.map((line) => [line.Name, money(line.UnitPrice), money(line.Quantity), money(line.LineTotal)]);
const taxOf = ({ Taxes: [tax] }: FiscalReceipt) => [money(tax?.SalesAmountWithTax), money(tax?.TaxAmount)];

describe('the lines of an invoice', () => {
  test('without products there is one, named after the biller', () => {
    const invoice = buildInvoice(INPUT);
    expect(linesOf(invoice)).toEqual([['City of Harare', '115.5', '1', '115.5']]);
    expect(invoice).toMatchObject({ Type: 'FiscalInvoice', Date: '2026-11-15T10:00:00Z', AuthorityDeviceId: 1001 });
  });

  test('each product has its own, and the fee too', () => {
    const invoice = buildInvoice({ ...INPUT, payment: { ...FEE, products: PRODUCTS } });
    expect(linesOf(invoice)).toEqual([
      ['Water', '20', '3', '60'],
      ['Refuse', '55.5', '1', '55.5'],
      ['City of Harare fee', '2.31', '1', '2.31'],
    ]);
    expect(money(invoice.TotalAmount)).toBe('117.81');
    expect(invoice.Payments.map(({ Type, Amount }) => [Type, money(Amount)])).toEqual([['Cash', '117.81']]);
  });

  test('products that do not add up to the amount are not its lines', () => {
    const payment = { ...INPUT.payment, amount: decimal('100'), products: PRODUCTS };
    expect(linesOf(buildInvoice({ ...INPUT, payment }))).toEqual([['City of Harare', '100', '1', '100']]);
  });

  test('the longest name of a biller leaves room for the fee, and is not cut through a character', () => {
    const billerName = `${'x'.repeat(195)}😀end`;
    const invoice = buildInvoice({ ...INPUT, billerName, payment: FEE });
    expect(invoice.ReceiptLines[1]?.Name).toBe(`${'x'.repeat(195)} fee`);
    expect(violations(invoice)).toEqual([]);
  });
});

describe('tax', () => {
  test('is taken out of the total, rounded once, half to even', () => {
    expect(taxOf(buildInvoice(INPUT))).toEqual(['115.5', '15.5']);
    // 100.10 / 1.04 = 96.25 exactly; 0.39 / 1.04 = 0.375, to the even 0.38.
    const line = { ...INPUT.line, taxPercent: decimal('4') };
    const payment = { ...INPUT.payment, amount: decimal('0.39') };
    expect(taxOf(buildInvoice({ ...INPUT, line, payment }))).toEqual(['0.39', '0.01']);
  });

  test('is rounded half up where the installation wants that, with prices that include it and without', () => {
    const taxes = (changes: Partial<InvoiceInput>, amount: string) =>
      (['half-even', 'half-up'] as const).map((taxRounding) => {
        const payment = { ...INPUT.payment, amount: decimal(amount) };
        const invoice = buildInvoice({ ...INPUT, ...changes, payment, taxRounding });
        return [invoice.ReceiptLinesTaxInclusive, ...taxOf(invoice)];
      });
    // 0.04 / 1.6 = 0.025.
    expect(taxes({ line: { ...INPUT.line, taxPercent: decimal('60') } }, '0.04')).toEqual([
      [true, '0.04', '0.02'],
      [true, '0.04', '0.01'],
    ]);
    // 3.00 and 0.465: of 3.46 and 3.47 each is reached one way only.
    const line = { ...INPUT.line, isInclusive: false };
    expect(taxes({ line }, '3.46').map(([inclusive]) => inclusive)).toEqual([false, true]);
    expect(taxes({ line }, '3.47').map(([inclusive]) => inclusive)).toEqual([true, false]);
  });

  test('exempt is not 0 %, and both have no tax', () => {
    const exempt = buildInvoice({ ...INPUT, line: { ...INPUT.line, taxPercent: undefined } });
    const zero = buildInvoice({ ...INPUT, line: { ...INPUT.line, taxPercent: decimal('0') } });
    expect([exempt.Taxes[0]?.TaxPercent, money(zero.Taxes[0]?.TaxPercent ?? undefined)]).toEqual([null, '0']);
    expect([taxOf(exempt), taxOf(zero)]).toEqual([
      ['115.5', '0'],
      ['115.5', '0'],
    ]);
    expect([...violations(exempt), ...violations(zero)]).toEqual([]);
  });

  test('is shown apart where the amount comes apart, line by line', () => {
    const line = { ...INPUT.line, isInclusive: false };
    const invoice = buildInvoice({ ...INPUT, line, payment: FEE });
    expect(invoice.ReceiptLinesTaxInclusive).toBe(false);
    expect(linesOf(invoice)).toEqual([
      ['City of Harare', '100', '1', '100'],
      ['City of Harare fee', '2', '1', '2'],
    ]);
    expect(taxOf(invoice)).toEqual(['117.81', '15.81']);
    expect(violations(invoice)).toEqual([]);
  });

  test('is shown inclusive where no net amount leads to what was paid', () => {
    const payment = { ...INPUT.payment, amount: decimal('1.01') };
    const invoice = buildInvoice({ ...INPUT, line: { ...INPUT.line, isInclusive: false }, payment });
    expect(invoice.ReceiptLinesTaxInclusive).toBe(true);
    expect(violations(invoice)).toEqual([]);
  });

  test('is shown inclusive where nothing would be left of a line without it', () => {
    const line = { ...INPUT.line, taxPercent: decimal('100'), isInclusive: false };
    const payment = { ...INPUT.payment, amount: decimal('0.03'), fee: decimal('0.01') };
    expect(violations(buildInvoice({ ...INPUT, line, payment }))).toEqual([]);
  });

  test('a net unit price that is not exact is left out', () => {
    const line = { ...INPUT.line, isInclusive: false };
    const ticket = { code: 'T', name: 'Ticket', quantity: 2, price: decimal('2.31') };
    const even = { ...INPUT.payment, amount: decimal('4.62'), products: [ticket] };
    expect(linesOf(buildInvoice({ ...INPUT, line, payment: even }))).toEqual([['Ticket', '2', '2', '4']]);
    const thirds = { ...even, products: [{ ...ticket, quantity: 3, price: decimal('1.54') }] };
    const odd = buildInvoice({ ...INPUT, line, payment: thirds });
    expect(linesOf(odd)).toEqual([['Ticket', undefined, '3', '4']]);
    expect(violations(odd)).toEqual([]);
  });
});

const noteOf = (invoice: FiscalReceipt) =>
  buildCreditNote({
    reference: `${invoice.Reference}-CN`,
    date: INPUT.date,
    deviceId: 1001,
    invoice,
    notes: 'Payment BPR-1 was reversed.',
  });

test('a credit note takes back every price, and has none where the invoice has none', () => {
  const invoice = buildInvoice({ ...INPUT, payment: { ...INPUT.payment, products: PRODUCTS } });
  const [water, refuse] = invoice.ReceiptLines;
  if (water === undefined || refuse === undefined) throw new Error('a product has no line');
  expect(linesOf(noteOf({ ...invoice, ReceiptLines: [water, { ...refuse, UnitPrice: undefined }] }))).toEqual([
    ['Water', '-20', '3', '-60'],
    ['Refuse', undefined, '1', '-55.5'],
  ]);
});

const cents = fc.oneof(
  fc.integer({ min: 1, max: 500 }),
  fc.integer({ min: 1, max: 10_000_000 }),
  // Beyond what a binary float holds to the cent.
  fc.bigInt({ min: 9_007_199_254_740_993n, max: 90_000_000_000_000_000n }),
);
const product = fc.record({
  code: fc.constant('P'),
  name: fc.string({ minLength: 1, maxLength: 200, unit: 'grapheme-ascii' }).map((name) => `p${name}`.slice(0, 200)),
  quantity: fc.integer({ min: 1, max: 999 }),
  price: cents.map((price) => fromCents((BigInt(price) % 1_000_000_000_000n) + 1n)),
});
const input = fc
  .record({
    products: fc.array(product, { maxLength: 8 }),
    amount: cents,
    fee: fc.oneof(fc.constant(0), cents),
    currency: fc.constantFrom('USD', 'ZWG', 'ZAR'),
    paymentType: fc.constantFrom(...PAYMENT_TYPES),
    taxPercent: fc.option(
      fc.integer({ min: 0, max: 10_000 }).map((hundredths) => fromCents(BigInt(hundredths))),
      { nil: undefined },
    ),
    isInclusive: fc.boolean(),
  })
  .map(({ products, amount, fee, currency, paymentType, taxPercent, isInclusive }): InvoiceInput => {
    const sum = products.reduce(
      (total, { price, quantity }) => total.plus(new Big(formatDecimal(price)).times(quantity)),
      new Big(0),
    );
    const paid = products.length === 0 ? fromCents(BigInt(amount)) : decimal(sum.toFixed(2));
    return {
      ...INPUT,
      line: { hsCode: '12345678', taxPercent, isInclusive },
      payment: { amount: paid, fee: fromCents(BigInt(fee)), currency, products, paymentType },
    };
  });

test('whatever is paid, the signing service finds nothing wrong with the invoice or its credit note', () => {
  let exclusive = 0;
  fc.assert(
    fc.property(input, (given) => {
      const invoice = buildInvoice(given);
      expect(violations(invoice)).toEqual([]);
      const paid = new Big(formatDecimal(given.payment.amount)).plus(formatDecimal(given.payment.fee));
      expect(new Big(formatDecimal(invoice.TotalAmount)).eq(paid)).toBe(true);
      if (!invoice.ReceiptLinesTaxInclusive) exclusive += 1;
      const note = noteOf(invoice);
      expect(violations(note)).toEqual([]);
      expect(new Big(formatDecimal(note.TotalAmount)).plus(formatDecimal(invoice.TotalAmount)).eq(0)).toBe(true);
    }),
    runs(2_000),
  );
  expect(exclusive).toBeGreaterThan(runs(2_000).numRuns / 20);
});

test('the stored text reads back as the same receipt, to the last digit', () => {
  fc.assert(
    fc.property(input, (given) => {
      const invoice = buildInvoice(given);
      const text = fiscalReceiptText(invoice);
      expect(exactValue(FiscalReceipt)(parseExactJson(Buffer.from(text)))).toEqual(invoice);
    }),
    runs(500),
  );
});

describe('a receipt found under our reference is ours', () => {
  const wanted = buildInvoice({ ...INPUT, payment: { ...FEE, products: PRODUCTS } });
  test('with an earlier date, another device and other tax settings', () => {
    const line = { hsCode: '1234', taxPercent: decimal('15'), isInclusive: false };
    const earlier = buildInvoice({
      ...INPUT,
      line,
      deviceId: 7,
      date: new Date('2026-11-14T10:00:00Z'),
      payment: { ...FEE, products: PRODUCTS },
    });
    expect(isOurs(earlier, wanted)).toBe(true);
  });

  test('with no original, however that is said, and as a credit note with its own', () => {
    const note = noteOf(wanted);
    expect(isOurs({ ...wanted, OriginalReference: null }, wanted)).toBe(true);
    expect(isOurs(note, note)).toBe(true);
    expect(isOurs({ ...note, OriginalReference: 'BP-2' }, note)).toBe(false);
  });

  test.each([
    ['reference', { Reference: 'BP-2' }],
    ['original', { OriginalReference: 'BP-2' }],
    ['total', { TotalAmount: decimal('117.82') }],
    ['currency', { Currency: 'ZWG' }],
    ['type', { Type: 'CreditNote' as const }],
    ['number of lines', { ReceiptLines: wanted.ReceiptLines.slice(0, -1) }],
    ['names', { ReceiptLines: wanted.ReceiptLines.map((line) => ({ ...line, Name: 'Groceries' })) }],
    ['quantities', { ReceiptLines: wanted.ReceiptLines.map((line) => ({ ...line, Quantity: decimal('9') })) }],
  ])('not with another %s', (_what, change) => {
    expect(isOurs({ ...wanted, ...change }, wanted)).toBe(false);
  });
});
