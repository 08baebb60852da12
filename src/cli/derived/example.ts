import type { Operation } from '../../contract/shared/operation.ts';
import { ID_PATTERN } from '../../contract/shared/values.ts';
import { type Showable, shown } from '../shared/shown.ts';
import type { Field, Plan } from './field.ts';

const ID = '019a83c5-6f1e-7d20-9c4b-2f5d7a90b1c3';
/** Of words, and of options that are ids: by what stands for them in the usage line, or by name. */
const VALUES: Readonly<Record<string, string>> = {
  CODE: 'CITYWATER',
  NUMBER: '7',
  REFERENCE: 'BP-7QK2M9X4T0B8H3ZC5WRF',
  authorityDeviceId: '1001',
  billPayReference: 'P01KA3V2Q80X7M4B9T2HC',
};

/** What a body of the contract's examples has. */
export function exampleValue(operation: Operation, field: Field, label: string): string | undefined {
  const bodies = Object.values({ ...operation.bodyExamples }).map((body): Record<string, unknown> => Object(body));
  const values = [...bodies.map((body) => body[field.name]), field.schema.examples?.[0]];
  const found = values.find((value) => value !== undefined && value !== null);
  if (found === undefined) {
    return VALUES[field.name] ?? VALUES[label] ?? (field.schema.pattern === ID_PATTERN ? ID : undefined);
  }
  const text = shown(found as Showable).replaceAll(', ', ',');
  return /[^\w.,:@/-]/.test(text) ? `"${text}"` : text;
}

/** With every word; what was chosen by hand follows, or every option that has to be there. A whole line stays as it is. */
export function examplesOf(
  name: string,
  operation: Operation,
  { words, options }: Plan,
  chosen: readonly string[] | undefined,
): string[] {
  const typed = words
    .filter(({ isOptional }) => !isOptional)
    .map(({ field, label }) => exampleValue(operation, field, label));
  const flags = options
    .filter(({ field, hasDefault }) => field.isRequired && !hasDefault)
    .map(({ field, flag }) => `--${flag.name} ${exampleValue(operation, field, '') ?? flag.value}`);
  return (chosen ?? [flags.join(' ')]).map((more) =>
    more.includes('tillseal ') ? more : ['tillseal', name, ...typed, more].join(' ').trimEnd(),
  );
}
