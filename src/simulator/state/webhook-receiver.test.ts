import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { control } from '../../../test/support/simulator/control.ts';
import { TestSimulator } from '../../../test/support/simulator/simulator.ts';
import { WebhookReceiver } from './webhook-receiver.ts';

let bench: TestSimulator;
const printed: string[] = [];
beforeAll(async () => {
  bench = await TestSimulator.start({ print: (line) => printed.push(line) });
});
afterAll(() => bench.end());
beforeEach(() => control(bench.simulator, 'DELETE', '/webhooks'));

async function post(body: string, headers: Record<string, string> = {}): Promise<Response> {
  const url = `${bench.simulator.controlUrl}/webhooks`;
  return fetch(url, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...headers },
    redirect: 'manual',
  });
}

test('takes what is posted, prints a line and shows the newest first with headers and body', async () => {
  expect((await post('["A"]', { 'webhook-id': 'one', authorization: 'Bearer x' })).status).toBe(200);
  expect((await post('["B"]', { 'webhook-id': 'two' })).status).toBe(200);
  expect(printed).toEqual(['webhook one ["A"]: answered 200', 'webhook two ["B"]: answered 200']);
  expect(await control(bench.simulator, 'GET', '/webhooks')).toMatchObject([
    { body: '["B"]', status: 200, headers: { 'webhook-id': 'two' } },
    { body: '["A"]', status: 200, headers: { 'webhook-id': 'one', authorization: 'Bearer x' } },
  ]);
});

test('answers as it was told, so many times as it was told', async () => {
  await control(bench.simulator, 'PUT', '/webhooks/answer', { status: 500, count: 2 });
  expect([(await post('')).status, (await post('')).status, (await post('')).status]).toEqual([500, 500, 200]);
  await control(bench.simulator, 'PUT', '/webhooks/answer', { status: 302 });
  const redirected = await post('');
  expect([redirected.status, redirected.headers.get('location')]).toEqual([302, '/control/webhooks']);
  await control(bench.simulator, 'PUT', '/webhooks/answer', { delayMs: 120 });
  const startedAt = performance.now();
  expect((await post('')).status).toBe(200);
  expect(performance.now() - startedAt).toBeGreaterThan(110);
});

test('asks for a token where it was told to', async () => {
  await control(bench.simulator, 'PUT', '/webhooks/answer', { bearer: 'secret' });
  expect((await post('', { authorization: 'Bearer other' })).status).toBe(401);
  expect((await post('', { authorization: 'Bearer secret' })).status).toBe(200);
});

test('keeps the last thousand', async () => {
  const receiver = new WebhookReceiver(() => {});
  for (let number = 0; number < 1005; number += 1) await receiver.receive({}, Buffer.from(`[${number}]`));
  const kept = receiver.list();
  expect([kept.length, kept[0]?.body, kept.at(-1)?.body]).toEqual([1000, '[1004]', '[5]']);
});

test('a wrong answer is named', async () => {
  await expect(control(bench.simulator, 'PUT', '/webhooks/answer', { status: 100 })).rejects.toThrow('400');
  await expect(control(bench.simulator, 'PUT', '/webhooks/answer', { status: 'no' })).rejects.toThrow('status');
});
