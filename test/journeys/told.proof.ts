import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AuthorityProcesses } from '../support/authority/processes.ts';
import { MailServer } from '../support/mail-server.ts';
import { nowInvoice, post } from '../support/receipts/load.ts';

/** A device stops: its owner has a mail and a webhook within a minute; it goes on, and both say so. */
const DEVICE = 4100;
const A_MINUTE_MS = 60_000;

interface Told {
  readonly Type: string;
  readonly Data: { readonly Kind: string; readonly AuthorityDeviceId: number; readonly Message: string };
}

let processes: AuthorityProcesses;
let url: string;
let secret = '';
const mail = new MailServer();
const told: Told[] = [];
let receiver: Server;

async function hear(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const headers = request.headers as Record<string, string>;
  const { Events } = new Webhook(secret).verify(await text(request), headers) as { Events: Told[] };
  told.push(...Events);
  response.end();
}

beforeAll(async () => {
  processes = await AuthorityProcesses.start();
  receiver = createServer((request, response) => void hear(request, response));
  await new Promise<void>((resolve) => void receiver.listen(0, '127.0.0.1', resolve));
  const settings = {
    SMTP_URL: `smtp://127.0.0.1:${await mail.listen()}`,
    MAIL_FROM: 'Tillseal <tillseal@example.com>',
    WEBHOOK_ALLOW_PRIVATE: 'true',
  };
  // One instance takes requests, the other one works.
  url = await processes.startService({ ...settings, ROLES: 'fiscal,console' }).ready;
  await processes.startService({ ...settings, ROLES: 'worker', FISCAL_URL: url }).ready;
  await processes.addDevice(url, DEVICE);
  const owner = { TaxpayerId: processes.shop.taxpayerId, Description: 'The owner' };
  const hook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  const AlertKinds = ['DeviceStopped', 'ReportDue'];
  const created = await admin<{ Secret: string }>('POST', '/api/admin/endpoints', {
    ...owner,
    Address: hook,
    EventTypes: ['alert.raised', 'alert.solved'],
    AlertKinds,
  });
  secret = created.Secret;
  await admin('POST', '/api/admin/endpoints', { ...owner, Address: 'mailto:owner@example.com', AlertKinds });
});
afterAll(async () => {
  await processes.end();
  receiver.close();
  await mail.close();
});

const admin = async <Answer>(method: string, path: string, body?: object): Promise<Answer> => {
  const response = await processes.ask(url, method, path, body);
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json()) as Answer;
};
let sales = 0;
const sell = async () => {
  sales += 1;
  return (await post({ url, token: processes.shop.token }, nowInvoice(DEVICE, `SALE-${sales}`))).status;
};
const subjects = () => mail.messages.map(({ headers }) => headers['subject']);

async function hears(type: string, subject: string, times: number): Promise<void> {
  const isTold = () =>
    told.filter(({ Type, Data }) => Type === type && Data.AuthorityDeviceId === DEVICE).length === times &&
    subjects().filter((one) => one === subject).length === times;
  await processes.until(isTold, `${times} times ${type}, by webhook and mail`, A_MINUTE_MS);
}

const STOPPED = `Tillseal: Device stopped, device ${DEVICE}, Test shop`;
const SOLVED = `Tillseal: Solved: Device stopped, device ${DEVICE}, Test shop`;

test('an operator blocks a device and releases it: the owner hears of both within a minute each', async () => {
  expect(await sell()).toBe(200);
  await admin('PATCH', `/api/admin/devices/${DEVICE}`, { BlockedReason: 'Stolen' });
  expect(await sell()).toBe(503);
  await hears('alert.raised', STOPPED, 1);
  expect(told.at(-1)?.Data).toMatchObject({ Kind: 'DeviceStopped', Message: expect.stringContaining('Stolen') });
  expect(mail.messages.at(-1)).toMatchObject({ to: ['owner@example.com'], body: expect.stringContaining('Stolen') });
  await admin('PATCH', `/api/admin/devices/${DEVICE}`, { BlockedReason: null });
  expect(await sell()).toBe(200);
  await hears('alert.solved', SOLVED, 1);
});

test('the authority blocks a device and releases it: the same', async () => {
  await processes.books.changeDevice(DEVICE, { status: 'Blocked' });
  expect(await sell()).toBe(200);
  await processes.until(async () => (await sell()) === 503, 'the device is on hold');
  await hears('alert.raised', STOPPED, 2);
  const { Alerts } = await admin<{ Alerts: { Number: string; Kind: string; Outage: { Code: string } }[] }>(
    'GET',
    '/api/admin/alerts?IncludeCleared=true',
  );
  const stopped = Alerts.filter(({ Kind }) => Kind === 'DeviceStopped');
  expect(stopped.map(({ Outage }) => Outage.Code)).toEqual(['DeviceOnHold', 'DeviceOnHold']);
  const { Report } = await admin<{ Report: string }>('GET', `/api/admin/alerts/${stopped[0]?.Number}`);
  expect(Report).toContain(`registration number ${DEVICE}`);
  await processes.books.changeDevice(DEVICE, { status: 'Active' });
  await admin('POST', `/api/admin/devices/${DEVICE}/resume`);
  await processes.until(async () => (await sell()) === 200, 'the device seals again');
  await hears('alert.solved', SOLVED, 2);
  // Nobody heard anything else, or anything twice.
  expect(told.map(({ Type }) => Type)).toEqual(['alert.raised', 'alert.solved', 'alert.raised', 'alert.solved']);
  expect(subjects()).toEqual([STOPPED, SOLVED, STOPPED, SOLVED]);
});
