import { type Decimal, formatDecimal, formatFixed } from '../../kernel/decimal.ts';

export const NOTHING = '–';

export type Showable = string | number | boolean | Decimal | null | undefined | readonly Showable[] | Shape;

interface Shape {
  readonly [name: string]: Showable;
}

/** A value of an answer as a person reads it; `–` where there is none. */
export function shown(value: Showable): string {
  if (value === null || value === undefined) return NOTHING;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value !== 'object') return String(value);
  if (isList(value)) return value.map(shown).join(', ');
  if (isDecimal(value)) return formatDecimal(value);
  return Object.entries(value)
    .map(([name, part]) => `${name} ${shown(part)}`)
    .join(', ');
}

/** An amount with at least two decimals. */
export function amount(value: Decimal): string {
  return value.scale <= 2 ? formatFixed(value, 2) : formatDecimal(value);
}

/** Of a tax. */
export function percent(value: Decimal | null): string {
  return value === null ? 'exempt' : `${formatDecimal(value)} %`;
}

function isList(value: object): value is readonly Showable[] {
  return Array.isArray(value);
}

function isDecimal(value: Shape | Decimal): value is Decimal {
  return 'coefficient' in value && 'scale' in value;
}
