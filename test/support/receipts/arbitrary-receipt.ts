/**
 * Valid receipts of every kind for property tests. Amounts are whole cents in bigint and the tax is worked out here a second
 * time (docs/signing.md), so that the rules are compared with something that does not share their code.
 */
import * as fc from 'fast-check';
import { type ExactNumber, exact } from '../exact-number.ts';

export interface GeneratedLine {
  Type: string;
  Name: string;
  HsCode?: string | null;
  UnitPrice?: ExactNumber | null;
  Quantity: ExactNumber;
  LineTotal: ExactNumber;
  TaxPercent: ExactNumber | null;
}

export interface GeneratedReceipt {
  AuthorityDeviceId: number;
  Type: string;
  Currency: string;
  Reference: string;
  Date: string;
  ReceiptLinesTaxInclusive: boolean;
  TotalAmount: ExactNumber;
  ReceiptLines: GeneratedLine[];
  Payments: { Type: string; Amount: ExactNumber }[];
  Taxes: { TaxPercent: ExactNumber | null; SalesAmountWithTax: ExactNumber; TaxAmount: ExactNumber }[];
  OriginalReference?: string | null;
  OriginalFiscalDayNumber?: number | null;
  OriginalGlobalCounter?: number | null;
  OriginalAuthorityDeviceId?: number | null;
  Notes?: string | null;
  ReceiptPrintForm?: string | null;
  BuyerTIN?: string | null;
  BuyerVAT?: string | null;
  BuyerName?: string | null;
  BuyerAddress?: string | null;
  BuyerPhone?: string | null;
  BuyerEmail?: string | null;
  Cashier?: string | null;
}

/** The percentages of the test devices in 2026, in hundredths of a percent. */
const PERCENTS = [1550n, 0n, null] as const;
type Percent = (typeof PERCENTS)[number];

/** How one receipt spells its numbers: the same value in three ways. */
const SPELLINGS = ['plain', 'padded', 'exponent'] as const;
type Spelling = (typeof SPELLINGS)[number];

/** One item: a sale, and perhaps a discount on it that takes no more than it costs. */
interface Item {
  readonly percent: Percent;
  readonly name: string;
  readonly hsCode: string;
  readonly cents: bigint;
  readonly quantity: string;
  readonly unitPrice: string | undefined;
  readonly discountCents: bigint | undefined;
}

/** `largestCents` bounds one line: twenty of them, with tax, must stay within what an amount can hold. */
export function arbitraryReceipt({ largestCents = 4n * 10n ** 17n } = {}): fc.Arbitrary<GeneratedReceipt> {
  return fc
    .record({
      head: arbitraryHead,
      type: fc.constantFrom('FiscalInvoice', 'CreditNote', 'DebitNote'),
      isInclusive: fc.boolean(),
      items: fc.array(arbitraryItem(largestCents), { minLength: 1, maxLength: 10 }),
      shares: fc.array(fc.tuple(arbitraryPaymentType, fc.nat(100)), { minLength: 1, maxLength: 5 }),
      spelling: fc.constantFrom(...SPELLINGS),
      note: arbitraryNote,
    })
    .map(({ head, type, isInclusive, items, shares, spelling, note }) => {
      const sign = type === 'CreditNote' ? -1n : 1n;
      const spell = (cents: bigint) => exact(spelledCents(cents, spelling));
      const lines = items.flatMap((item) => linesOf(item, sign, spell, spelling));
      const groups = taxGroups(items, sign, isInclusive);
      const total = sumOf(groups.map((group) => group.sales));
      return {
        ...head,
        Type: type,
        ReceiptLinesTaxInclusive: isInclusive,
        TotalAmount: spell(total),
        ReceiptLines: lines,
        Payments: split(total, shares).map(([Type, cents]) => ({ Type, Amount: spell(cents) })),
        Taxes: groups.map(({ percent, sales, tax }) => ({
          TaxPercent: spelledPercent(percent, spelling),
          SalesAmountWithTax: spell(sales),
          TaxAmount: spell(tax),
        })),
        ...(type === 'FiscalInvoice' ? {} : note),
      };
    });
}

/** The second implementation of the tax rules: per group, on its sum, half to even. */
function taxGroups(items: readonly Item[], sign: bigint, isInclusive: boolean) {
  const used = PERCENTS.filter((percent) => items.some((item) => item.percent === percent));
  return used.map((percent) => {
    const ofGroup = items.filter((item) => item.percent === percent);
    const sum = sign * sumOf(ofGroup.map((item) => item.cents - (item.discountCents ?? 0n)));
    const rate = percent ?? 0n;
    if (rate === 0n) return { percent, sales: sum, tax: 0n };
    if (isInclusive) return { percent, sales: sum, tax: sum - halfEven(sum * 10_000n, 10_000n + rate) };
    const tax = halfEven(sum * rate, 10_000n);
    return { percent, sales: sum + tax, tax };
  });
}

