import { type Decimal, formatDecimal } from './decimal.ts';

/**
 * Writes a value as JSON so that no decimal loses a digit: JSON.stringify knows only binary floats. Everything but a Decimal
 * is written as JSON.stringify would.
 */
export function writeExactJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(writeExactJson).join(',')}]`;
  if (isDecimal(value)) return formatDecimal(value);
  if (value instanceof ExactText) return value.text;
  if (value instanceof Date) return JSON.stringify(value);
  let text = '';
  for (const [key, part] of Object.entries(value)) {
    if (part !== undefined) text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${writeExactJson(part)}`;
  }
  return `{${text}}`;
}

/** A JSON document, or a part of one, that was written exactly before and goes out as it is. */
export class ExactText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** The value, where any part may be written already. */
export type OrExactText<Value> =
  | ExactText
  | (Value extends Decimal
      ? Value
      : Value extends readonly (infer Item)[]
        ? readonly OrExactText<Item>[]
        : Value extends object
          ? { readonly [Key in keyof Value]: OrExactText<Value[Key]> }
          : Value);

/** No object of the API has these names: its own are in PascalCase. */
function isDecimal(value: object): value is Decimal {
  return 'coefficient' in value && 'scale' in value;
}
