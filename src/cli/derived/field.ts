import type { Operation } from '../../contract/shared/operation.ts';
import { ID_PATTERN } from '../../contract/shared/values.ts';
import { CODE_PATTERN } from '../../kernel/code.ts';
import type { Option } from '../shared/command.ts';
import { usage } from '../shared/failure.ts';
import { didYouMean } from '../shared/suggestion.ts';
import { isType, mayBeNull, type Schema, schemaOf, wordsOf } from './schema.ts';

/** A part of what an operation is given, as an option or a word of the command gives it. */
export interface Field {
  readonly name: string;
  readonly place: 'params' | 'query' | 'body';
  readonly schema: Schema;
  readonly isRequired: boolean;
}

export function fieldsOf(operation: Operation): readonly Field[] {
  return (['params', 'query', 'body'] as const).flatMap((place) => {
    const { properties = {}, required = [] } = schemaOf(operation[place]);
    return Object.entries(properties).map(([name, part]) => ({
      name,
      place,
      schema: schemaOf(part),
      isRequired: required.includes(name),
    }));
  });
}

/** What a table says of an option, where the contract does not: `--flag`, `--flag VALUE`, `--flag VALUE: help`, or only the help. */
export type Spoken = string;

export interface Flag extends Option {
  readonly name: string;
}

/** Of `FiscalDeviceId` it is `--fiscal-device ID`, with the first sentence of its description. */
export function flagOf({ name, place, schema }: Field, spoken: Spoken = ''): Flag {
  const [, flag, value, help = flag === undefined ? spoken : ''] =
    /^--([a-z-]+)(?: ([^ :]+(?::MM)?))?(?:: (.+))?$/s.exec(spoken) ?? [];
  const option = { name: flag ?? flagName(name), help: help || helpOf(name, place, schema) };
  if (isType(schema, 'boolean')) return option;
  const words = (schemaOf(schema.items ?? schema).enum ?? []).filter((word) => typeof word === 'string');
  return { ...option, value: value ?? valueWord(name, schema), words };
}

/** What sends null, or false: `--no-…`, with what the description says of null. */
export function negativeOf(field: Field, positive: string, spoken: Spoken = ''): Flag | undefined {
  if (field.place !== 'body' || (!mayBeNull(field.schema) && !isType(field.schema, 'boolean'))) return undefined;
  const found = /^--([a-z-]+)(?:: (.+))?$/s.exec(spoken);
  const [flag = `no-${positive}`, help = found === null ? spoken : ''] = found?.slice(1) ?? [];
  const said = /null: ([^.]+)\./.exec(field.schema.description ?? '')?.[1];
  return { name: flag, help: help || said || 'remove it' };
}

export function flagName(name: string): string {
  const words = wordsOf(name.replace(/^AuthorityDevice/i, 'Device'));
  const isTail = words.length > 1 && ['id', 'code', 'seconds', 'at'].includes(words.at(-1) ?? '');
  return (isTail ? words.slice(0, -1) : words).join('-');
}

function valueWord(name: string, schema: Schema): string {
  const last = wordsOf(name).at(-1)?.toUpperCase() ?? '';
  if (isMoment(name, schema)) return 'TIME';
  if (last === 'CURRENCY') return 'CODE';
  return isType(schema, 'integer') && last !== 'ID' && last !== 'SECONDS' ? 'N' : last;
}

function helpOf(name: string, place: Field['place'], schema: Schema): string {
  const { description = '', enum: words = [] } = schema;
  const [, first = ''] = /^(?!null: )(?:true: )?(.*?)(?=\.(?:\s|$)|$)/s.exec(description.replace(ISO, '')) ?? [];
  const sentence = first.replaceAll('`', '');
  const isTime = isMoment(name, schema);
  const lower = /^[A-Z][a-z]*\b(?!-)/.test(sentence) ? sentence.charAt(0).toLowerCase() + sentence.slice(1) : sentence;
  const help = lower || (isTime ? 'a moment' : '');
  const only = place === 'query' ? 'only ' : '';
  const choice = words
    .filter((word) => typeof word === 'string')
    .join(', ')
    .replace(/, ([^,]*)$/, ' or $1');
  const isSaid = words.length > 6 || words.every((word) => help.includes(String(word)));
  if (help !== '') return `${isSaid ? '' : `${choice}: `}${help}${isTime ? SUCH_AS : ''}${fileHelp(name)}`;
  if (choice !== '') return only + choice;
  const noun = flagName(name).replaceAll('-', ' ');
  return (
    (only !== '' || /(?:Id|Code)$/.test(name) ? `${only}of this ${noun}` : wordsOf(name).join(' ')) + fileHelp(name)
  );
}