/** Rounds the quotient by flooring it twice as finely: an odd number of halves is in between, or exactly a tie. */
function halfEven(numerator: bigint, denominator: bigint): bigint {
  const halves = floor(2n * numerator, denominator);
  const isExact = (2n * numerator) % denominator === 0n;
  const below = floor(halves, 2n);
  if (halves % 2n === 0n) return below;
  if (!isExact) return below + 1n;
  return below % 2n === 0n ? below : below + 1n;
}

function floor(numerator: bigint, denominator: bigint): bigint {
  const quotient = numerator / denominator;
  return numerator % denominator < 0n ? quotient - 1n : quotient;
}

function sumOf(numbers: readonly bigint[]): bigint {
  return numbers.reduce((sum, number) => sum + number, 0n);
}

function linesOf(item: Item, sign: bigint, spell: (cents: bigint) => ExactNumber, spelling: Spelling): GeneratedLine[] {
  const { percent, name, hsCode, cents, quantity, unitPrice, discountCents } = item;
  const common = { HsCode: hsCode, TaxPercent: spelledPercent(percent, spelling) };
  const sale: GeneratedLine = {
    ...common,
    Type: 'Sale',
    Name: name,
    Quantity: exact(quantity),
    LineTotal: spell(sign * cents),
    ...(unitPrice === undefined ? {} : { UnitPrice: exact(sign < 0n ? `-${unitPrice}` : unitPrice) }),
  };
  if (discountCents === undefined) return [sale];
  const LineTotal = spell(-sign * discountCents);
  return [sale, { ...common, Type: 'Discount', Name: `Less ${name}`.slice(0, 200), Quantity: exact('1'), LineTotal }];
}

/** Shares of the total to the cent; the last payment takes what is left. */
function split(total: bigint, shares: readonly (readonly [string, number])[]): [string, bigint][] {
  let left = total;
  return shares.map(([type, percent], index) => {
    const amount = index === shares.length - 1 ? left : (left * BigInt(percent)) / 100n;
    left -= amount;
    return [type, amount];
  });
}

function spelledCents(cents: bigint, spelling: Spelling): string {
  if (spelling === 'exponent') return `${cents}e-2`;
  const minus = cents < 0n ? '-' : '';
  const digits = (cents < 0n ? -cents : cents).toString().padStart(3, '0');
  const fixed = `${minus}${digits.slice(0, -2)}.${digits.slice(-2)}`;
  return spelling === 'padded' ? fixed : fixed.replace(/\.?0+$/, '');
}

function spelledPercent(percent: Percent, spelling: Spelling): ExactNumber | null {
  return percent === null ? null : exact(spelledCents(percent, spelling));
}

/** So many units of 10^-places, in plain notation. */
function withPlaces(units: bigint, places: number): string {
  if (places === 0) return units.toString();
  const digits = units.toString().padStart(places + 1, '0');
  return `${digits.slice(0, -places)}.${digits.slice(-places)}`;
}

const arbitraryText = (maximum: number) =>
  fc
    .string({ unit: 'grapheme', maxLength: maximum })
    .map((text) => `x${text.replaceAll('\u0000', '')}`.slice(0, maximum).toWellFormed());

const arbitraryDigits = (length: number) =>
  fc.array(fc.nat(9), { minLength: length, maxLength: length }).map((digits) => digits.join(''));

const arbitraryPaymentType = fc.constantFrom(
  'Cash',
  'Card',
  'MobileWallet',
  'Coupon',
  'Credit',
  'BankTransfer',
  'Other',
);

