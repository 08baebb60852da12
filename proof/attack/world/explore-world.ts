import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { answerOf } from '../../../test/support/ask.ts';
import { makeCredentials } from './credentials.ts';
import type { ServiceDocument } from './document.ts';
import { Names } from './names.ts';
import type { FuzzedService } from './service.ts';
import type { Made, World } from './world.ts';

/** How many seconds the dates of a busy device may run ahead: the maximum that an operator can allow. */
const DAY_SECONDS = 86_400;
/** A device of the simulator that may be blocked, closed and resumed. */
const SPARE_DEVICE = 1002;
const PASSWORD = 'brown foxes at sea';

export async function exploreWorld(service: FuzzedService, document: ServiceDocument): Promise<World> {
  const { url, demo } = service;
  const operatorToken = demo.operator.token;
  if (operatorToken === undefined) throw new Error('the demo has no token of an operator');
  const names = new Names();
  let count = 0;
  const next = () => {
    count += 1;
    return count;
  };
  const ask: World['ask'] = async (method, path, body) => {
    const made = await answerOf<Made>({ url, token: operatorToken }, method, path, body);
    names.learn(made, 'setUp');
    return made;
  };
  const openSession = async (email: string, password: string) => {
    const answer = await fetch(`${url}/api/admin/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-tillseal-console': '1' },
      body: JSON.stringify({ Email: email, Password: password }),
    });
    if (!answer.ok) throw new Error(`${email} could not log in: ${await answer.text()}`);
    const session = answer.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
    names.secrets.add(session.split('=')[1] ?? '').add(password);
    return session;
  };
  const logIn: World['logIn'] = async (role) => {
    const Email = `${role}@fuzz.example`;
    const Role = role === 'leaver' ? 'viewer' : role;
    const { PersonId, OneTimePassword } = await ask('POST', '/api/admin/people', { Email, Name: role, Role });
    names.protect(PersonId ?? '');
    const NewPassword = `${role[0]} ${PASSWORD}`;
    const session = await openSession(Email, OneTimePassword ?? '');
    const changed = await fetch(`${url}/api/admin/session/password`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-tillseal-console': '1', cookie: session },
      body: JSON.stringify({ CurrentPassword: OneTimePassword, NewPassword }),
    });
    if (!changed.ok) throw new Error(`the password was not changed: ${await changed.text()}`);
    names.secrets.add(NewPassword);
    return session;
  };

  const vendors = await listed(ask, '/api/admin/vendors');
  const vendorId = vendors.find((vendor) => vendor.Code === demo.vendor.code)?.VendorId ?? '';
  const world: World = {
    url,
    demo,
    document,
    names,
    operatorToken,
    vendorId,
    isOfOthers: new RegExp(`"FUZZ-\\d|${demo.taxpayer.id}|${demo.deviceId}"`),
    credentials: [],
    leaver: { email: 'leaver@fuzz.example', password: `l ${PASSWORD}` },
    ask,
    logIn,
    next,
  };
  await prepare(world, service);
  await refuseOne(world);
  return { ...world, credentials: await makeCredentials(world) };
}

/** The items of a list. */
async function listed(ask: World['ask'], path: string): Promise<Made[]> {
  return Object.values(await ask('GET', path)).flatMap((part: unknown) =>
    Array.isArray(part) ? (part as Made[]) : [],
  );
}

async function prepare({ demo, names, ask, vendorId, operatorToken }: World, service: FuzzedService): Promise<void> {
  const { taxpayer, deviceId, billers, vendor, operator } = demo;
  for (const secret of [taxpayer.token, taxpayer.cashierToken, vendor.token, operator.password, operatorToken]) {
    names.secrets.add(secret);
  }
  for (const key of (await readFile(service.masterKeyFile, 'utf8')).split(/\s+/)) {
    if (key === '') continue;
    names.secrets.add(key).add(Buffer.from(key, 'base64').toString('hex'));
  }
  names.protect(taxpayer.id, deviceId, vendorId, vendor.code, ...Object.values(billers));
  const lists = ['tokens', 'people', `tokens?TaxpayerId=${taxpayer.id}`, `tokens?VendorId=${vendorId}`];
  for (const list of lists) {
    for (const { TokenId, PersonId } of await listed(ask, `/api/admin/${list}`)) names.protect(TokenId, PersonId);
  }
  await ask('PATCH', `/api/admin/devices/${deviceId}`, {
    AdvanceLimitSeconds: DAY_SECONDS,
    FutureLimitSeconds: DAY_SECONDS,
  });
  await ask('POST', '/api/admin/devices', {
    TaxpayerId: taxpayer.id,
    AuthorityDeviceId: SPARE_DEVICE,
    SerialNumber: `SN-${SPARE_DEVICE}`,
    ActivationKey: `DEMO${SPARE_DEVICE}`,
  });
}

/** A receipt that the authority refuses, whoever sends it again, on a spare device: an alert to acknowledge and a decision to take. */
async function refuseOne({ demo, document, names, ask }: World): Promise<void> {
  const receipts = (state: string) => listed(ask, `/api/admin/receipts?State=${state}`);
  const until = async (condition: () => Promise<boolean>) => {
    for (let turn = 0; turn < 100 && !(await condition()); turn += 1) await delay(100);
  };
  await fetch(`${demo.simulator.controlUrl}/faults`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ kind: 'refuse', operation: 'SubmitReceipt', deviceId: SPARE_DEVICE, code: 'RCPT02' }),
  });
  const signing = document.operations.find(({ id }) => id === 'signReceipt');
  const invoice = signing?.bodyExamples.map(Object).find(({ Type }) => Type === 'FiscalInvoice');
  const body = JSON.stringify({ ...invoice, AuthorityDeviceId: SPARE_DEVICE, Date: new Date().toISOString() });
  const headers = { authorization: `Bearer ${demo.taxpayer.token}`, 'content-type': 'application/json' };
  // Until its day is open, receipts are refused.
  await until(async () => (await fetch(`${demo.baseUrl}/api/receipt/sign`, { method: 'POST', headers, body })).ok);
  await until(async () => (await receipts('Refused')).length > 0);
  names.add('address of decideReceipt', `/api/admin/devices/${SPARE_DEVICE}/receipts/1/decision`);
}
