import { readFile } from 'node:fs/promises';
import type { Pool } from 'pg';
import { singleMasterKey } from '../../../src/platform/secrets/master-keys.ts';
import { answerOf } from '../../../test/support/ask.ts';
import { makePerson, PASSWORD } from '../../../test/support/people.ts';
import { openEmbedded, until } from '../../../test/support/process.ts';
import { type Credential, makeCredentials } from './credentials.ts';
import type { Area, ServiceDocument } from './document.ts';
import { Names } from './names.ts';
import type { FuzzedService } from './service.ts';
import { FORGETFUL } from './sign-in.ts';
import { makeTenants } from './tenants.ts';
import type { Made, World } from './world.ts';

/** How many seconds the dates of a busy device may run ahead: the maximum that an operator can allow. */
const DAY_SECONDS = 86_400;
/** A device of the simulator that may be blocked, closed and resumed. */
const SPARE_DEVICE = 1002;

const OPENS: Readonly<Record<string, Area>> = {
  operator: 'admin',
  'session of admin': 'admin',
  till: 'receipts',
  'till of a cashier': 'receipts',
  'till with its taxpayer': 'receipts',
  vendor: 'payments',
  'vendor by Basic': 'payments',
};
const SNOOPS: Readonly<Record<string, Area>> = {
  "another's till": 'receipts',
  'another vendor': 'payments',
  'owner of another taxpayer': 'admin',
  'owner of another vendor': 'admin',
  'owner of another practice': 'admin',
};

type Ask = (method: string, path: string, body?: object) => Promise<Made>;

export async function exploreWorld(service: FuzzedService, document: ServiceDocument): Promise<World> {
  const { url, demo } = service;
  const operator = demo.operator.token;
  if (operator === undefined) throw new Error('the demo has no token of an operator');
  const names = new Names();
  const ask: Ask = async (method, path, body) => {
    const made = await answerOf<Made>({ url, token: operator }, method, path, body);
    names.learn(made, 'setUp');
    return made;
  };
  const pool = await openEmbedded(service.dataDir);
  try {
    await prepare(service, ask);
    const credentials = await credentialsIn(service, pool, names, operator);
    await refuseOne(service, document, names, ask);
    await endOutage(service, pool, names);
    names.add('month', new Date().toISOString().slice(0, 7));
    let count = 0;
    return {
      url,
      demo,
      document,
      names,
      isOfOthers: new RegExp(`"FUZZ-\\d|${demo.taxpayer.id}|${demo.deviceId}"`),
      credentials,
      signIn: service.signIn,
      leaver: { email: 'viewer@example.com', password: PASSWORD },
      next: () => {
        count += 1;
        return count;
      },
    };
  } finally {
    await pool.end();
  }
}

/** Those of the demo, of others who have nothing, and of everybody who is let in nowhere. */
async function credentialsIn(
  { demo, masterKeyFile }: FuzzedService,
  pool: Pool,
  names: Names,
  operator: string,
): Promise<readonly Credential[]> {
  const { taxpayer, deviceId, vendor, billers } = demo;
  const keys = (await readFile(masterKeyFile, 'utf8')).split(/\s+/).filter((key) => key !== '');
  for (const key of keys) names.secrets.add(key).add(Buffer.from(key, 'base64').toString('hex'));
  const masterKeys = singleMasterKey(Buffer.from(keys[0] ?? '', 'base64'));
  const installation = { pool, masterKeys, now: new Date() };
  const { rows } = await pool.query<{ vendor: string; practice: string }>(
    `select (select vendor_id from vendors where vendor_code = $1) as vendor, (select practice_id from practices limit 1) as practice`,
    [vendor.code],
  );
  const own = {
    taxpayerId: taxpayer.id,
    vendorId: rows[0]?.vendor ?? '',
    vendorCode: vendor.code,
    billerCode: billers.feed,
    practiceId: rows[0]?.practice ?? '',
    till: taxpayer.token,
    app: vendor.token,
  };
  const others = await makeTenants(installation, 'Curious');
  await makePerson(pool, FORGETFUL, 'viewer');
  const { taxpayerId: TaxpayerId, vendorId: VendorId, billerCode: BillerCode, practiceId: PracticeId } = others;
  for (const tenant of [{ TaxpayerId }, { VendorId }, { BillerCode }, { PracticeId }])
    names.add('tenant of a holder', JSON.stringify(tenant));
  const made = await makeCredentials({ ...installation, own, others, operator });
  const secrets = [taxpayer.token, taxpayer.cashierToken, vendor.token, demo.operator.password, operator, PASSWORD];
  for (const secret of [...secrets, others.till, others.app]) names.secrets.add(secret);
  const all = await pool.query<{ name: string }>(
    `select taxpayer_id::text as name from taxpayers union select vendor_id::text from vendors union select token_id::text from tokens
      union select person_id::text from people union select practice_id::text from practices union select biller_code from billers`,
  );
  names.protect(deviceId, vendor.code, ...all.rows.map(({ name }) => name));
  const credentials: Credential[] = [];
  for (const name of made.names) {
    const headers = await made.headersOf(name);
    credentials.push({ name, headers, opens: OPENS[name], snoops: SNOOPS[name] });
    if (made.wrong.includes(name)) continue;
    for (const [, value] of headers) if (value.length > 30) names.secrets.add(value.split(/[ =]/)[1] ?? '');
  }
  return credentials;
}

async function prepare({ demo: { taxpayer, deviceId } }: FuzzedService, ask: Ask): Promise<void> {
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
  for (const list of ['taxpayers', 'vendors', 'people', 'tokens', 'billers']) await ask('GET', `/api/admin/${list}`);
}

/** That lasted for hours, so that there is one to report. */
async function endOutage({ demo: { taxpayer, deviceId } }: FuzzedService, pool: Pool, names: Names): Promise<void> {
  const { rows } = await pool.query<{ alert: string }>(
    `with told as (
       insert into alerts (taxpayer_id, device_id, kind, message, since, cleared_at)
       values ($1, $2, 'DeviceStopped', 'it could not sell', now() - interval '9 hours', now()) returning *)
     insert into outages (taxpayer_id, device_id, alert_id, code, problem, began_at, ended_at)
     select taxpayer_id, device_id, alert_id, 'DeviceOnHold', message, since, cleared_at from told returning alert_id as alert`,
    [taxpayer.id, deviceId],
  );
  names.add('address of changeOutage', `/api/admin/alerts/${rows[0]?.alert}`);
}

/** A receipt that the authority refuses, whoever sends it again, on a spare device: an alert to acknowledge and a decision to take. */
async function refuseOne(
  { url, demo }: FuzzedService,
  document: ServiceDocument,
  names: Names,
  ask: Ask,
): Promise<void> {
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
  const isSigned = async () => (await fetch(`${url}/api/receipt/sign`, { method: 'POST', headers, body })).ok;
  await until(isSigned, 'a receipt of the spare device');
  const refused = async () => Object.values(await ask('GET', '/api/admin/receipts?State=Refused'));
  await until(async () => (await refused()).flat().some((one) => typeof one === 'object'), 'its refusal');
  names.add('address of decideReceipt', `/api/admin/devices/${SPARE_DEVICE}/receipts/1/decision`);
}