/** Of a moment, which may also be a day. */
const ISO = /(?:, in |: )?(?:ISO 8601|date and time) with Z or an offset(?:; )?/;
const SUCH_AS = ', such as 2026-03-14 or 2026-03-14T09:26:53Z';
const fileHelp = (name: string) => (isSecret(name) ? '; @FILE reads a file' : '');

/** It stays out of the list of processes where it comes from a file. */
export function isSecret(name: string): boolean {
  return /(?:Token|Secret|Header)$/.test(name);
}

/** A day alone is its beginning, in the zone of the service. */
export function isMoment(name: string, schema: Schema): boolean {
  return isType(schema, 'string') && /(?:^|[a-z])(?:From|To|At|Since)$/.test(name) && schema.enum === undefined;
}

/** Where a person finds the ids and codes of a noun, if it is not in the list of its own name. */
const GROUPS: Readonly<Record<string, string>> = { endpoint: 'endpoints', delivery: 'callback' };

/** What stands for it in the usage line: `ID`, `CODE`, `NUMBER`. */
export function placeholderOf({ name, schema }: Field): string {
  if (schema.pattern === '^[0-9]{1,18}$') return 'NUMBER';
  const words = wordsOf(name);
  if (/^(endpoint|delivery)Id$/.test(name)) return (words[0] ?? '').toUpperCase();
  return (isType(schema, 'integer') && words.at(-1) !== 'id' ? words.join('-') : (words.at(-1) ?? '')).toUpperCase();
}

/**
 * A text as the field takes it. Checked is what cannot be told from the refusal of the service, or is near at hand: ids, numbers and
 * words. `label` is what was typed, `--vendor` or `ID`.
 */
export function readField({ name, schema, place }: Field, label: string, text: string): unknown {
  const noun = flagName(name).replaceAll('-', ' ');
  const an = `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;
  const list = `tillseal ${GROUPS[noun] ?? noun} list`;
  const items = schema.items === undefined ? undefined : schemaOf(schema.items);
  if (items !== undefined)
    return text
      .split(',')
      .map((item) => item.trim())
      .filter(Boolean)
      .map((item) => itemOf(items, label, item));
  if (schema.pattern === ID_PATTERN && !new RegExp(ID_PATTERN).test(text))
    throw usage(`"${text}" is not the id of ${an}.`, `See the ids: ${list}`);
  if (place === 'params' && schema.pattern === CODE_PATTERN && !new RegExp(CODE_PATTERN).test(text))
    throw usage(`"${text}" is not the code of ${an}.`, `See the codes: ${list}`);
  if (schema.pattern === '^[0-9]{1,18}$' && place === 'params' && !/^\d{1,18}$/.test(text))
    throw usage(`The number of ${an} is a whole number, got "${text}".`);
  return itemOf(schema, label, text);
}

function itemOf(schema: Schema & { readonly minimum?: number }, label: string, text: string): unknown {
  const words = schema.enum?.filter((word) => typeof word === 'string');
  if (words !== undefined && !words.includes(text)) {
    const meant = didYouMean(text, words);
    if (words.length > 12) throw usage(`${label} cannot be "${text}".${meant}`, `All: ${words.join(', ')}`);
    const expected = words.length === 2 ? words.join(' or ') : `one of ${words.join(', ')}`;
    throw usage(`${label} must be ${expected}, got "${text}".${meant}`);
  }
  if (!isType(schema, 'integer')) return text;
  const { minimum = 0 } = schema;
  if (/^\d{1,15}$/.test(text) && Number(text) >= minimum) return Number(text);
  throw usage(`${label} must be a whole number${minimum > 0 ? ` from ${minimum}` : ''}, got "${text}".`);
}

export interface Plan {
  readonly words: readonly { readonly field: Field; readonly label: string; readonly isOptional: boolean }[];
  readonly options: readonly {
    readonly field: Field;
    readonly flag: Flag;
    readonly negative: Flag | undefined;
    readonly hasDefault: boolean;
  }[];
}
