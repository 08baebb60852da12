import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CommandWorld, openCommandWorld } from '../../../test/support/command-line.ts';
import { invoice } from '../../../test/support/receipts/receipts.ts';
import { webhookHeaders } from '../../kernel/webhook-signature.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

let world: CommandWorld;
let target: string;
const received: { readonly headers: IncomingHttpHeaders; readonly body: string }[] = [];
const receive = async (request: IncomingMessage, response: ServerResponse) => {
  received.push({ headers: request.headers, body: await text(request) });
  response.writeHead(received.length === 1 ? 500 : 204).end();
};
const receiver = createServer((request, response) => void receive(request, response));
beforeAll(async () => {
  world = await openCommandWorld();
  await once(receiver.listen(0, '127.0.0.1'), 'listening');
  target = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/events`;
});
afterAll(async () => {
  receiver.close();
  await world.close();
});

const run = (...words: string[]) => world.run(['listen', ...words]);
const sign = (reference: string) => world.service.sign(world.shop.token, invoice(world.shop.deviceId, reference));
const numbers = () => received.map(({ body }) => (JSON.parse(body) as { Number: number }).Number);

test('events are shown and forwarded in order, signed as webhooks, whatever the receiver answers', async () => {
  for (let count = 1; count <= 3; count += 1) await sign(`BEFORE-${count}`);
  const ran = await run('--after', '1', '--limit', '2', '--forward', target, '--secret', SECRET);
  expect(ran.code).toBe(0);
  expect(ran.stdout).toMatch(/2 .*receipt\.signed.*BEFORE-2.*3 .*receipt\.signed.*BEFORE-3/s);
  expect(ran.stderr).toMatch(/after event 1, forwarding to http.*→ 500 in \d+ ms.*→ 204 in \d+ ms/s);
  expect(numbers()).toEqual([2, 3]);
  for (const { headers, body } of received) {
    const id = String(headers['webhook-id']);
    const signed = webhookHeaders([SECRET], { id, atSeconds: Number(headers['webhook-timestamp']), body });
    expect(headers).toMatchObject(signed);
  }
});

test('without a number it begins now: only what happens afterwards is shown', async () => {
  for (let count = 1; count <= 6; count += 1) await sign(`OLD-${count}`);
  received.length = 0;
  let count = 0;
  // Again and again, because it is not seen from here when it has begun.
  const signing = setInterval(() => {
    count += 1;
    void sign(`NEW-${count}`);
  }, 300);
  const ran = await run('--limit', '1', '--forward', target, '--json');
  clearInterval(signing);
  const event = JSON.parse(ran.stdout) as { Number: number };
  expect(event).toMatchObject({ Data: { Reference: expect.stringMatching(/^NEW-/) } });
  expect(numbers()).toEqual([event.Number]);
});

test('an address where nothing answers is said, and the next event follows', async () => {
  const ran = await run('--after', '0', '--limit', '2', '--forward', 'http://127.0.0.1:1/');
  expect(ran.code).toBe(0);
  expect(ran.stderr.match(/→ failed: /g)).toHaveLength(2);
  expect((await run('--forward', 'localhost:8080')).stderr).toContain('--forward must be an address');
});
