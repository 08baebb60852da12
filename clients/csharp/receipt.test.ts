import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Remark, SignedReceipt } from '../../src/contract/fiscal/receipt.ts';
import { ReceiptDraft } from '../../src/contract/fiscal/receipt-body.ts';
import { listEvents } from '../../src/contract/platform/event.ts';

/** The typed classes of the C# client have every field of the contract, with the same kind of value; a new one cannot be forgotten. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly format?: string;
  readonly enum?: readonly (string | null)[];
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Schema[];
}

const source = ['Receipt', 'EventReader']
  .map((file) => readFileSync(join(import.meta.dirname, `src/${file}.cs`), 'utf8'))
  .join('\n');

const enums = new Map(
  [...source.matchAll(/enum (\w+) \{ (.*) \}/g)].map(([, name = '', words = '']) => [name, words.split(', ')]),
);

/** `Name: type` of each property that is in the JSON, in the order of the alphabet; `!` where null is written, too. */
function inCsharp(name: string): string[] {
  const [, body = ''] = new RegExp(`class ${name}\\b[^{]*\\{(.*?)^    \\}`, 'ms').exec(source) ?? [];
  const properties = body.matchAll(/(\[\w+\])?\s*public ([^;{]+) (\w+) \{ get; (?:internal )?set; \}/g);
  return [...properties]
    .filter(([, mark]) => mark !== '[NotInJson]')
    .map(([, mark, type = '', property = '']) => {
      const words = enums.get(type.replace('?', ''))?.join('|');
      const kind = words === undefined ? type.replace('long', 'int') : `${words}${type.endsWith('?') ? '?' : ''}`;
      return `${property}: ${kind}${mark === '[WrittenWhenNull]' ? '!' : ''}`;
    })
    .toSorted();
}

function inContract({ properties = {}, required = [] }: Schema, but: Schema = {}): string[] {
  return Object.entries(properties)
    .filter(([name]) => !(name in (but.properties ?? {})))
    .map(([name, schema]) => `${name}: ${kindOf(name, schema, required.includes(name))}`)
    .toSorted();
}

function kindOf(name: string, schema: Schema, isRequired: boolean): string {
  const { type, items, enum: words, format } = schema.anyOf?.[0] ?? schema;
  const isNullable = !isRequired || (Array.isArray(type) && type.includes('null'));
  const mark = isNullable ? `?${isRequired ? '!' : ''}` : '';
  switch ([type].flat().find((each) => each !== 'null')) {
    case undefined:
    case 'array':
      return `List<${items?.type === 'string' ? 'string' : (items?.title?.replace('Draft', '') ?? 'Event')}>`;
    case 'boolean':
      return 'bool';
    case 'integer':
      return `int${mark}`;
    case 'number':
      return `decimal${mark}`;
    case 'object':
      return 'Dictionary<string, object>';
    default:
      if (name === 'Date' || format === 'date-time') return 'DateTimeOffset';
      // What only Tillseal writes may get new words at any time.
      if (words === undefined || name === 'SubmissionState') return 'string';
      return words.filter((word) => word !== null).join('|') + mark;
  }
}

const schema = (of: object): Schema => of;
const itemsOf = (of: object, name: string) => schema(of).properties?.[name]?.items ?? {};

test.each([
  ['Receipt', inContract(schema(ReceiptDraft))],
  ['ReceiptLine', inContract(itemsOf(ReceiptDraft, 'ReceiptLines'))],
  ['Payment', inContract(itemsOf(ReceiptDraft, 'Payments'))],
  ['Tax', inContract(itemsOf(SignedReceipt, 'Taxes'))],
  ['SignedReceipt', inContract(schema(SignedReceipt), schema(ReceiptDraft))],
  ['Remark', inContract(schema(Remark))],
  ['TillsealEvent', inContract(itemsOf(listEvents.answer.schema, 'Events').oneOf?.[0] ?? {})],
])('%s has what the contract has', (name, expected) => {
  expect(expected).not.toEqual([]);
  expect(inCsharp(name)).toEqual(expected);
});
