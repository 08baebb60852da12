import { connect, type Socket } from 'node:net';
import type { Random } from '../../world/random.ts';
import type { Headers } from '../world/credentials.ts';
import type { Attempt } from './attempt.ts';
import { randomBytes } from './mutate-body.ts';

/** A service that neither answers nor closes within this time has forgotten the connection. */
const PATIENCE_MS = 45_000;
/** There are few slow senders, because each keeps a connection for as long as the service allows. */
const MAX_SLOW = 8;

/** Everything that came back on a connection, as text. */
export interface WireAnswer {
  readonly text: string;
  readonly isHung: boolean;
}

interface WireAttack {
  readonly name: string;
  readonly bytes: Buffer;
  /** What happens to the open connection after the bytes are sent. */
  readonly after: 'wait' | 'destroy' | 'end' | 'trickle';
}

/** What no request ends with: a body that is not as long as is said, or is said in more than one way. */
export const FRAMINGS: readonly (readonly [name: string, headers: Headers, body: string])[] = [
  ['two different lengths', lengths('5', '6'), '{}'],
  ...['-1', '0x10', '1e3', '+5', '9'.repeat(40), ' '].map(
    (length) => [`a length of "${length}"`, lengths(length), '{}'] as const,
  ),
  ['a length and chunks', [...lengths('2'), ...chunked()], '2\r\n{}\r\n0\r\n\r\n'],
  ['chunked twice', chunked('chunked, chunked'), '2\r\n{}\r\n0\r\n\r\n'],
  [
    'a smuggled request',
    [...chunked('\u000bchunked'), ...lengths('4')],
    '0\r\n\r\nGET /health/live HTTP/1.1\r\nHost: x\r\n\r\n',
  ],
  ['chunks that are none', chunked(), 'zz\r\n{}\r\n0\r\n\r\n'],
  ['a chunk of a negative size', chunked(), '-1\r\n{}\r\n0\r\n\r\n'],
  ['a chunk of an endless size', chunked(), `${'f'.repeat(40)}\r\n{}`],
  ['a chunk with an open extension', chunked(), '2;x="\r\n{}\r\n'],
  ['a chunk with an endless extension', chunked(), `2;${'x'.repeat(40_000)}\r\n{}\r\n0\r\n\r\n`],
  ['a coding nobody knows', chunked('gzip, hack'), '{}'],
  ['a packed body', [['Content-Encoding', 'gzip'], ...lengths('2')], '\u001f\u008b'],
];

function lengths(...values: readonly string[]): Headers {
  return values.map((value) => ['Content-Length', value]);
}

function chunked(coding = 'chunked'): Headers {
  return [['Transfer-Encoding', coding]];
}

