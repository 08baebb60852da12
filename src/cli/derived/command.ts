/** A command that is one call of an operation: its options, their help and what is checked come from the operation. */
import { type Access, peopleAccess } from '../../contract/shared/access.ts';
import type { AnswerOf, BodyOf, Operation } from '../../contract/shared/operation.ts';
import { type Called, type Given, openService, type Service } from '../shared/client.ts';
import {
  CONNECTION,
  type Command,
  type Invocation,
  type Options,
  printsJson,
  refuseBoth,
  wholeNumber,
} from '../shared/command.ts';
import { deviceId, knownDevice } from '../shared/device-option.ts';
import { type ExitCode, usage } from '../shared/failure.ts';
import { readInput, secretText } from '../shared/input.ts';
import { instantText } from '../shared/moment.ts';
import { CSV_OPTION, type ItemOf, PAGING, printListOf } from '../shared/pages.ts';
import type { Role } from '../shared/problem-failure.ts';
import { type Fact, printFacts } from '../shared/table.ts';
import type { Terminal } from '../shared/terminal.ts';
import { examplesOf, exampleValue } from './example.ts';
import {
  type Field,
  fieldsOf,
  flagOf,
  isMoment,
  isSecret,
  negativeOf,
  type Plan,
  placeholderOf,
  readField,
  type Spoken,
} from './field.ts';
import { isType, schemaOf } from './schema.ts';
import { type Cells, columnsOf, factsOf, listIn, plainCells } from './show.ts';

type Names<Of> = Of extends object ? keyof Of & string : never;
type FieldName<O extends Operation> =
  | Names<BodyOf<O>>
  | Names<Given<O>['params']>
  | Names<NonNullable<Given<O>['query']>>;

/** What the operation does not say of its command. */
export interface Row<O extends Operation> {
  /** Instead of the summary of the operation. */
  readonly summary?: string;
  readonly details?: string;
  /** What follows the name and the words of the command in its examples, or a whole line. */
  readonly examples?: readonly string[];
  /** Which fields are words, in their order; in brackets where one may be left out. The parameters of the path unless it says otherwise. */
  readonly words?: readonly (FieldName<O> | `[${FieldName<O>}]`)[];
  /** What stands for a word in the usage line, where its name does not say it well. */
  readonly labels?: { readonly [Name in FieldName<O>]?: string };
  /** What a word is for the operation, such as the id of an operator whose email was typed. */
  readonly find?: { readonly [Name in FieldName<O>]?: (word: string, service: Service) => Promise<unknown> };
  /** Hand-chosen names and help of options; `false`: no option. */
  readonly flags?: { readonly [Name in FieldName<O>]?: Spoken | false };
  /** The same of the options that send null or false; there are none unless the command changes something. */
  readonly negatives?: { readonly [Name in FieldName<O>]?: Spoken | false };
  /** Sent whatever is given. Alone, with no field of the body as an option, where `isWhole`. */
  readonly body?: Partial<BodyOf<O>>;
  readonly isWhole?: true;
  /** The body comes from a file: what it is, for people. */
  readonly file?: string;
  /** Further options, and what they do to the request. */
  readonly options?: Options;
  readonly amend?: (request: Request, invocation: Invocation, open: () => Promise<Service>) => Promise<void> | void;
  /** Another operation of the same kind, such as the one for operators. */
  readonly instead?: (invocation: Invocation) => Promise<Operation | undefined> | Operation | undefined;
  /** Of a list. */
  readonly columns?: Cells<ItemOf<O>> | ((service: Service, request: Request) => Promise<Cells<ItemOf<O>>>);
  readonly noun?: string;
  readonly csv?: Operation;
  /** Of one thing: what is shown of it, or a sentence. Every field of it unless it says otherwise. */
  readonly facts?: Cells<AnswerOf<O>> | ((value: AnswerOf<O>, zone: string) => Fact[]);
  /** Facts that take another question. */
  readonly andFacts?: (value: AnswerOf<O>, service: Service) => Promise<Fact[]>;
  readonly say?: (value: AnswerOf<O>, zone: string, request: Request) => string;
  readonly print?: (terminal: Terminal, value: AnswerOf<O>, zone: string) => void;
  /** Below the facts. */
  readonly more?: (terminal: Terminal, value: AnswerOf<O>, zone: string) => void;
  /** Said beside the answer. */
  readonly notes?: (value: AnswerOf<O>) => readonly string[];
  readonly progress?: string;
  readonly end?: (value: AnswerOf<O>) => ExitCode;
}

