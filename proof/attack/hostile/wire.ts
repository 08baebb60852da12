import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { invoice } from '../../../test/support/receipts/receipts.ts';
import { checkFrame } from '../answer/check-answer.ts';
import { type AttackedService, type Must, plain } from '../attacked-service.ts';
import { headOf, inTurns, type RawAnswer, readAnswer, sendBytes, textOf } from '../request/send.ts';
import { FRAMINGS, GARBAGE } from '../request/wire.ts';
import type { Headers } from '../world/credentials.ts';
import type { Operation } from '../world/document.ts';

const TYPE: Headers = [['Content-Type', 'application/json']];
const jsonOf = ({ body }: RawAnswer): unknown => JSON.parse(body.toString('utf8'));

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

export function hostileWire(attacked: AttackedService, hasty: AttackedService): void {
  const { operations, own, port } = attacked;
  const withBody = operations.filter(({ bodySchema }) => bodySchema !== undefined);

  /** The head of a request to each of them, with these headers, and what follows it. */
  async function toEach(
    targets: readonly Operation[],
    headers: Headers,
    must: Must,
    parts: readonly (string | Uint8Array)[] = [],
    and?: (socket: Socket) => void,
  ): Promise<void> {
    const faults: string[] = [];
    await inTurns(targets, async (operation) => {
      const attempt = attacked.to(operation, { headers: [...TYPE, ...headers] });
      const answer = await sendBytes(port, [headOf(attempt), ...parts], and);
      faults.push(...attacked.faults({ ...attempt, isAddressed: false }, answer, must));
    });
    expect(faults).toEqual([]);
  }

  test('a body that comes byte by byte ends with 408 in bounded time, for every operation that reads one', async () => {
    const answers = await Promise.all(
      withBody.map((operation) => {
        const start = headOf(hasty.to(operation, { headers: [...TYPE, ['Content-Length', '100000']] }));
        return sendBytes(hasty.port, [start], trickle(' '));
      }),
    );
    for (const answer of answers) {
      expect(hasty.faults(plain(''), answer, [408])).toEqual([]);
      expect(jsonOf(answer)).toMatchObject({ Code: 'RequestTimeout' });
    }
  });

  test('chunks that never end, and a body that never begins, are given up too', async () => {
    const [operation] = withBody;
    if (operation === undefined) throw new Error('no operation reads a body');
    const start = (header: Headers[number]) => headOf(hasty.to(operation, { headers: [...TYPE, header] }));
    const answers = await Promise.all([
      sendBytes(hasty.port, [start(['Transfer-Encoding', 'chunked'])], trickle('1\r\n \r\n')),
      sendBytes(hasty.port, [start(['Content-Length', '10'])]),
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
    for (const answer of answers) expect(hasty.faults(plain(''), answer, [408, 0])).toEqual([]);
  });

  test('who has sent all of it may wait longer than that for the answer', async () => {
    const answer = await hasty.ask('/api/events?wait=4', hasty.own.till);
    expect(answer.status).toBe(200);
    expect(answer.durationMs).toBeGreaterThan(3900);
  });

  test('a body that is cut off leaves nothing behind and fails nothing, for every operation', async () => {
    const headers: Headers = [['Content-Length', '100']];
    await toEach(operations, headers, undefined, ['{"Name":'], (socket) => socket.end());
    await toEach(operations, headers, undefined, ['{"Name":'], (socket) => setTimeout(() => socket.destroy(), 5));
    expect((await attacked.ask('/health/ready')).status).toBe(200);
  });

  test.each(GARBAGE)('%s is refused or the connection closed', async (_name, text) => {
    const answer = await sendBytes(port, [Buffer.from(text, 'latin1')]);
    expect(attacked.faults(plain(''), answer, 'be refused')).toEqual([]);
  });

  test.each(FRAMINGS)('%s is refused by every operation that reads a body', async (_name, headers, content) => {
    await toEach(withBody, headers, 'be refused', [Buffer.from(content, 'latin1')]);
  });

  test('many headers and large ones are refused by every operation, in our own words', async () => {
    const many = Array.from({ length: 1500 }, (_unused, index) => [`x-${index}`, 'y'] as const);
    const large = (length: number) => [['x-large', 'y'.repeat(length)]] as const;
    for (const headers of [large(100_000), many]) await toEach(operations, headers, [431, 0]);
    const told = await attacked.send({ ...plain('/api/receipt'), headers: large(17_000) });
    expect(told.status).toBe(431);
    expect(jsonOf(told)).toMatchObject({ Code: 'HeadersTooLarge' });
  });

  test('an expectation and an upgrade nobody offers change nothing', async () => {
    for (const headers of [
      [['Expect', 'the-unexpected']],
      [['Upgrade', 'h2c']],
      [['Expect', '100-continue']],
    ] as const) {
      const answer = await attacked.send({ ...plain('/health/live'), headers });
      expect(checkFrame(answer), String(headers)).toEqual([]);
      expect(answer.status).toBe(200);
    }
  });

  test('rubbish behind a whole request does not take its answer: a receipt that is sealed is answered as sealed', async () => {
    const deviceId = await attacked.service.addDevice(own.taxpayerId);
    const attempt = plain('/api/receipt/sign', own.till, invoice(deviceId, 'WITH-A-TAIL'));
    const answer = await sendBytes(port, [`${textOf(attempt)}}}}} rubbish\r\n\r\n`]);
    expect(answer.status, answer.body.toString('utf8')).toBe(200);
    const stored = await attacked.ask('/api/receipt/WITH-A-TAIL', own.till);
    expect(stored.status).toBe(200);
  });

  test('requests in a row on one connection are answered in order, the bad one last', async () => {
    const good = 'GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n';
    let text = '';
    await sendBytes(port, [good.repeat(3), 'rubbish\r\n\r\n'], (socket) => {
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
    expect((await attacked.ask('/api/receipt/sign', own.till, {})).status).toBe(400);
  });
}
