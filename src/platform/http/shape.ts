import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { DataValidationCxt } from 'ajv/dist/types/index.js';
import { SOME_OF } from '../../contract/shared/schemas.ts';
import { IF_MISSING, IGNORED_EMPTY, OTHER_NAMES, RULES_APART, UNIT } from '../../contract/shared/vocabulary.ts';
import { closest, distance } from '../../kernel/distance.ts';
import type { Violation } from '../../kernel/refusal.ts';
import type { ExactJson } from '../json/exact-json.ts';

/**
 * The two passes over a request (docs/signing.md, "Errors"): first JSON types, missing and unknown keys, all of them at
 * once; then, if the shape holds, lengths, patterns and enumerations. A schema marked RULES_APART leaves the second pass to
 * the rules of its area, which know their own codes.
 */
export type ShapeCheck<Checked> = (checked: Checked) => Violation[];

const MAX_ERRORS = 100;
/** For messages only. */
const NOTES = [OTHER_NAMES, IF_MISSING, IGNORED_EMPTY, SOME_OF, UNIT];
const SHAPE_KEYWORDS = new Set(['type', 'properties', 'required', 'additionalProperties', 'items', ...NOTES]);

const bodies = new Ajv({
  allErrors: true,
  verbose: true,
  coerceTypes: false,
  allowUnionTypes: true,
  passContext: true,
});
const queries = new Ajv({ allErrors: true, verbose: true, coerceTypes: true, allowUnionTypes: true });

for (const ajv of [bodies, queries]) {
  ajv.addVocabulary(NOTES);
  ajv.addFormat('decimal', true);
}

/** On a decimal in a body: its digits may also come as text, `"12.50"`. Looked at for texts only, so numbers pay nothing. */
const DIGITS = 'x-digits';
const DIGITS_TEXT = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

bodies.addKeyword({
  keyword: DIGITS,
  type: 'string',
  modifying: true,
  validate(this: ExactJson, _keyword: unknown, text: string, _schema: unknown, at?: DataValidationCxt) {
    if (at === undefined || !DIGITS_TEXT.test(text)) return false;
    this.takeDigits(at.parentData, String(at.parentDataProperty), text);
    return true;
  },
});

/** As every currency of the contract has it. */
const CURRENCY_PATTERN = '^[A-Z]{3}$';
const PLAIN_INTEGER = /^-?\d{1,15}$/;

export const bodyShape = whenAsked<ExactJson>((schema) => {
  const shape = bodies.compile(onlyShape(schema));
  const values = RULES_APART in schema ? undefined : bodies.compile(schema);
  const lists = boundedLists(schema);
  return (json) => {
    const violations = tooManyItems(lists, json.value) ?? violationsOf(shape, json.value, json);
    return violations.length > 0 || values === undefined ? violations : violationsOf(values, json.value, json);
  };
});

/** Query strings and path parameters: one pass for all of it. Values are coerced, since all are text. */
export const queryShape = whenAsked<unknown>((schema) => {
  const validate = queries.compile(schema);
  const integers = integerFields(schema);
  return (value) => {
    const violations = [...zeroBytes(value), ...oddNumbers(value, integers)];
    return violations.length > 0 ? violations : violationsOf(validate, value);
  };
});

/** Compiling the schemas of all operations would take most of a start, and few of them are asked soon: each is at its first request. */
function whenAsked<Checked>(compile: (schema: object) => ShapeCheck<Checked>) {
  const compiled = new WeakMap<object, ShapeCheck<Checked>>();
  return (schema: object): ShapeCheck<Checked> =>
    (checked) => {
      const check = compiled.get(schema) ?? compile(schema);
      compiled.set(schema, check);
      return check(checked);
    };
}

/** PostgreSQL takes no zero byte in text, and nothing here has one. In bodies the JSON parser sees to it. */
function zeroBytes(query: unknown): Violation[] {
  return Object.entries(Object(query))
    .filter(([, value]) => typeof value === 'string' && value.includes('\u0000'))
    .map(([Field]) => ({ Field, Code: 'Malformed', Message: 'must not contain a zero byte' }));
}

function integerFields(schema: object): ReadonlySet<string> {
  const properties = 'properties' in schema ? Object.entries(Object(schema.properties)) : [];
  return new Set(properties.flatMap(([name, part]) => (Object(part).type === 'integer' ? [name] : [])));
}

/** `1e400` and `Infinity` become an infinite number, for which Ajv skips minimum and maximum; `0x10` is no way to write 16. */
function oddNumbers(query: unknown, integers: ReadonlySet<string>): Violation[] {
  return Object.entries(Object(query))
    .filter(([name, text]) => integers.has(name) && typeof text === 'string' && !PLAIN_INTEGER.test(text))
    .map(([Field]) => ({ Field, Code: 'WrongType', Message: 'must be a whole number in plain digits' }));
}

