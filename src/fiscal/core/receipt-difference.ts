import { isSameDate, type Receipt, type ReceiptDate } from '../../fdms/index.ts';
import { type Decimal, equals, formatDecimal } from '../../kernel/decimal.ts';

/** A field in which two receipts of the same reference differ, with both values as text for a person. */
export interface Difference {
  readonly field: string;
  readonly sealed: string;
  readonly submitted: string;
}

type Value = string | number | boolean | Decimal | null | undefined;

/**
 * Compares what was submitted now with what was submitted when the reference was sealed: numbers by value (`10` is
 * `10.00`), dates as instants. No difference means the request is a retry.
 */
export function differences(sealed: Receipt, submitted: Receipt, zone: string): Difference[] {
  const found: Difference[] = [];
  const compareRecord = (a: object, b: object, at: string) => {
    for (const key of Object.keys(a)) {
      const left: unknown = Reflect.get(a, key);
      const right: unknown = Reflect.get(b, key);
      if (Array.isArray(left) && Array.isArray(right)) compareList(left, right, at + key);
      else if (key === 'Date') compareDate(sealed.Date, submitted.Date);
      else if (!isSameValue(left as Value, right as Value)) {
        found.push({ field: at + key, sealed: show(left as Value), submitted: show(right as Value) });
      }
    }
  };
  const compareList = (a: readonly object[], b: readonly object[], field: string) => {
    if (a.length !== b.length) {
      found.push({ field, sealed: `${a.length} entries`, submitted: `${b.length} entries` });
      return;
    }
    for (const [index, left] of a.entries()) compareRecord(left, b[index] ?? {}, `${field}[${index}].`);
  };
  const compareDate = (a: ReceiptDate, b: ReceiptDate) => {
    if (!isSameDate(a, b, zone)) found.push({ field: 'Date', sealed: a.text, submitted: b.text });
  };
  compareRecord(sealed, submitted, '');
  return found;
}

function isSameValue(a: Value, b: Value): boolean {
  return isDecimal(a) && isDecimal(b) ? equals(a, b) : a === b;
}

function isDecimal(value: Value): value is Decimal {
  return typeof value === 'object' && value !== null;
}

function show(value: Value): string {
  if (isDecimal(value)) return formatDecimal(value);
  return value === undefined ? 'absent' : String(value);
}
