/**
 * How long a till waits while receipts are handed to the tax authority: `node bench/authority.ts [--seconds 20]
 * [--devices 200] [--taxpayers 20]`. Each device sends a receipt a second; the authority, a process of its own, answers in 50 ms, and then
 * not at all. Expected: p99 under 500 ms, and no worse with the authority down (issue 4).
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Pool } from 'pg';
import { Agent, request } from 'undici';
import { addTaxpayer, issueToken } from '../src/fiscal/index.ts';
import { newId } from '../src/kernel/ids.ts';
import { inTransaction } from '../src/platform/database/database.ts';
import { singleMasterKey } from '../src/platform/secrets/master-keys.ts';
import { openEmbedded, spawnService } from '../test/support/process.ts';
import { newReference, receiptBody, type Sender } from './receipt.ts';

const ANSWER_MS = 50;
const REGISTERED_AT_ONCE = 8;
const TIN = '2000000001';

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '20' },
    devices: { type: 'string', default: '200' },
    taxpayers: { type: 'string', default: '20' },
  },
});
const seconds = Number(options.seconds);
const deviceIds = Array.from({ length: Number(options.devices) }, (_, index) => 50_001 + index);

interface Authority {
  readonly url: string;
  readonly controlUrl: string;
  readonly caFile: string;
  stop(): Promise<void>;
}

async function startAuthority(dataDir: string): Promise<Authority> {
  const main = join(import.meta.dirname, '..', 'src', 'simulator', 'main.ts');
  const ports = ['--port', '0', '--control-port', '0'];
  const child = spawn(process.execPath, [main, ...ports, '--data-dir', join(dataDir, 'authority')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
  const address = JSON.parse(line.split('\n')[0] ?? '') as Omit<Authority, 'stop'>;
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  return { ...address, stop };
}

interface Service {
  readonly url: string;
  readonly pool: Pool;
  readonly masterKey: Buffer;
  stop(): Promise<void>;
}

/** On an embedded durable PostgreSQL, as a single installation runs. */
async function startService(dataDir: string, authority: Authority): Promise<Service> {
  const process = spawnService({
    DATA_DIR: dataDir,
    AUTHORITY_URL: authority.url,
    AUTHORITY_CA_FILE: authority.caFile,
    DEMO: 'false',
    SUBMISSION_WAIT_MS: '10000',
  });
  const url = await process.ready;
  const pool = await openEmbedded(dataDir);
  const masterKey = Buffer.from(await readFile(join(dataDir, 'master.key'), 'utf8'), 'base64');
  const stop = async () => {
    await pool.end();
    process.child.kill('SIGTERM');
    await process.ended;
  };
  return { url, pool, masterKey, stop };
}

async function control<T>(authority: Authority, method: 'POST' | 'DELETE', path: string, body?: object): Promise<T> {
  const answer = await fetch(`${authority.controlUrl}${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`);
  return (await answer.json()) as T;
}

async function registerAll(service: Service, authority: Authority): Promise<Sender[]> {
  const operator = await issueToken(service.pool, { taxpayerId: null, name: 'bench', scopes: ['admin'] });
  const taxpayers = await Promise.all(Array.from({ length: Number(options.taxpayers) }, () => addShop(service)));
  const senders: Sender[] = [];
  const register = async (deviceId: number, index: number) => {
    const shop = taxpayers[index % taxpayers.length];
    if (shop === undefined) throw new Error('there must be a taxpayer');
    await registerDevice(service, authority, operator.token, shop.taxpayerId, deviceId);
    senders.push({ deviceId, token: shop.token });
  };
  for (let from = 0; from < deviceIds.length; from += REGISTERED_AT_ONCE) {
    const some = deviceIds.slice(from, from + REGISTERED_AT_ONCE);
    await Promise.all(some.map((deviceId, index) => register(deviceId, from + index)));
  }
  await until(async () => {
    const { rows } = await service.pool.query<{ count: number }>(
      `select count(*)::integer as count from device_heads where day_state = 'Opened'`,
    );
    return rows[0]?.count === deviceIds.length;
  });
  return senders;
}

function addShop({ pool, masterKey }: Service): Promise<{ readonly taxpayerId: string; readonly token: string }> {
  const taxpayerId = newId();
  return inTransaction(pool, async (tx) => {
    const shop = { taxpayerId, name: 'Bench', tin: TIN, vatNumber: '220000001' };
    await addTaxpayer(tx, singleMasterKey(masterKey), shop);
    const { token } = await issueToken(tx, { taxpayerId, name: 'till', scopes: ['sign'] });
    return { taxpayerId, token };
  });
}