/** Cents of a line with its quantity: given exactly by a price of up to 6 decimals, or without a price. */
function arbitraryPrice(largestCents: bigint) {
  const exactPrice = fc
    .record({
      units: fc.bigInt({ min: 1n, max: 9_999_999n }),
      cents: fc.bigInt({ min: 1n, max: 99_999n }),
      quantityPlaces: fc.nat(6),
      pricePlaces: fc.nat(4),
    })
    .map(({ units, cents, quantityPlaces, pricePlaces }) => {
      // units/10^q × (cents·10^q)/100, or (units·10^p) × cents/10^p/100: the product is units × cents either way.
      const isFractionOfUnit = quantityPlaces >= pricePlaces;
      const quantity = isFractionOfUnit
        ? withPlaces(units, quantityPlaces)
        : (units * 10n ** BigInt(pricePlaces)).toString();
      const unitPrice = isFractionOfUnit
        ? withPlaces(cents * 10n ** BigInt(quantityPlaces), 2)
        : withPlaces(cents, 2 + pricePlaces);
      return { cents: units * cents, quantity, unitPrice };
    });
  const total = fc.oneof(
    fc.bigInt({ min: 1n, max: 99n }),
    fc.bigInt({ min: 1n, max: 10_000_000n }),
    fc.bigInt({ min: 1n, max: largestCents }),
  );
  const withoutPrice = fc
    .tuple(total, fc.bigInt({ min: 1n, max: 10n ** 25n - 1n }))
    .map(([cents, millionths]) => ({ cents, quantity: withPlaces(millionths, 6), unitPrice: undefined }));
  return fc.oneof(exactPrice, withoutPrice);
}

function arbitraryItem(largestCents: bigint): fc.Arbitrary<Item> {
  return fc
    .record({
      percent: fc.constantFrom(...PERCENTS),
      name: arbitraryText(200),
      longCode: arbitraryDigits(8),
      isShortCode: fc.boolean(),
      price: arbitraryPrice(largestCents),
      discount: fc.option(fc.bigInt({ min: 1n, max: 100n })),
    })
    .map(({ percent, name, longCode, isShortCode, price, discount }) => {
      const discountCents = discount === null ? 0n : (price.cents * discount) / 100n;
      return {
        percent,
        name,
        hsCode: isShortCode && percent === 1550n ? longCode.slice(0, 4) : longCode,
        ...price,
        discountCents: discountCents === 0n ? undefined : discountCents,
      };
    });
}

/** A note to an invoice of another system: its device is none of ours. */
const arbitraryNote = fc.record({
  OriginalReference: arbitraryText(50),
  OriginalFiscalDayNumber: fc.integer({ min: 1, max: 2_147_483_647 }),
  OriginalGlobalCounter: fc.integer({ min: 1, max: 2_147_483_647 }),
  OriginalAuthorityDeviceId: fc.integer({ min: 900_000, max: 2_147_483_647 }),
  Notes: arbitraryText(500),
});

const arbitraryBuyer = fc.oneof(
  fc.constant({}),
  fc.constant({ BuyerTIN: null, BuyerVAT: null, BuyerName: null, Cashier: null }),
  fc.record({ BuyerName: arbitraryText(200) }),
  fc.record({ BuyerName: arbitraryText(200), BuyerTIN: arbitraryDigits(10) }),
  fc.record({
    BuyerName: arbitraryText(200),
    BuyerTIN: arbitraryDigits(10),
    BuyerVAT: arbitraryDigits(9),
    BuyerAddress: arbitraryText(400),
    BuyerPhone: arbitraryText(20),
    BuyerEmail: arbitraryDigits(8).map((digits) => `buyer.${digits}@example.co.zw`),
    Cashier: arbitraryText(20),
  }),
);

/** Dated within 100 s of noon in Harare on 15 November 2026, in every form a date may have. */
const arbitraryDate = fc
  .tuple(
    fc.integer({ min: -100, max: 100 }),
    fc.constantFrom('', 'Z', '+02:00', '-03:30'),
    fc.constantFrom('', '.9', '.123456789'),
  )
  .map(([seconds, suffix, fraction]) => {
    const hours = { '': 2, Z: 0, '+02:00': 2, '-03:30': -3.5 }[suffix] ?? 0;
    const wall = new Date(Date.parse('2026-11-15T10:00:00Z') + seconds * 1000 + hours * 3_600_000);
    return `${wall.toISOString().slice(0, 19)}${fraction}${suffix}`;
  });

const arbitraryHead = fc
  .tuple(
    fc.record({
      AuthorityDeviceId: fc.constant(1001),
      Currency: fc.constantFrom('USD', 'ZWG', 'ZIG', 'ZAR'),
      Reference: arbitraryText(40),
      Date: arbitraryDate,
    }),
    fc.constantFrom({}, { ReceiptPrintForm: 'InvoiceA4' }, { ReceiptPrintForm: null }),
    arbitraryBuyer,
  )
  .map(([fields, form, buyer]) => ({
    ...fields,
    Reference: fields.Reference.replace(/\p{Cc}/gu, ' '),
    ...form,
    ...buyer,
  }));