export interface Request {
  readonly params: Record<string, unknown>;
  readonly query: Record<string, unknown>;
  body: Record<string, unknown> | Buffer;
}

const DEVICE = 'authorityDeviceId';
const OF_DEVICE = '--device ID: of this device; that of the demo or profile by default';
export const DRY_RUN: Options = { 'dry-run': { help: 'print the request instead of sending it' } };

export function roleOf(access: Access): Role {
  if (peopleAccess(access) !== undefined) return 'operator';
  return access === 'anybody' ? 'anybody' : 'taxpayer';
}

/** `tillseal NAME` calls the operation. */
export function derived<const O extends Operation>(name: string, operation: O, row: Row<O> = {}): Command {
  const plan = planOf(operation, row);
  const least = peopleAccess(operation.access)?.installation;
  const role = least === undefined ? '' : ` (${least})`;
  const list = listIn(operation);
  const flags = plan.options.flatMap(({ flag, negative }) => (negative === undefined ? [flag] : [flag, negative]));
  const command: Omit<Command, 'examples'> = {
    name,
    summary: `${row.summary ?? `${operation.summary}.`}${role}`,
    arguments: [
      ...plan.words.map(({ label, isOptional }) => (isOptional ? `[${label}]` : label)),
      ...(row.file === undefined ? [] : ['FILE|-']),
    ],
    options: {
      ...Object.fromEntries(flags.map(({ name: flag, ...option }) => [flag, option])),
      ...row.options,
      ...(row.csv === undefined ? {} : CSV_OPTION),
      ...(list === undefined ? {} : PAGING),
      ...DRY_RUN,
      ...CONNECTION,
    },
    ...(row.details === undefined ? {} : { details: row.details }),
    run: (invocation) => run(invocation, operation, row, plan, name),
  };
  return { ...command, examples: examplesOf(name, operation, plan, row.examples) };
}

function planOf<O extends Operation>(operation: O, row: Row<O>): Plan {
  const fields = fieldsOf(operation);
  const named: readonly string[] =
    row.words ?? fields.filter(({ place }) => place === 'params').map(({ name }) => name);
  const labels: Readonly<Record<string, string>> = { ...row.labels };
  const words = named.flatMap((word) => {
    const field = fields.find(({ name }) => name === word.replaceAll(/[[\]]/g, ''));
    if (field === undefined) return [];
    return [{ field, label: labels[field.name] ?? placeholderOf(field), isOptional: word.startsWith('[') }];
  });
  const spoken: Readonly<Record<string, Spoken | false>> = { ...row.flags };
  const negatives: Readonly<Record<string, Spoken | false>> = { ...row.negatives };
  const isPage = listIn(operation) !== undefined;
  const options = fields.flatMap((field) => {
    const { name, place } = field;
    const said = spoken[name];
    const isSent = place === 'body' && (row.file !== undefined || row.isWhole || name in { ...row.body });
    if (said === false || isSent || words.some((word) => word.field === field)) return [];
    if (isPage && (name === 'Limit' || name === 'Cursor')) return [];
    const hasDefault = name === DEVICE && place === 'params';
    const spokenFlag = flagOf(field, said ?? (hasDefault ? OF_DEVICE : undefined));
    const { default: usual = false } = operation.method === 'POST' && place === 'body' ? field.schema : {};
    const flag = usual === false ? spokenFlag : { ...spokenFlag, help: `${spokenFlag.help} (${String(usual)})` };
    const isChange = operation.method === 'PATCH' || negatives[name] !== undefined;
    const other = negatives[name];
    const negative = isChange && other !== false ? negativeOf(field, flag.name, other) : undefined;
    return [{ field, flag, negative, hasDefault }];
  });
  return { words, options };
}

