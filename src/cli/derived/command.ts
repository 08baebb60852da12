/** A command that is one call of an operation: its options, their help and what is checked come from the operation. */
import { type Access, peopleAccess } from '../../contract/shared/access.ts';
import { addressOf } from '../../contract/shared/address.ts';
import type { AnswerOf, Operation } from '../../contract/shared/operation.ts';
import { type Called, type Given, openService, type Service } from '../shared/client.ts';
import { CONNECTION, type Command, type Invocation, type Options, printsJson, wholeNumber } from '../shared/command.ts';
import { usage } from '../shared/failure.ts';
import { CSV_OPTION, type ItemOf, PAGING, printListOf } from '../shared/pages.ts';
import type { Role } from '../shared/problem-failure.ts';
import { saveDownload } from '../shared/save-download.ts';
import { printFacts, tablePrinter } from '../shared/table.ts';
import { examplesOf, exampleValue } from './example.ts';
import type { Plan } from './field.ts';
import { planOf, requestOf } from './request.ts';
import type { Request, Row } from './row.ts';
import { type Schema, schemaOf, wordsOf } from './schema.ts';
import { columnsOf, factsOf, listIn, plainFields, tablesIn } from './show.ts';

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
  const flags = plan.options.flatMap(({ flag, negative }) => (negative === undefined ? [flag] : [flag, negative]));
  return {
    name,
    summary: `${row.summary ?? `${operation.summary}.`}${role}`,
    arguments: [
      ...plan.words.map(({ label, isOptional }) => (isOptional ? `[${label}]` : label)),
      ...(row.file === undefined ? [] : ['FILE|-']),
    ],
    options: {
      ...Object.fromEntries(flags.map(({ name: flag, ...option }) => [flag, option])),
      ...row.options,
      ...(row.csv && CSV_OPTION),
      ...(listIn(operation) && PAGING),
      ...(operation.answer.otherContents && OUT_OPTION),
      ...DRY_RUN,
      ...CONNECTION,
    },
    ...(row.details === undefined ? {} : { details: row.details }),
    examples: examplesOf(name, operation, plan, row.examples),
    run: (invocation) => run(invocation, operation, row, plan, name),
  };
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
    const example = flag.value === undefined ? '' : exampleValue(operation, field, '');
    const lines = example === undefined ? [] : [`For example: --${flag.name} ${example}`.trimEnd()];
    throw usage(`--${flag.name} is missing.`, ...lines);
  }
  const isEmpty = !Buffer.isBuffer(request.body) && Object.keys(request.body).length === 0;
  if (operation.method === 'PATCH' && isEmpty) {
    throw usage('Nothing to set: give at least one of the options.', `See: tillseal ${name} --help`);
  }
  const format = formatOf(invocation, operation, row.format);
  const query = { ...request.query, ...(format && { format }) };
  const { params, body } = request;
  const headers = row.headers?.(invocation);
  const given = { params, query, headers, body: operation.body && body } as unknown as Given<O>;
  const service = await open();
  const list = listIn(operation);
  if (invocation.isSet('dry-run')) {
    const [Limit, Cursor] = [wholeNumber(invocation, 'limit', 1), invocation.text('cursor')];
    return service.show(operation, list === undefined ? given : { ...given, query: { ...query, Limit, Cursor } });
  }
  if (format !== undefined) return saveDocument(invocation, service, operation, given, format);
  if (list !== undefined) {
    const { columns = plainFields<ItemOf<O>>(list.item), noun = list.key.toLowerCase(), csv } = row;
    return printListOf(invocation, service, operation, {
      given,
      noun,
      key: list.key,
      columns: columnsOf(columns, await service.zone(), list.item),
      ...(csv && { csv }),
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
  const { value, text, zone, header } = called;
  if (row.end !== undefined) invocation.end(row.end(value));
  if (printsJson(invocation, text)) return;
  const schema = schemaOf(operation.answer.schema);
  const { facts = plainFields<AnswerOf<O>>(schema) } = row;
  if (row.isJson) terminal.print(text);
  else if (row.say !== undefined) terminal.print(row.say(value, zone, request));
  else {
    const shown = typeof facts === 'function' ? facts(value, zone) : factsOf(facts, schema, value, zone);
    printFacts(terminal, [...shown, ...((await row.andFacts?.(value, service)) ?? [])]);
    let isFirst = shown.length === 0;
    for (const { key, item } of typeof facts === 'function' && !row.tables ? [] : tablesIn(schema)) {
      const columns = columnsOf<object>(Object(row.tables)[key] ?? plainFields(item), zone, item);
      const rows: readonly object[] = Object(value)[key] ?? [];
      if (rows.length === 0 || columns.length === 0) continue;
      if (!isFirst) terminal.print('');
      isFirst = false;
      tablePrinter(terminal, columns)(rows);
    }
  }
  const notes = [...shownOnce(schema, Object(value)), ...(row.notes?.(value) ?? []), ...(row.heard?.(header) ?? [])];
  for (const note of notes) terminal.note(note);
}

/** What the contract says is never shown again. */
function shownOnce({ properties = {} }: Schema, value: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(properties)
    .filter(([name, { description = '' }]) => /\bShown (?:only )?once\b/.test(description) && value[name] !== null)
    .map(([name]) => `Keep the ${wordsOf(name).join(' ')}, or give it to its owner, now: it is never shown again.`);
}

/** What the ending of a file says of its format, where that has another name. */
const ENDINGS: Readonly<Record<string, string>> = { bin: 'escpos', htm: 'html', txt: 'text' };

const OUT_OPTION: Options = {
  out: { value: 'FILE', help: 'write it to this file, in the format of its extension; - is standard output' },
};

/** The format that was asked for, else that of the file's ending, else the usual one; undefined is an answer as JSON. */
function formatOf(invocation: Invocation, operation: Operation, usual: string | undefined): string | undefined {
  const formats = schemaOf(operation.query).properties?.['format']?.enum;
  if (formats === undefined || (invocation.isSet('json') && formats.includes('json'))) return undefined;
  const file = invocation.text('out') ?? '-';
  const ending = file.split('.').at(-1)?.toLowerCase() ?? '';
  const meant = ENDINGS[ending] ?? (formats.includes(ending) ? ending : 'pdf');
  const format = invocation.text('format') ?? (file === '-' ? usual : meant);
  return format === 'json' && file === '-' ? undefined : format;
}

/** Fetches a document and writes it where it was asked for. */
async function saveDocument<O extends Operation>(
  invocation: Invocation,
  service: Service,
  { path }: O,
  { params, query }: Given<O>,
  format: string,
): Promise<void> {
  const file = invocation.text('out') ?? '-';
  if (file === '-' && !['text', 'html', 'csv'].includes(format) && invocation.terminal.output.isTTY === true) {
    throw usage(`A terminal cannot show ${format}.`, 'Give a file: --out receipt.pdf');
  }
  await saveDownload(invocation, service.download(addressOf(path, params, query)), file);
}
