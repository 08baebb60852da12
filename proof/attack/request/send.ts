import type { Socket } from 'node:net';
import { workedMs } from '../../../test/support/slow-machine.ts';
import type { Answer, Attempt } from './attempt.ts';
import { exchange, startOf } from './wire.ts';

/** An answer to what was written by hand, of a service in this process. */
export interface RawAnswer extends Answer {
  /** What this thread did meanwhile, the service in it included. */
  readonly workedMs: number;
}

/** Sends a request as it is written, without the tidying of a client, on a connection of its own. */
export function send(port: number, attempt: Attempt): Promise<RawAnswer> {
  return sendBytes(port, [headOf(attempt), attempt.body ?? '']);
}

export function headOf(attempt: Attempt): string {
  const { body } = attempt;
  return `${startOf(attempt)}${body === undefined ? '' : `Content-Length: ${body.length}\r\n`}\r\n`;
}

/** The whole of one that others can follow on the same connection, unless it is the last. */
export function textOf(attempt: Attempt, isLast = false): string {
  const head = headOf(attempt);
  return (isLast ? head : head.replace('Connection: close\r\n', '')) + (attempt.body?.toString('utf8') ?? '');
}

/** No answer after this long is a hang, also where thousands wait for theirs. */
const PATIENCE_MS = 100_000;

/** Sends bytes and reads until the server closes. `and` goes on with the open connection, for whoever sends slowly. */
export async function sendBytes(
  port: number,
  parts: readonly (string | Uint8Array)[],
  and: (socket: Socket) => void = () => {},
): Promise<RawAnswer> {
  const startedAtMs = performance.now();
  const workedBeforeMs = workedMs();
  const { text, isHung } = await exchange(port, parts, and, PATIENCE_MS);
  if (isHung) throw new Error(`no answer to ${String(parts[0]).slice(0, 120)}`);
  const durationMs = performance.now() - startedAtMs;
  return { ...readAnswer(text), durationMs, workedMs: workedMs() - workedBeforeMs };
}

/** The last answer on the wire, past any `100 Continue`. */
export function readAnswer(text: string): Pick<Answer, 'status' | 'headers' | 'body'> {
  if (text === '') return { status: 0, headers: {}, body: Buffer.alloc(0) };
  const end = text.indexOf('\r\n\r\n');
  const [first = '', ...lines] = text.slice(0, end).split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1]);
  if (status === 100) return readAnswer(text.slice(end + 4));
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  return { status, headers, body: Buffer.from(text.slice(end + 4)) };
}

/** All of them, a few at a time: enough to be quick, few enough that an answer's time means something. */
export async function inTurns<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const queue = [...items];
  const worker = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: 8 }, worker));
}