async function registerDevice(
  service: Service,
  authority: Authority,
  operatorToken: string,
  taxpayerId: string,
  deviceId: number,
): Promise<void> {
  const device = { deviceId, taxpayer: { tin: TIN, name: 'Bench', vatNumber: '220000001' } };
  const known = await control<{ serialNo: string; activationKey: string }>(authority, 'POST', '/devices', device);
  const awayHour = String((new Date().getUTCHours() + 14) % 24).padStart(2, '0');
  const answer = await fetch(`${service.url}/api/admin/devices`, {
    method: 'POST',
    headers: { authorization: `Bearer ${operatorToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      TaxpayerId: taxpayerId,
      AuthorityDeviceId: deviceId,
      SerialNumber: known.serialNo,
      ActivationKey: known.activationKey,
      MaintenanceStart: `${awayHour}:00`,
    }),
  });
  if (answer.status !== 201) throw new Error(await answer.text());
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await delay(50);
}

interface Phase {
  readonly latenciesMs: readonly number[];
  readonly unsubmitted: number;
  readonly errors: number;
}

/** An open loop: every device sends at its own moment of every second, whether it was answered or not. */
async function drive(service: Service, senders: readonly Sender[], forSeconds: number): Promise<Phase> {
  const dispatcher = new Agent({ connections: senders.length });
  const latenciesMs: number[] = [];
  let unsubmitted = 0;
  let errors = 0;
  const send = async ({ deviceId, token }: Sender) => {
    const startedAt = performance.now();
    const answer = await request(`${service.url}/api/receipt/sign`, {
      dispatcher,
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: receiptBody(deviceId, newReference()),
    });
    const text = await answer.body.text();
    latenciesMs.push(performance.now() - startedAt);
    if (answer.statusCode !== 200) errors += 1;
    else if (!text.includes('"SubmissionError":null')) unsubmitted += 1;
  };
  const startedAt = performance.now();
  await Promise.all(
    senders.map(async (sender, index) => {
      const sent: Promise<void>[] = [];
      for (let round = 0; round < forSeconds; round += 1) {
        const dueMs = startedAt + (round + index / senders.length) * 1000;
        await delay(Math.max(0, dueMs - performance.now()));
        sent.push(
          send(sender).catch(() => {
            errors += 1;
          }),
        );
      }
      await Promise.all(sent);
    }),
  );
  await dispatcher.close();
  return { latenciesMs: latenciesMs.toSorted((a, b) => a - b), unsubmitted, errors };
}

async function backlog(service: Service): Promise<number> {
  const { rows } = await service.pool.query<{ count: number }>(
    `select coalesce(sum(h.global_counter - l.submitted_through), 0)::integer as count
       from device_lanes l join device_heads h using (taxpayer_id, device_id)`,
  );
  return rows[0]?.count ?? 0;
}

function describe(name: string, { latenciesMs, unsubmitted, errors }: Phase): string {
  const at = (share: number) => `${Math.round(latenciesMs[Math.floor(latenciesMs.length * share)] ?? 0)} ms`;
  const figures = `p50 ${at(0.5)}, p95 ${at(0.95)}, p99 ${at(0.99)}, most ${at(0.9999)}`;
  return `${name}: ${latenciesMs.length} answers, ${figures}; ${unsubmitted} not yet submitted, ${errors} errors\n`;
}

async function bench(dataDir: string): Promise<void> {
  const authority = await startAuthority(dataDir);
  const service = await startService(dataDir, authority);
  try {
    const senders = await registerAll(service, authority);
    await control(authority, 'POST', '/faults', { kind: 'delay', delayMs: ANSWER_MS, operation: 'SubmitReceipt' });
    await drive(service, senders, 3);
    const up = await drive(service, senders, seconds);
    process.stdout.write(describe(`authority answering in ${ANSWER_MS} ms`, up));
    await until(async () => (await backlog(service)) === 0);

    await control(authority, 'POST', '/faults', { kind: 'outage' });
    const down = await drive(service, senders, seconds);
    process.stdout.write(describe('authority down', down));

    const left = await backlog(service);
    await control(authority, 'DELETE', '/faults');
    const startedAt = performance.now();
    await until(async () => (await backlog(service)) === 0);
    const drainSeconds = (performance.now() - startedAt) / 1000;
    const rate = Math.round(left / drainSeconds);
    process.stdout.write(`back: ${left} receipts handed over in ${drainSeconds.toFixed(1)} s (${rate} a second)\n`);
  } finally {
    await service.stop();
    await authority.stop();
  }
}

const folder = await mkdtemp(join(tmpdir(), 'tillseal-bench-'));
try {
  await bench(folder);
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
}