async function run<O extends Operation>(
  invocation: Invocation,
  first: O,
  row: Row<O>,
  plan: Plan,
  name: string,
): Promise<void> {
  const operation = ((await row.instead?.(invocation)) ?? first) as O;
  const open = () => (opened ??= openService(invocation, roleOf(operation.access)));
  let opened: Promise<Service> | undefined;
  const request = await requestOf(invocation, row, plan, open);
  await row.amend?.(request, invocation, open);
  for (const { field, flag } of plan.options) {
    if (!field.isRequired || field.name in request[field.place]) continue;
    const example = exampleValue(operation, field, '');
    throw usage(
      `--${flag.name} is missing.`,
      ...(example === undefined ? [] : [`For example: --${flag.name} ${example}`]),
    );
  }
  const isEmpty = !Buffer.isBuffer(request.body) && Object.keys(request.body).length === 0;
  if (operation.method === 'PATCH' && isEmpty) {
    throw usage('Nothing to set: give at least one of the options.', `See: tillseal ${name} --help`);
  }
  const { params, query } = request;
  const body = operation.body === undefined ? undefined : request.body;
  const given = { params, query, body } as unknown as Given<O>;
  const service = await open();
  const list = listIn(operation);
  if (invocation.isSet('dry-run')) {
    const [Limit, Cursor] = [wholeNumber(invocation, 'limit', 1), invocation.text('cursor')];
    return service.show(operation, list === undefined ? given : { ...given, query: { ...query, Limit, Cursor } });
  }
  if (list !== undefined) {
    const { columns = plainCells<ItemOf<O>>(list.item), noun = list.key.toLowerCase(), csv } = row;
    const zone = await service.zone();
    const cells = typeof columns === 'function' ? await columns(service, request) : columns;
    return printListOf(invocation, service, operation, {
      given,
      noun,
      key: list.key,
      columns: (items) => columnsOf(cells, list.item, zone, items),
      ...(csv === undefined ? {} : { csv }),
    });
  }
  if (row.progress !== undefined) invocation.terminal.progress(row.progress);
  return print(invocation, await service.call(operation, given), operation, row, request, service);
}

async function print<O extends Operation>(
  invocation: Invocation,
  called: Called<O>,
  operation: O,
  row: Row<O>,
  request: Request,
  service: Service,
): Promise<void> {
  const { terminal } = invocation;
  const { value, text, zone } = called;
  if (row.end !== undefined) invocation.end(row.end(value));
  if (printsJson(invocation, text)) return;
  const schema = schemaOf(operation.answer.schema);
  const { facts = plainCells<AnswerOf<O>>(schema) } = row;
  if (row.print !== undefined) row.print(terminal, value, zone);
  else if (row.say !== undefined) terminal.print(row.say(value, zone, request));
  else {
    const shown = typeof facts === 'function' ? facts(value, zone) : factsOf(facts, schema, value, zone);
    printFacts(terminal, [...shown, ...((await row.andFacts?.(value, service)) ?? [])]);
  }
  row.more?.(terminal, value, zone);
  for (const note of row.notes?.(value) ?? []) terminal.note(note);
}

async function requestOf<O extends Operation>(
  invocation: Invocation,
  row: Row<O>,
  plan: Plan,
  open: () => Promise<Service>,
): Promise<Request> {
  const request: Request = { params: {}, query: {}, body: { ...row.body } };
  const put = async ({ name, place, schema, ...rest }: Field, label: string, text: string) => {
    const value = isMoment(name, schema)
      ? instantText(await (await open()).zone(), text)
      : readField({ name, place, schema, ...rest }, label, text);
    Object.assign(request[place], { [name]: value });
  };
  const finders: Readonly<Record<string, (word: string, service: Service) => Promise<unknown>>> = { ...row.find };
  for (const [index, { field, label, isOptional }] of plan.words.entries()) {
    const { name, place } = field;
    const [word, find] = [invocation.words[index], finders[name]];
    if (name === DEVICE && isOptional) request.params[name] = await knownDevice(invocation, word);
    else if (/^authorityDeviceId$/i.test(name)) Object.assign(request[place], { [name]: deviceId(word, undefined) });
    else if (word !== undefined && find !== undefined)
      Object.assign(request[place], { [name]: await find(word, await open()) });
    else if (word !== undefined) await put(field, label, word);
  }
  for (const { field, flag, negative, hasDefault } of plan.options) {
    if (negative !== undefined) refuseBoth(invocation, flag.name, negative.name);
    const text = isSecret(field.name) ? await secretText(invocation, flag.name) : invocation.text(flag.name);
    const target = request[field.place];
    if (hasDefault) Object.assign(target, { [field.name]: await knownDevice(invocation, text) });
    else if (text !== undefined) await put(field, `--${flag.name}`, text);
    else if (invocation.isSet(flag.name)) Object.assign(target, { [field.name]: true });
    else if (negative !== undefined && invocation.isSet(negative.name))
      Object.assign(target, { [field.name]: isType(field.schema, 'boolean') ? false : null });
  }
  if (row.file !== undefined) {
    request.body = await readInput(invocation.terminal, invocation.words[plan.words.length] ?? '-', row.file);
  }
  return request;
}
