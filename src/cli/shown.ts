import { type Decimal, formatDecimal, formatFixed } from '../kernel/decimal.ts';
import { NOTHING } from './json-view.ts';

export type Showable = string | number | boolean | Decimal | null | undefined | readonly Showable[];

/** A value of an answer as a person reads it; `–` where there is none. */
export function shown(value: Showable): string {
  if (value === null || value === undefined) return NOTHING;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'object') return 'scale' in value ? formatDecimal(value) : value.map(shown).join(', ');
  return String(value);
}

/** An amount with at least two decimals. */
export function amount(value: Decimal): string {
  return value.scale <= 2 ? formatFixed(value, 2) : formatDecimal(value);
}
