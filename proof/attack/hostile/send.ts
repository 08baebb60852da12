import type { Socket } from 'node:net';
import { workedMs } from '../../../test/support/slow-machine.ts';
import { exchange } from '../request/wire.ts';

export interface Attempt {
  readonly method?: string;
  readonly path: string;
  readonly token?: string;
  readonly headers?: readonly (readonly [string, string])[];
  readonly body?: string | Uint8Array | undefined;
  /** Undefined: application/json when there is a body. Empty: none. */
  readonly type?: string;
}

export interface Answer {
  /** `closed`: the connection ended without an answer. */
  readonly status: number | 'closed';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly durationMs: number;
  /** What this thread did meanwhile, the service in it included. */
  readonly workedMs: number;
}

/** Sends a request as it is written, without the tidying of a client, on a connection of its own. */
export function send(port: number, attempt: Attempt): Promise<Answer> {
  return sendBytes(port, [head(attempt), attempt.body ?? '']);
}

export function head({ method = 'GET', path, token, headers = [], body, type }: Attempt): string {
  // With the console's own header: without it, logging in would refuse everything before it is read.
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: tillseal.test', 'Connection: close', 'X-Tillseal-Console: 1'];
  if (token !== undefined) lines.push(`Authorization: Bearer ${token}`);
  const contentType = type ?? (body === undefined ? '' : 'application/json');
  if (contentType !== '') lines.push(`Content-Type: ${contentType}`);
  if (body !== undefined) lines.push(`Content-Length: ${Buffer.byteLength(body)}`);
  for (const [name, value] of headers) lines.push(`${name}: ${value}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/** No answer after this long is a hang, also where thousands wait for theirs. */
const PATIENCE_MS = 100_000;

/** Sends bytes and reads until the server closes. `and` goes on with the open connection, for whoever sends slowly. */
export async function sendBytes(
  port: number,
  parts: readonly (string | Uint8Array)[],
  and: (socket: Socket) => void = () => {},
): Promise<Answer> {
  const startedAtMs = performance.now();
  const workedBeforeMs = workedMs();
  const { text, isHung } = await exchange(port, parts, and, PATIENCE_MS);
  if (isHung) throw new Error(`no answer to ${String(parts[0]).slice(0, 120)}`);
  const durationMs = performance.now() - startedAtMs;
  return { ...readAnswer(text), durationMs, workedMs: workedMs() - workedBeforeMs };
}

/** The last answer on the wire, past any `100 Continue`. */
export function readAnswer(text: string): Omit<Answer, 'durationMs' | 'workedMs'> {
  if (text === '') return { status: 'closed', headers: {}, body: '' };
  const end = text.indexOf('\r\n\r\n');
  const [first = '', ...lines] = text.slice(0, end).split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1]);
  if (status === 100) return readAnswer(text.slice(end + 4));
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  return { status, headers, body: text.slice(end + 4) };
}

/** All of them, a few at a time: enough to be quick, few enough that an answer's time means something. */
export async function inTurns<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const queue = [...items];
  const worker = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: 8 }, worker));
}

/** JSON as it should be, for attacks on what surrounds it. */
export const PLAIN_BODY = '{"Unknown":1}';