const GET = 'GET /health/live HTTP/1.1\r\nHost: x\r\n';
export const GARBAGE: readonly (readonly [name: string, text: string])[] = [
  ['no HTTP at all', '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003'],
  ['zero bytes', '\u0000'.repeat(500)],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['HTTP/9.9', 'GET /health/live HTTP/9.9\r\nHost: x\r\n\r\n'],
  ['no Host', 'GET /health/live HTTP/1.1\r\nConnection: close\r\n\r\n'],
  ['an unknown method', 'HACK /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
  ['a method of a kilobyte', `${'A'.repeat(1000)} / HTTP/1.1\r\nHost: x\r\n\r\n`],
  ['a method and no more', 'GET\r\n\r\n'],
  ['3,000 letters', `${'A'.repeat(3000)}\r\n\r\n`],
  ['a space in a header name', `${GET}Bad Name: y\r\n\r\n`],
  ['a zero byte in a header', `${GET}A: b\u0000c\r\n\r\n`],
  ['a folded header', `${GET}A: b\r\n c\r\nTransfer-Encoding\r\n\r\n`],
  ['CONNECT', 'CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n'],
];

/** Things that no HTTP client would send, built around a request that a client would send. */
export function planWire(attempt: Attempt, random: Random, maySendSlowly: boolean): WireAttack {
  const body = attempt.body ?? Buffer.alloc(0);
  const head = startOf(attempt);
  const whole = Buffer.concat([Buffer.from(`${head}Content-Length: ${body.length}\r\n\r\n`, 'latin1'), body]);
  const raw = (name: string, text: string, after: WireAttack['after'] = 'wait'): WireAttack => ({
    name,
    bytes: Buffer.from(text, 'latin1'),
    after,
  });
  const attacks: (() => WireAttack)[] = [
    () => ({ name: 'cut in the middle', bytes: whole.subarray(0, random.below(whole.length)), after: 'destroy' }),
    () => ({ name: 'half closed', bytes: whole.subarray(0, random.below(whole.length)), after: 'end' }),
    () => ({ name: 'gone before the answer', bytes: whole, after: 'destroy' }),
    () => ({
      name: 'pipelined',
      bytes: Buffer.concat(Array.from({ length: 2 + random.below(6) }, () => whole)),
      after: 'wait',
    }),
    () => ({ name: 'rubbish after it', bytes: Buffer.concat([whole, randomBytes(random, 40)]), after: 'wait' }),
    () => {
      const [name, headers, text] = random.pick(FRAMINGS);
      return raw(name, `${head}${headers.map((header) => `${header.join(': ')}\r\n`).join('')}\r\n${text}`);
    },
    () => raw(...random.pick(GARBAGE)),
    () => raw('two blanks', 'GET  /\r\n\r\n'),
    () => raw('length too small', `${head}Content-Length: 1\r\n\r\n${body.toString('latin1')}`),
    () => raw('line feeds only', whole.toString('latin1').replaceAll('\r\n', '\n')),
    () =>
      raw(
        'bad header',
        `${head}${random.pick(['Bad Name: x', ': x', 'A\u0000B: x', 'X: a\u0000b', ' folded', 'NoColon'])}\r\n\r\n`,
      ),
    () =>
      raw(
        'bad version',
        `${head.replace('HTTP/1.1', random.pick(['HTTP/9.9', 'HTTP/0.9', 'HTTP/1.0', 'HTTQ/1.1', '']))}\r\n`,
      ),
    () => raw('no host', `${head.replace(/Host: .*\r\n/, '')}\r\n`),
    () =>
      raw(
        'many headers',
        `${head}${Array.from({ length: 1500 }, (_unused, index) => `x-${index}: y\r\n`).join('')}\r\n`,
      ),
    () => raw('expects', `${head}Expect: ${random.pick(['100-continue', 'nothing'])}\r\nContent-Length: 0\r\n\r\n`),
    () => raw('upgrades', `${head}Connection: Upgrade\r\nUpgrade: ${random.pick(['h2c', 'websocket'])}\r\n\r\n`),
    () => ({ name: 'random bytes', bytes: randomBytes(random, 1 + random.below(400)), after: 'end' }),
  ];
  if (!maySendSlowly) return random.pick(attacks)();
  return {
    name: 'slow',
    bytes: Buffer.from(`${head}Content-Length: 100000\r\n${random.chance(0.5) ? '\r\n' : ''}`, 'latin1'),
    after: 'trickle',
  };
}

/** The first line and the headers, to which more can be added. */
export function startOf({ method, path, headers }: Attempt): string {
  // `close`, so that the end of the answers is recognised; and without the console's own header, logging in reads nothing.
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: tillseal.test', 'Connection: close', 'X-Tillseal-Console: 1'];
  return `${[...lines, ...headers.map(([name, value]) => `${name}: ${value}`)].join('\r\n')}\r\n`;
}

/** Everything that is wrong with what came back. Closing without an answer is allowed. */
export function checkWire({ text, isHung }: WireAnswer): string[] {
  if (isHung) return [`neither answered nor closed within ${PATIENCE_MS / 1000} s`];
  const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((match) => Number(match[1]));
  const faults = statuses.filter((status) => status >= 500).map((status) => `${status}: ${text.slice(-400)}`);
  if (text !== '' && statuses.length === 0) faults.push(`answered with something else: ${text.slice(0, 200)}`);
  if (text !== '' && !text.startsWith('HTTP/1.1 100') && !/^x-request-id: [0-9a-f-]{36}\r$/im.test(text))
    faults.push('answered without x-request-id');
  return faults;
}

let slow = 0;

export function maySendSlowly(): boolean {
  return slow < MAX_SLOW;
}

export function sendWire(port: number, { bytes, after }: WireAttack): Promise<WireAnswer> {
  if (after !== 'trickle') {
    return exchange(port, [bytes], (socket) => {
      if (after === 'destroy') setTimeout(() => socket.destroy(), 5);
      else if (after === 'end') socket.end();
    });
  }
  slow += 1;
  return exchange(port, [bytes], trickle).finally(() => {
    slow -= 1;
  });
}

/** Sends bytes on a new connection and reads until the service closes it; `and` can use the open connection further. */
export function exchange(
  port: number,
  parts: readonly (string | Uint8Array)[],
  and: (socket: Socket) => void,
  patienceMs = PATIENCE_MS,
): Promise<WireAnswer> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let isHung = false;
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () => {
      for (const part of parts) if (part.length > 0) socket.write(part);
      and(socket);
    });
    const timer = setTimeout(() => {
      isHung = true;
      socket.destroy();
    }, patienceMs);
    socket.on('data', (chunk) => chunks.push(chunk));
    // The service has closed its side, so this side closes, too.
    socket.on('end', () => socket.end());
    // A reset while this side is still writing: the service has sent its answer already.
    socket.on('error', () => {});
    socket.once('close', () => {
      clearTimeout(timer);
      resolve({ text: Buffer.concat(chunks).toString('utf8'), isHung });
    });
  });
}

function trickle(socket: Socket): void {
  const timer = setInterval(() => socket.writable && socket.write(' '), 200);
  socket.once('close', () => clearInterval(timer));
}
