import { OPERATIONS } from '../../contract/index.ts';
import type { Snippet } from './markdown.ts';

/** A call of the API as a guide shows it with curl. */
interface Call {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/**
 * The same call with our clients, so that a guide shows a call once. `client` is what their pages begin with. Nothing for what is
 * more than one call, or one of operators.
 */
export function callSnippets(curl: string): Snippet[] {
  const call = readCurl(curl);
  if (call === undefined) return [];
  return (['ts', 'php', 'python', 'csharp'] as const).map((language) => ({
    language,
    text: [WRITERS[language](call)],
  }));
}

function readCurl(curl: string): Call | undefined {
  const address = /["' ]\$\w*URL(\/api\/(?!admin\b)[^"'\s]+)/.exec(curl)?.[1];
  if (address === undefined || curl.match(/^curl /gm)?.length !== 1 || /[@`]|\$\(/.test(curl)) return undefined;
  const [path = '', query = ''] = address.split('?');
  const body = /(?:-d|--data) '(.*?)'/s.exec(curl)?.[1];
  return {
    method: /-X (\w+)/.exec(curl)?.[1] ?? (body === undefined ? 'GET' : 'POST'),
    path,
    query: Object.fromEntries(new URLSearchParams(query)),
    body: body === undefined ? undefined : JSON.parse(body),
  };
}

/** How a language writes values. Amounts are text or whole numbers in all of them: none may become a float on the way. */
interface Notation {
  readonly text: (value: string) => string;
  readonly amount: (digits: string) => string;
  readonly object: (fields: readonly (readonly [string, string])[]) => string;
  readonly list: (items: readonly string[]) => string;
}

function written(value: unknown, notation: Notation): string {
  if (Array.isArray(value)) return notation.list(value.map((item) => written(item, notation)));
  if (typeof value === 'number') return notation.amount(String(value));
  if (typeof value === 'string') return notation.text(value);
  if (typeof value !== 'object' || value === null) throw new Error('no guide has sent such a value before');
  return notation.object(Object.entries(value).map(([name, part]) => [name, written(part, notation)]));
}

const quoted = (value: string) => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
const doubly = (value: string) => JSON.stringify(value);

const TYPESCRIPT: Notation = {
  text: quoted,
  amount: quoted,
  object: (fields) => `{ ${fields.map(([name, value]) => `${name}: ${value}`).join(', ')} }`,
  list: (items) => `[${items.join(', ')}]`,
};
const PHP: Notation = {
  text: quoted,
  amount: quoted,
  object: (fields) => `[${fields.map(([name, value]) => `${quoted(name)} => ${value}`).join(', ')}]`,
  list: (items) => `[${items.join(', ')}]`,
};
const PYTHON: Notation = {
  text: doubly,
  amount: (digits) => `Decimal("${digits}")`,
  object: (fields) => `{${fields.map(([name, value]) => `${doubly(name)}: ${value}`).join(', ')}}`,
  list: (items) => `[${items.join(', ')}]`,
};
const CSHARP: Notation = {
  text: doubly,
  amount: (digits) => `${digits}m`,
  object: (fields) =>
    `new Dictionary<string, object> { ${fields.map(([name, value]) => `[${doubly(name)}] = ${value}`).join(', ')} }`,
  list: (items) => `new object[] { ${items.join(', ')} }`,
};

const WRITERS = {
  ts: (call: Call) => {
    const { path, params } = operationOf(call);
    const given = { ...(hasAny(params) && { params }), ...(hasAny(call.query) && { query: call.query }) };
    const parts = { ...given, ...(call.body === undefined ? {} : { body: call.body }) };
    const words = [quoted(call.method), quoted(path), ...(hasAny(parts) ? [written(parts, TYPESCRIPT)] : [])];
    return `const answer = await client.call(${words.join(', ')});`;
  },
  php: (call: Call) => `$answer = $client->call(${partsOf(call, PHP, quoted, (name) => `${name}: `)});`,
  python: (call: Call) => `answer = client.call(${partsOf(call, PYTHON, doubly, (name) => `${name}=`)})`,
  csharp: ({ method, path, query, body }: Call) => {
    const sent = body === undefined ? '' : `, ${written(body, CSHARP)}`;
    const asked = hasAny(query) ? `, query: ${written(query, CSHARP)}` : '';
    return `var answer = await client.CallAsync<object>(${doubly(method)}, ${doubly(path)}${sent}${asked});`;
  },
};

function partsOf(call: Call, notation: Notation, quote: typeof quoted, named: (name: string) => string): string {
  const parts = [quote(call.method), quote(call.path)];
  if (hasAny(call.query)) parts.push(named('query') + written(call.query, notation));
  if (call.body !== undefined) parts.push(named('body') + written(call.body, notation));
  return parts.join(', ');
}

/** As the contract has it: `/api/receipt/:reference`, and what stands for each parameter. */
function operationOf({ method, path }: Call) {
  for (const operation of OPERATIONS) {
    const pattern = new RegExp(`^${operation.path.replaceAll(/:(\w+)/g, '(?<$1>[^/]+)')}$`);
    const found = operation.method === method ? pattern.exec(path) : null;
    if (found) return { path: operation.path, params: { ...found.groups } };
  }
  throw new Error(`a guide calls ${method} ${path}, which is no operation`);
}

function hasAny(fields: object): boolean {
  return Object.keys(fields).length > 0;
}