function onlyShape(schema: object): object {
  const { format, type }: { format?: unknown; type?: unknown } = schema;
  const parts = Object.entries(schema)
    .filter(([keyword]) => SHAPE_KEYWORDS.has(keyword))
    .map(([keyword, value]) => {
      if (keyword === 'items') return [keyword, onlyShape(value)];
      if (keyword !== 'properties') return [keyword, value];
      return [
        keyword,
        Object.fromEntries(Object.entries<object>(value).map(([name, part]) => [name, onlyShape(part)])),
      ];
    });
  const digits = format === 'decimal' ? { type: [type, 'string'].flat(), [DIGITS]: true } : {};
  return { ...Object.fromEntries(parts), ...digits };
}

/** Looked at before anything else: a list of a hundred thousand wrong entries must not become as many errors. */
function tooManyItems(lists: readonly BoundedList[], value: unknown): Violation[] | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const found: Violation[] = [];
  for (const { name, most } of lists) {
    const list: unknown = Reflect.get(value, name);
    if (Array.isArray(list) && list.length > most) {
      found.push({ Field: name, Code: 'TooMany', Message: `at most ${most} entries, got ${list.length}` });
    }
  }
  return found.length === 0 ? undefined : found;
}

interface BoundedList {
  readonly name: string;
  readonly most: number;
}

function boundedLists(schema: object): BoundedList[] {
  const properties = 'properties' in schema ? (schema.properties as Record<string, { maxItems?: number }>) : {};
  return Object.entries(properties).flatMap(([name, { maxItems }]) =>
    maxItems === undefined ? [] : [{ name, most: maxItems }],
  );
}

function violationsOf(validate: ValidateFunction, value: unknown, json?: ExactJson): Violation[] {
  if (validate.call(json, value)) return [];
  const errors = gatherAlike((validate.errors ?? []).filter((error) => !dropEmpty(error)).slice(0, MAX_ERRORS));
  // It would keep them, and the body with them, until the next request of this kind.
  validate.errors = null;
  return errors;
}

/** Typed programs send every field they know: one that means nothing here and says nothing is taken out, not refused. */
function dropEmpty({ keyword, params, data, parentSchema }: ErrorObject): boolean {
  if (keyword !== 'additionalProperties') return false;
  const name = String(params['additionalProperty']);
  const value: unknown = Reflect.get(Object(data), name);
  const known: unknown = parentSchema?.[IGNORED_EMPTY];
  const isEmpty = value === null || value === '';
  const isUnset = value === 0 || (Array.isArray(value) && value.length === 0);
  if (!isEmpty && !(isUnset && Array.isArray(known) && known.includes(name))) return false;
  return Reflect.deleteProperty(Object(data), name);
}

/** Twenty names in the wrong case, or whole numbers in quotes, are one mistake, and told once. */
function gatherAlike(errors: readonly ErrorObject[]): Violation[] {
  const cased = errors.filter((error) => capital(error) !== undefined);
  const meant = new Set(cased.map((error) => `${error.instancePath}/${capital(error)}`));
  const quoted = errors.filter(isQuoted);
  const rest = errors.filter(
    (error) =>
      !cased.includes(error) &&
      !quoted.includes(error) &&
      !(error.keyword === 'required' && meant.has(`${error.instancePath}/${error.params['missingProperty']}`)),
  );
  return [
    ...firstOf(cased, 'names begin with a capital letter: '),
    ...firstOf(quoted, 'must come without quotes: '),
    ...rest.map(violationOf),
  ];
}

/** The name that was meant, where only its first letter is small. */
function capital({ keyword, params, parentSchema }: ErrorObject): string | undefined {
  if (keyword !== 'additionalProperties') return undefined;
  const name = String(params['additionalProperty']);
  const upper = name.charAt(0).toUpperCase() + name.slice(1);
  return upper !== name && Object.hasOwn(Object(parentSchema?.['properties']), upper) ? upper : undefined;
}

const QUOTED = /^(?:-?\d+|true|false)$/;

function isQuoted({ keyword, data, parentSchema, params }: ErrorObject): boolean {
  const isPlain = /integer|boolean/.test(String(params['type'])) && parentSchema?.[DIGITS] !== true;
  return keyword === 'type' && isPlain && typeof data === 'string' && QUOTED.test(data);
}

function firstOf(errors: readonly ErrorObject[], words: string): Violation[] {
  const [first] = errors;
  if (first === undefined) return [];
  const names = new Set(errors.map((error) => capital(error) ?? fieldPath(error.instancePath)));
  return [{ ...violationOf(first), Message: `${words}${[...names].join(', ')}` }];
}

