import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestSimulator } from '../../../test/support/simulator/simulator.ts';

let world: TestSimulator;
beforeAll(async () => {
  world = await TestSimulator.start({ host: '0.0.0.0' });
});
afterAll(() => world.end());

async function ask(method: string, path: string, headers: Record<string, string>, body = '') {
  const asked = request(`${world.simulator.controlUrl}${path}`, { method, headers });
  asked.end(body);
  const [response] = await once(asked, 'response');
  response.resume();
  return response.statusCode;
}

const faults = async () => (await fetch(`${world.simulator.controlUrl}/faults`)).json();
const json = { 'content-type': 'application/json' };

test('the control API is on this machine only, wherever the gateway listens', async () => {
  expect(new URL(world.simulator.controlUrl).hostname).toBe('127.0.0.1');
  const outside = Object.values(networkInterfaces())
    .flat()
    .find((address) => address?.family === 'IPv4' && !address.internal)?.address;
  // A machine without a network has a second loopback address, which 0.0.0.0 would also have answered on.
  const socket = connect(Number(new URL(world.simulator.controlUrl).port), outside ?? '127.0.0.2');
  await expect(once(socket, 'connect')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

test.each([
  ['of a form', { 'content-type': 'application/x-www-form-urlencoded' }, '{"kind":"outage"}'],
  ['of plain text', { 'content-type': 'text/plain' }, '{"kind":"outage"}'],
  ['without a type', {}, '{"kind":"outage"}'],
  ['with another type that begins alike', { 'content-type': 'application/jsonp' }, '{"kind":"outage"}'],
])('a body %s, which any web page may send, changes nothing', async (_name, headers, body) => {
  expect(await ask('POST', '/faults', headers, body)).toBe(415);
  expect(await faults()).toEqual([]);
});

test('neither does a request without a body and type, which any web page may send too', async () => {
  expect(await ask('POST', '/devices/1001/close-day', {})).toBe(415);
});

test('a name that somebody made to lead here is not ours', async () => {
  for (const host of ['evil.example', 'evil.example:4480', '127.0.0.1.evil.example', 'localhost.evil.example:80']) {
    expect(await ask('GET', '/faults', { host }), host).toBe(403);
    expect(await ask('DELETE', '/faults', { host }), host).toBe(403);
    expect(await ask('POST', '/faults', { ...json, host }, '{"kind":"outage"}'), host).toBe(403);
  }
  for (const host of ['127.0.0.1', 'localhost:4480', '[::1]:4480', 'LOCALHOST']) {
    expect(await ask('GET', '/faults', { host }), host).toBe(200);
  }
  expect(await faults()).toEqual([]);
});

test('JSON with its character set is JSON', async () => {
  expect(await ask('POST', '/faults', { 'content-type': 'application/json; charset=utf-8' }, '{"kind":"delay"}')).toBe(
    200,
  );
  expect(await ask('DELETE', '/faults', {})).toBe(200);
});
