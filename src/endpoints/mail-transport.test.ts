import { createServer } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { MailServer } from '../../test/support/mail-server.ts';
import { until } from '../../test/support/process.ts';
import type { Endpoint } from './core/endpoint.ts';
import { createMailTransport } from './mail-transport.ts';

const server = new MailServer({
  onAuth: ({ username, password }, _session, done) =>
    done(password === 'right ?' ? null : new Error('who are you'), { user: username }),
  allowInsecureAuth: true,
});
let port: number;
beforeAll(async () => {
  port = await server.listen();
});
afterAll(() => server.close());
afterEach(() => {
  server.messages.length = 0;
  server.refusal = undefined;
});

const transport = (url = `smtp://127.0.0.1:${port}`, timeoutMs?: number) =>
  createMailTransport({
    settings: { url, from: 'Tillseal <tillseal@example.com>' },
    timeZone: 'Africa/Harare',
    publicUrl: 'https://tillseal.example.com',
    ...(timeoutMs && { timeoutMs }),
  });
const EVENT = {
  number: 1n,
  type: 'alert.raised',
  at: new Date(),
  data: JSON.stringify({
    Kind: 'DeviceStopped',
    Message: 'Gestohlen – “Till 3”',
    AuthorityDeviceId: 1001,
    TenantName: 'Café\nX-Evil: yes',
    RaisedAt: '2026-11-15T10:00:00.000Z',
  }),
};
const send = (by = transport(), address = 'mailto:tendai@example.com', signal?: AbortSignal) =>
  by.send({
    endpoint: { address, taxpayerId: 'one', vendorId: null } as Endpoint,
    messageId: 'msg_1',
    events: [EVENT],
    isInLine: true,
    signal,
  });

test('a message goes to one person, in plain text, and nothing answers it automatically', async () => {
  expect(await send()).toMatchObject({ outcome: 'Taken', statusCode: 250, error: undefined });
  const [message] = server.messages;
  expect(message?.to).toEqual(['tendai@example.com']);
  expect(message?.headers).toMatchObject({
    from: 'Tillseal <tillseal@example.com>',
    to: 'tendai@example.com',
    'auto-submitted': 'auto-generated',
    'message-id': '<msg_1@example.com>',
    'content-type': 'text/plain; charset=utf-8',
  });
  expect(message?.headers).not.toHaveProperty('x-evil');
  expect(message?.body).toContain('Device stopped, device 1001, Café X-Evil: yes\nGestohlen – “Till 3”\n');
});

test('a retry is the same message, and two people never see each other', async () => {
  await send();
  await send();
  await send(undefined, 'mailto:rudo@example.com');
  const [first, again, other] = server.messages;
  expect(again?.headers['message-id']).toBe(first?.headers['message-id']);
  expect(again?.body).toBe(first?.body);
  expect(other?.to).toEqual(['rudo@example.com']);
  expect(JSON.stringify(other)).not.toContain('tendai');
});

test.each(['451 4.3.0 try later', '550 5.1.1 no such user', '554 5.7.1 looks like spam'])(
  'a server that says %s has not taken it, and what it said is kept',
  async (refusal) => {
    server.refusal = refusal;
    expect(await send()).toMatchObject({
      outcome: 'Failed',
      statusCode: Number(refusal.slice(0, 3)),
      answer: refusal,
      error: expect.stringContaining(refusal),
    });
  },
);

test('who logs in with a wrong password fails, and with the right one, however it is written, does not', async () => {
  const wrong = await send(transport(`smtp://user:wrong@127.0.0.1:${port}`));
  expect(wrong).toMatchObject({ outcome: 'Failed', statusCode: 535 });
  expect(JSON.stringify(wrong)).not.toContain('wrong@');
  expect(await send(transport(`smtp://user:right%20%3F@127.0.0.1:${port}`))).toMatchObject({ outcome: 'Taken' });
});

test('a server that says nothing is given up in time, and at once when the service stops', async () => {
  let closed = 0;
  const silent = createServer((socket) => {
    socket
      .on('error', () => {})
      .on('close', () => {
        closed += 1;
      });
  });
  await new Promise<void>((resolve) => void silent.listen(0, '127.0.0.1', resolve));
  const address = silent.address();
  const url = `smtp://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  expect(await send(transport(url, 200))).toMatchObject({
    outcome: 'Failed',
    statusCode: undefined,
    error: 'the mail server did not answer in time',
  });
  expect(await send(transport(url), undefined, AbortSignal.timeout(50))).toMatchObject({ outcome: 'Failed' });
  // One that stays open could be taken later, beside the next try.
  await until(() => closed === 2, 'both connections are closed');
  silent.close();
  expect(await send(undefined, undefined, AbortSignal.abort())).toMatchObject({ outcome: 'Failed' });
  expect(server.messages).toEqual([]);
  expect(await send(transport('smtp://127.0.0.1:1'))).toMatchObject({ outcome: 'Failed', statusCode: undefined });
});

test('to any other machine nothing is said unencrypted, and to no server that cannot prove who it is', async () => {
  // This machine by an address that is not a loopback one.
  expect(await send(transport(`smtp://0.0.0.0:${port}`))).toMatchObject({
    outcome: 'Failed',
    error: expect.stringContaining('STARTTLS'),
  });
  const unproved = new MailServer({ disabledCommands: [] });
  const there = `smtp://0.0.0.0:${await unproved.listen()}`;
  expect(await send(transport(there))).toMatchObject({
    outcome: 'Failed',
    error: expect.stringMatching(/certificate/i),
  });
  expect(unproved.messages).toEqual([]);
  await unproved.close();
  expect(server.messages).toEqual([]);
});