function violationOf(error: ErrorObject): Violation {
  const at = fieldPath(error.instancePath);
  const inside = (name: string) => (at === '' ? name : `${at}.${name}`);
  switch (error.keyword) {
    case 'required': {
      const name = String(error.params['missingProperty']);
      return { Field: inside(name), Code: 'Required', Message: `${name} is missing${missingHint(name, error)}` };
    }
    case 'additionalProperties': {
      const name = String(error.params['additionalProperty']);
      return {
        Field: inside(name),
        Code: 'UnknownField',
        Message: `there is no field ${name}${suggestion(name, error)}`,
      };
    }
    case 'type':
    case DIGITS:
      return { Field: at || '(body)', Code: 'WrongType', Message: wrongType(error) };
    case 'maxLength':
      return { Field: at, Code: 'TooLong', Message: `at most ${error.params['limit']} characters` };
    case 'enum':
      return notOneOf(at, error.params['allowedValues']);
    default: {
      const words: unknown = error.parentSchema?.[SOME_OF];
      if (words !== undefined) return notOneOf(at, words, ', or several of them with commas');
      return { Field: at, Code: 'Malformed', Message: malformed(error) };
    }
  }
}

function notOneOf(Field: string, words: unknown, hint = ''): Violation {
  return { Field, Code: 'NotOneOf', Message: `must be one of ${[words].flat().join(', ')}${hint}` };
}

/** What is wrong, and what the schema says the field is for, unless it only names another field. */
function malformed(error: ErrorObject): string {
  const description: unknown = error.parentSchema?.['description'];
  const isTold = typeof description === 'string' && !description.startsWith('The same as');
  return isTold ? `${plainWords(error)} (${description.replace(/\.$/, '')})` : plainWords(error);
}

function plainWords({ keyword, params, data, parentSchema, message = 'is not valid' }: ErrorObject): string {
  if (params['pattern'] === CURRENCY_PATTERN) {
    const upper = String(data).toUpperCase();
    return `must be a currency in capital letters, such as ${/^[A-Z]{3}$/.test(upper) ? upper : 'USD'}`;
  }
  if (keyword === 'minLength') return 'must not be empty';
  if (keyword === 'minimum') return ['must be at least', params['limit'], parentSchema?.[UNIT] ?? ''].join(' ').trim();
  if (keyword === 'maximum') return `must be at most ${params['limit']}`;
  const digits = /^\^\[0-9\]\{1,(\d+)\}\$$/.exec(String(params['pattern']))?.[1];
  return digits === undefined ? message : `must be a whole number of at most ${digits} digits`;
}

function missingHint(name: string, error: ErrorObject): string {
  const hint: unknown = error.parentSchema?.['properties']?.[name]?.[IF_MISSING];
  return typeof hint === 'string' ? `: ${hint}` : '';
}

function suggestion(name: string, error: ErrorObject): string {
  const known = Object.keys(error.parentSchema?.['properties'] ?? {});
  if (known.length === 0 || name.length > 60) return '';
  const other: unknown = Object(error.parentSchema?.[OTHER_NAMES])[name.toLowerCase()];
  if (typeof other === 'string') return `: did you mean ${other}?`;
  const letters = name.toLowerCase();
  const same =
    known.find((candidate) => candidate.toLowerCase() === letters) ??
    known.find((candidate) => candidate.length > 4 && letters.startsWith(candidate.toLowerCase()));
  const nearest = same ?? closest(name, known);
  const isNear = same !== undefined || distance(name, nearest) <= Math.max(2, Math.floor(name.length / 3));
  return isNear ? `: did you mean ${nearest}?` : '';
}

function wrongType(error: ErrorObject): string {
  if (error.parentSchema?.[DIGITS] === true) {
    const isWhole = [error.parentSchema['type']].flat().includes('integer');
    const wanted = isWhole
      ? 'a whole number, or its digits as text'
      : 'a number, or its digits as text such as "12.50"';
    const got = typeof error.data === 'string' ? JSON.stringify(error.data.slice(0, 30)) : nameOf(error.data);
    return `must be ${wanted}, got ${got}`;
  }
  const expected = [error.params['type']].flat().filter((type) => type !== 'null');
  const wanted = expected.map((type) => TYPE_NAMES[String(type)] ?? String(type)).join(' or ');
  const numeric = expected.some((type) => type === 'number' || type === 'integer');
  const hint = numeric && typeof error.data === 'string' ? ', without quotes' : '';
  return `must be ${wanted}${hint}, got ${nameOf(error.data)}`;
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
};

function nameOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'number' && !Number.isInteger(value)) return String(value);
  return TYPE_NAMES[typeof value] ?? typeof value;
}

/** `/ReceiptLines/0/HsCode` becomes `ReceiptLines[0].HsCode`. */
function fieldPath(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part, index) => (/^\d+$/.test(part) ? `[${part}]` : index === 0 ? part : `.${part}`))
    .join('');
}
