/** From what was typed to what an operation is given. */
import type { Operation } from '../../contract/shared/operation.ts';
import type { Service } from '../shared/client.ts';
import { type Invocation, refuseBoth } from '../shared/command.ts';
import { deviceId, knownDevice } from '../shared/device-option.ts';
import { readInput, secretText } from '../shared/input.ts';
import { instantText } from '../shared/moment.ts';
import {
  type Field,
  fieldsOf,
  flagName,
  flagOf,
  isMoment,
  isSecret,
  negativeOf,
  type Plan,
  placeholderOf,
  readField,
  type Spoken,
} from './field.ts';
import type { Request, Row } from './row.ts';
import { isType } from './schema.ts';
import { listIn } from './show.ts';

const DEVICE = 'authorityDeviceId';
const OF_DEVICE = '--device ID: of this device; that of the demo or profile by default';

export function planOf<O extends Operation>(operation: O, row: Row<O>): Plan {
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
    const isSent = place === 'body' && (row.file !== undefined || row.whole !== undefined || name in { ...row.body });
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
  const isTwice = (label: string) => words.filter((word) => word.label === label).length > 1;
  const labelOf = ({ field, label }: (typeof words)[number]) =>
    isTwice(label) ? flagName(field.name).toUpperCase() : label;
  return { words: words.map((word) => ({ ...word, label: labelOf(word) })), options };
}

export async function requestOf<O extends Operation>(
  invocation: Invocation,
  row: Row<O>,
  plan: Plan,
  open: () => Promise<Service>,
): Promise<Request> {
  const request: Request = { params: {}, query: {}, body: { ...row.body, ...row.whole } };
  const put = async ({ name, place, schema, ...rest }: Field, label: string, text: string) => {
    const value = isMoment(name, schema)
      ? instantText(await (await open()).zone(), text)
      : readField({ name, place, schema, ...rest }, label, text);
    Object.assign(request[place], { [name]: value });
  };
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
  const finders: Readonly<Record<string, (word: string, service: Service, request: Request) => Promise<unknown>>> = {
    ...row.find,
  };
  for (const [index, { field, label, isOptional }] of plan.words.entries()) {
    const { name, place } = field;
    const [word, find] = [invocation.words[index], finders[name]];
    if (name === DEVICE && isOptional) request.params[name] = await knownDevice(invocation, word);
    else if (/^authorityDeviceId$/i.test(name)) Object.assign(request[place], { [name]: deviceId(word, undefined) });
    else if (word !== undefined && find !== undefined)
      Object.assign(request[place], { [name]: await find(word, await open(), request) });
    else if (word !== undefined) await put(field, label, word);
  }
  if (row.file !== undefined) {
    request.body = await readInput(invocation.terminal, invocation.words[plan.words.length] ?? '-', row.file);
  }
  return request;
}

/** What a file holds that is not sent as it is. */
export function fileText({ body }: Request): string {
  return Buffer.isBuffer(body) ? body.toString('utf8') : '';
}
