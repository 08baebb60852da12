import type { DecimalField } from './api.ts';
import { Decimal } from './decimal.ts';

/** Fields whose numbers are amounts. The types, which are made from the contract, refuse a list that lacks one. */
const DECIMAL_FIELDS = {
  Amount: true,
  Fee: true,
  Fixed: true,
  InvoiceTaxPercent: true,
  LineTotal: true,
  PayerCount: true,
  Percent: true,
  Price: true,
  Quantity: true,
  SalesAmountWithTax: true,
  TargetAchievedAmount: true,
  TargetAchievedUnits: true,
  TargetAmount: true,
  TargetUnits: true,
  TaxAmount: true,
  TaxPercent: true,
  TotalAmount: true,
  TotalGross: true,
  TotalNet: true,
  TotalTax: true,
  UnitPrice: true,
} as const satisfies Record<DecimalField, true>;
/** A text, or a number that must keep every digit. */
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
/** No text from Tillseal has this character, because it refuses it in every request. */
const MARK = '\u0000';

/**
 * Reads an answer without losing a digit: amounts become Decimals, counts and identifiers numbers. `JSON.parse` alone would make
 * both floats, and in Node 20 a reviver does not get the digits, so numbers pass through it as marked texts.
 */
export function parseExactJson(text: string): unknown {
  const marked = text.replaceAll(TOKEN, (token) => (token.startsWith('"') ? token : `"\\u0000${token}"`));
  return JSON.parse(marked, (name, value: unknown) =>
    typeof value === 'string' && value.startsWith(MARK) ? readNumber(name, value.slice(1)) : value,
  );
}

/** A field that is newer than this client is a Decimal too when it looks like one. */
function readNumber(name: string, digits: string): Decimal | number {
  return Object.hasOwn(DECIMAL_FIELDS, name) || !/^-?\d{1,15}$/.test(digits) ? Decimal.of(digits) : Number(digits);
}

/** The object that a text contains, or nothing if it contains anything else. */
export function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = parseExactJson(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
