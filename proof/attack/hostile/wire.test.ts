import type { Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { invoice } from '../../../test/support/receipts/receipts.ts';
import {
  type AttackedService,
  attackedService,
  expectRefused,
  expectSafe,
  expectSecurityHeaders,
  pathOf,
  type Route,
} from './attacked-service.ts';
import { head, inTurns, PLAIN_BODY, readAnswer, sendBytes } from './send.ts';

let attacked: AttackedService;
/** Waits for slow senders for a short time only. */
let hasty: AttackedService;
beforeAll(async () => {
  attacked = await attackedService();
  hasty = await attackedService({ patience: { headersMs: 1500, requestMs: 3000, checkEveryMs: 100 } });
});
afterAll(() => Promise.all([attacked.close(), hasty.close()]));

const attemptOn = (route: Route, headers: readonly (readonly [string, string])[] = [], at = attacked) => ({
  method: route.method,
  path: pathOf(route),
  token: at.tokenFor(route),
  type: 'application/json',
  headers,
});
const withBody = () => attacked.routes.filter((route) => route.hasBody);

/** Sends one byte every few milliseconds until the server has had enough. */
function trickle(text: string): (socket: Socket) => void {
  return (socket) => {
    let at = 0;
    const timer = setInterval(() => {
      if (socket.writable) socket.write(text[at++ % text.length] ?? ' ');
    }, 25);
    socket.once('close', () => clearInterval(timer));
  };
}

test('a body that comes byte by byte ends with 408 in bounded time, on every route that reads one', async () => {
  const answers = await Promise.all(
    withBody().map((route) => {
      const start = head(attemptOn(route, [['Content-Length', '100000']], hasty));
      return sendBytes(hasty.port, [start], trickle(' '));
    }),
  );
  for (const answer of answers) {
    expectRefused(answer, 'a slow body');
    expect(answer.status).toBe(408);
    expect(JSON.parse(answer.body)).toMatchObject({ Code: 'RequestTimeout' });
  }
});

test('chunks that never end, and a body that never begins, are given up too', async () => {
  const [route] = withBody();
  if (route === undefined) throw new Error('no route reads a body');
  const chunked = head(attemptOn(route, [['Transfer-Encoding', 'chunked']], hasty));
  const answers = await Promise.all([
    sendBytes(hasty.port, [chunked], trickle('1\r\n \r\n')),
    sendBytes(hasty.port, [head(attemptOn(route, [['Content-Length', '10']], hasty))]),
  ]);
  for (const answer of answers) expect(answer.status).toBe(408);
});

test('headers that come byte by byte, and connections that say nothing, are given up', async () => {
  const answers = await Promise.all([
    sendBytes(hasty.port, ['GET /health/live HTTP/1.1\r\nHost: x\r\nX-Slow: '], trickle('a')),
    sendBytes(hasty.port, ['GET /health/live'], trickle('a')),
    sendBytes(hasty.port, ['GET '], () => {}),
    sendBytes(hasty.port, [], () => {}),
  ]);
  for (const answer of answers) {
    expectRefused(answer, 'slow headers');
    expect([408, 'closed']).toContain(answer.status);
  }
});

test('who has sent all of it may wait longer than that for the answer', async () => {
  const answer = await hasty.send({ path: '/api/events?wait=4', token: hasty.shop.token });
  expect(answer.status).toBe(200);
  expect(answer.durationMs).toBeGreaterThan(3900);
});

test('a body that is cut off leaves nothing behind and fails nothing, on every route', async () => {
  await inTurns(attacked.routes, async (route) => {
    const start = head(attemptOn(route, [['Content-Length', '100']]));
    const ended = await sendBytes(attacked.port, [start, '{"Name":'], (socket) => socket.end());
    expectSafe(ended, `${route.name}, half closed`);
    await sendBytes(attacked.port, [start, '{"Name":'], (socket) => setTimeout(() => socket.destroy(), 5));
  });
  const { status } = await attacked.send({ path: '/health/ready' });
  expect(status).toBe(200);
});

const GARBAGE: readonly (readonly [string, string])[] = [
  ['no HTTP at all', '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003'],
  ['zero bytes', '\u0000'.repeat(500)],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['HTTP/9.9', 'GET /health/live HTTP/9.9\r\nHost: x\r\n\r\n'],
  ['no Host', 'GET /health/live HTTP/1.1\r\nConnection: close\r\n\r\n'],
  ['an unknown method', 'HACK /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
  ['a method of a kilobyte', `${'A'.repeat(1000)} / HTTP/1.1\r\nHost: x\r\n\r\n`],
  ['a space in a header name', 'GET /health/live HTTP/1.1\r\nHost: x\r\nBad Name: y\r\n\r\n'],
  ['a zero byte in a header', 'GET /health/live HTTP/1.1\r\nHost: x\r\nA: b\u0000c\r\n\r\n'],
  ['a folded header', 'GET /health/live HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\nTransfer-Encoding\r\n\r\n'],
  ['CONNECT', 'CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n'],
];

test.each(GARBAGE)('%s is refused or the connection closed', async (name, text) => {
  const answer = await sendBytes(attacked.port, [Buffer.from(text, 'latin1')]);
  expectRefused(answer, name);
});

test.each([
  [
    'two different lengths',
    [
      ['Content-Length', '5'],
      ['Content-Length', '6'],
    ],
    '{}',
  ],
  ['a negative length', [['Content-Length', '-1']], '{}'],
  ['a length that is no number', [['Content-Length', '0x10']], '{}'],
  ['an endless length', [['Content-Length', '9'.repeat(40)]], '{}'],
  [
    'a length and chunks',
    [
      ['Content-Length', '2'],
      ['Transfer-Encoding', 'chunked'],
    ],
    '2\r\n{}\r\n0\r\n\r\n',
  ],
  ['chunks that are none', [['Transfer-Encoding', 'chunked']], 'zz\r\n{}\r\n0\r\n\r\n'],
  ['a chunk of a negative size', [['Transfer-Encoding', 'chunked']], '-1\r\n{}\r\n0\r\n\r\n'],
  ['a chunk of an endless size', [['Transfer-Encoding', 'chunked']], `${'f'.repeat(40)}\r\n{}`],
  [
    'a chunk with an endless extension',
    [['Transfer-Encoding', 'chunked']],
    `2;${'x'.repeat(40_000)}\r\n{}\r\n0\r\n\r\n`,
  ],
  ['a coding nobody knows', [['Transfer-Encoding', 'gzip, hack']], '{}'],
  [
    'a packed body',
    [
      ['Content-Encoding', 'gzip'],
      ['Content-Length', '2'],
    ],
    '\u001f\u008b',
  ],
] as const)('%s is refused on every route that reads a body', async (name, headers, body) => {
  await inTurns(withBody(), async (route) => {
    const start = head(attemptOn(route, headers));
    expectRefused(await sendBytes(attacked.port, [start, Buffer.from(body, 'latin1')]), `${route.name}, ${name}`);
  });
});

test('many headers and large ones are refused on every route, in our own words', async () => {
  const many = Array.from({ length: 1500 }, (_unused, index): [string, string] => [`x-${index}`, 'y']);
  await inTurns(attacked.routes, async (route) => {
    for (const headers of [[['x-large', 'y'.repeat(100_000)] as const], many]) {
      const answer = await sendBytes(attacked.port, [head(attemptOn(route, headers))]);
      expectRefused(answer, route.name);
      expect([431, 'closed'], route.name).toContain(answer.status);
    }
  });
  const [alone] = attacked.routes;
  if (alone === undefined) throw new Error('there is no route');
  const told = await sendBytes(attacked.port, [head(attemptOn(alone, [['x-large', 'y'.repeat(17_000)]]))]);
  expect(told.status).toBe(431);
  expect(JSON.parse(told.body)).toMatchObject({ Code: 'HeadersTooLarge' });
});

test('an expectation and an upgrade nobody offers change nothing', async () => {
  for (const headers of [[['Expect', 'the-unexpected']], [['Upgrade', 'h2c']], [['Expect', '100-continue']]] as const) {
    const answer = await attacked.send({ path: '/health/live', headers });
    expectSecurityHeaders(answer, String(headers));
    expect(answer.status).toBe(200);
  }
});

test('rubbish behind a whole request does not take its answer: a receipt that is sealed is answered as sealed', async () => {
  const deviceId = await attacked.service.addDevice(attacked.shop.taxpayerId);
  const body = JSON.stringify(invoice(deviceId, 'WITH-A-TAIL'));
  const start = head({ method: 'POST', path: '/api/receipt/sign', token: attacked.shop.token, body });
  const keptOpen = start.replace('Connection: close\r\n', '');
  const answer = await sendBytes(attacked.port, [`${keptOpen}${body}}}}} rubbish\r\n\r\n`]);
  expect(answer.status, answer.body).toBe(200);
  const stored = await attacked.send({ path: '/api/receipt/WITH-A-TAIL', token: attacked.shop.token });
  expect(stored.status).toBe(200);
});

test('requests in a row on one connection are answered in order, the bad one last', async () => {
  const good = 'GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n';
  let text = '';
  await sendBytes(attacked.port, [good.repeat(3), 'rubbish\r\n\r\n'], (socket) => {
    socket.on('data', (chunk) => {
      text += chunk.toString('utf8');
    });
  });
  const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map((match) => match[1]);
  expect(statuses.slice(0, 3)).toEqual(['200', '200', '200']);
  expect(statuses.length).toBeLessThanOrEqual(4);
  expect(readAnswer(text).status).toBe(200);
});

test('after all that it answers as before', async () => {
  const answer = await attacked.send({
    method: 'POST',
    path: '/api/receipt/sign',
    token: attacked.shop.token,
    body: PLAIN_BODY,
  });
  expect(answer.status).toBe(400);
});
