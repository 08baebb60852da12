/**
 * Writes src/wire/api.ts, the types of `call()`, from the API's contract, because the package must not need the server's sources or its
 * schema library. Git ignores the file, and only types are in it: it is made before types are checked and before the client is compiled.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OPERATIONS } from '../../src/contract/index.ts';
import type { Operation } from '../../src/contract/shared/operation.ts';
import { PROBLEMS, THEN } from '../../src/contract/shared/problem.ts';

interface Schema {
  readonly title?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly description?: string;
}

/** Amounts in requests may have any exact form; in answers they are Decimals. */
type Direction = 'Amount' | 'Decimal';

const FILE = join(import.meta.dirname, 'src', 'wire', 'api.ts');

/** What a tenant's token can call: operators have the console and the command line. */
const TENANTS = OPERATIONS.filter(
  ({ access }) => typeof access === 'string' && /^(taxpayer|vendor|tenant) /.test(access),
).toSorted(byAddress);

/** Whole at every moment, and untouched if it would stay as it is: others may be reading it. */
function writeApi(): void {
  const text = apiText();
  if (existsSync(FILE) && readFileSync(FILE, 'utf8') === text) return;
  writeFileSync(`${FILE}.${process.pid}`, text);
  renameSync(`${FILE}.${process.pid}`, FILE);
}

function apiText(): string {
  const decimals = new Set(TENANTS.flatMap((operation) => decimalsIn(operation)));
  const writer = new Writer(decimals);
  const operations = TENANTS.map((operation) => writer.operation(operation));
  return `/** The types of the API. Written by generate.ts: do not change it by hand. */
import type { Amount, Decimal } from './decimal.ts';

/** Every operation of a tenant by its address: what it takes, and its good answer. */
export interface Api {
${operations.join('\n')}
}

/** \`Code\` of a problem. */
export type ProblemCode = ${Object.keys(PROBLEMS).map(literal).join(' | ')};

/** \`Then\` of a problem: send the same later; a person must change it; nothing of this token will pass. */
export type Then = ${THEN.map(literal).join(' | ')};

${writer.named()}
/** Operations whose answer can be a document; that of all others is JSON. */
export type DocumentAddress = ${TENANTS.filter(isDocument)
    .map(({ method, path }) => literal(`${method} ${path}`))
    .join(' | ')};

/** Fields whose numbers are amounts; all others are counts and identifiers. */
export type DecimalField = ${[...decimals].toSorted().map(literal).join(' | ')};
`;
}

function byAddress(one: Operation, other: Operation): number {
  const [a, b] = [one, other].map(({ method, path }) => `${path} ${method}`);
  return (a ?? '') < (b ?? '') ? -1 : 1;
}

function isDocument({ answer: { contentType = 'application/json', otherContents = {} } }: Operation): boolean {
  return [contentType, ...Object.keys(otherContents)].some((type) => !type.includes('json'));
}

class Writer {
  readonly #types = new Map<string, string>();
  readonly #decimals: ReadonlySet<string>;

  /** Of all shapes in requests. */
  readonly #titlesIn: ReadonlySet<string>;

  constructor(decimals: ReadonlySet<string>) {
    this.#decimals = decimals;
    this.#titlesIn = new Set(TENANTS.flatMap(({ body }) => titlesIn(body)));
  }

  operation({ method, path, params, query, body, answer, summary }: Operation): string {
    const isJson = (answer.contentType ?? 'application/json').includes('json');
    const type = (schema: object | undefined, direction: Direction) =>
      schema === undefined ? 'undefined' : this.#type(schema, direction);
    return `  /** ${summary} */
  '${method} ${path}': {
    readonly params: ${type(params, 'Amount')};
    readonly query: ${type(query, 'Amount')};
    readonly body: ${type(body, 'Amount')};
    readonly answer: ${isJson ? type(answer.schema, 'Decimal') : 'Uint8Array'};
  };`;
  }

  named(): string {
    return [...this.#types.entries()]
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, text]) => `export type ${name} = ${text};\n`)
      .join('\n');
  }

  #type(schema: Schema, direction: Direction): string {
    if (schema.title === undefined) return this.#inline(schema, direction);
    const text = this.#inline(schema, direction);
    // A line in an answer has amounts of another type than one in a request.
    const isBoth = direction === 'Decimal' && text.includes('Decimal') && this.#titlesIn.has(schema.title);
    const name = isBoth ? `${schema.title}Answer` : schema.title;
    const known = this.#types.get(name) ?? text;
    if (known !== text) return text;
    this.#types.set(name, text);
    return name;
  }

  #inline(schema: Schema, direction: Direction): string {
    const { anyOf, oneOf, enum: words } = schema;
    if (schema.const !== undefined) return literal(schema.const);
    if (words !== undefined) return words.map(literal).join(' | ');
    const variants = anyOf ?? oneOf;
    if (variants !== undefined) return variants.map((one) => this.#type(one, direction)).join(' | ');
    const types = [schema.type ?? 'unknown'].flat();
    return types.map((type) => this.#plain(type, schema, direction)).join(' | ');
  }

  #plain(type: string, schema: Schema, direction: Direction): string {
    if (type === 'number' || type === 'integer') return schema.format === 'decimal' ? direction : 'number';
    if (type === 'array') return `readonly ${bracketed(this.#type(schema.items ?? {}, direction))}[]`;
    if (type === 'object') return this.#object(schema, direction);
    return type;
  }

  #object({ properties, required = [], additionalProperties }: Schema, direction: Direction): string {
    if (properties === undefined) {
      const value = typeof additionalProperties === 'object' ? this.#type(additionalProperties, direction) : 'unknown';
      return `Readonly<Record<string, ${value}>>`;
    }
    const members = Object.entries(properties).map(([name, schema]) => {
      // Answers are read by the names of their fields: a name that is a decimal in one place is one everywhere.
      const isExact = direction === 'Decimal' && this.#decimals.has(name) && schema.format !== 'decimal';
      const type = isExact ? this.#type(schema, direction).replace('number', 'Decimal') : this.#type(schema, direction);
      const about = schema.description === undefined ? '' : `/** ${schema.description.replaceAll('*/', '* /')} */ `;
      return `${about}readonly ${/^\w+$/.test(name) ? name : `'${name}'`}${required.includes(name) ? '' : '?'}: ${type};`;
    });
    return `{\n${members.join('\n')}\n}`;
  }
}

/** The names of all fields of an operation that are decimals somewhere. */
function decimalsIn(value: unknown, name = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = 'format' in value && value.format === 'decimal' ? [name] : [];
  return own.concat(Object.entries(value).flatMap(([key, part]) => decimalsIn(part, key === 'items' ? name : key)));
}

function titlesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = 'title' in value && typeof value.title === 'string' ? [value.title] : [];
  return own.concat(Object.values(value).flatMap(titlesIn));
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : String(value);
}

function bracketed(type: string): string {
  return type.includes(' | ') && !type.startsWith('{') ? `(${type})` : type;
}

if (import.meta.main) writeApi();
