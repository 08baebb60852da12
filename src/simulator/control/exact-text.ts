import { encodeWire } from '../wire/encode.ts';

/** JSON that is written as it is. */
export class ExactText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Like the wire's encoding, with texts of JSON in between. */
export function encodeControl(value: unknown): string {
  if (value instanceof ExactText) return value.text;
  if (Array.isArray(value)) return `[${value.map(encodeControl).join(',')}]`;
  if (typeof value !== 'object' || value === null) return encodeWire(value ?? null);
  const plain = Object.entries(value).filter(([, member]: [string, unknown]) => member !== undefined);
  return `{${plain.map(([name, member]) => encodeMember(name, member)).join(',')}}`;
}

function encodeMember(name: string, member: unknown): string {
  // The wire writes decimals by the names of their fields.
  if (typeof member === 'object') return `${JSON.stringify(name)}:${encodeControl(member)}`;
  return encodeWire({ [name]: member }).slice(1, -1);
}
