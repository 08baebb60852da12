import { type Decimal, formatDecimal } from './decimal.ts';

/**
 * Writes a value as JSON so that no decimal loses a digit: JSON.stringify knows only binary floats. Everything but a Decimal
 * is written as JSON.stringify would.
 */
export function writeExactJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(writeExactJson).join(',')}]`;
  if (isDecimal(value)) return formatDecimal(value);
  if (value instanceof Date) return JSON.stringify(value);
  let text = '';
  for (const [key, part] of Object.entries(value)) {
    if (part !== undefined) text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${writeExactJson(part)}`;
  }
  return `{${text}}`;
}

/** No object of the API has these names: its own are in PascalCase. */
function isDecimal(value: object): value is Decimal {
  return 'coefficient' in value && 'scale' in value;
}
