import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pool } from 'pg';
import serviceFlags from '../../../bin/service-flags.json' with { type: 'json' };
import { singleMasterKey } from '../../../src/platform/secrets/master-keys.ts';
import { hurriedDevice, makeShop } from '../../../test/support/local-shop.ts';
import { embeddedUrl, openEmbedded, type ServiceProcess, spawnService } from '../../../test/support/process.ts';
import type { Question } from './connection.ts';
import { drive, driveAtRate, type Load, type LoadResult } from './load.ts';
import { questionOf, type Sender } from './receipt.ts';
import { whole } from './report.ts';
import { progress, type Run } from './run.ts';

/** Enough for the just-in-time compiler, and to load every device's key before the measurement starts. */
const WARM_UP_REQUESTS = 8000;
const TAXPAYERS_AT_ONCE = 4;

type Chosen = Pick<Run, 'folder' | 'signal' | 'nodeOptions'>;

/** The product as it is, on a durable PostgreSQL of its own, with fleets of devices. Counts what was sealed and what went wrong. */
export class Stage {
  readonly service: ServiceProcess;
  readonly url: string;
  readonly pool: Pool;
  readonly signal: AbortSignal;
  readonly folder: string;
  readonly masterKey: Buffer;
  /** Receipts that were answered: all of them must be in the table. */
  sealed = 0;
  errors = 0;
  #wrong = '';
  #nextDevice = 1;

  private constructor({ folder, signal }: Chosen, service: ServiceProcess, url: string, pool: Pool, masterKey: Buffer) {
    this.folder = folder;
    this.signal = signal;
    this.service = service;
    this.url = url;
    this.pool = pool;
    this.masterKey = masterKey;
  }

  static async start(chosen: Chosen, environment: Readonly<Record<string, string>> = {}): Promise<Stage> {
    progress('starting the service');
    const { folder } = chosen;
    await mkdir(folder, { recursive: true });
    const service = spawn(chosen, { DATA_DIR: folder, ...environment });
    try {
      const url = await service.ready;
      const masterKey = Buffer.from(await readFile(join(folder, 'master.key'), 'utf8'), 'base64');
      return new Stage(chosen, service, url, await openEmbedded(folder), masterKey);
    } catch (error) {
      await service.stop();
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.errors > 0) process.stderr.write(`\n${this.#wrong}\n${this.service.stdout().slice(-20_000)}\n`);
    await this.pool.end();
    await this.service.stop();
  }

  /** Another instance on the same database. */
  async startBeside(): Promise<{ readonly url: string; [Symbol.asyncDispose](): Promise<void> }> {
    const { folder, signal } = this;
    const settings = { DATABASE_URL: await embeddedUrl(folder), MASTER_KEY: this.masterKey.toString('base64') };
    const service = spawn({ folder, signal, nodeOptions: [] }, settings);
    const url = await service.ready;
    return {
      url,
      [Symbol.asyncDispose]: async () => {
        await service.stop();
      },
    };
  }

  /** Devices with consecutive ids, several to a taxpayer, each with its own key and an open day. */
  async addDevices(size: number, perTaxpayer = 10): Promise<Sender[]> {
    progress(`registering ${whole(size)} devices`);
    const ids = Array.from({ length: size }, (_, index) => this.#nextDevice + index);
    this.#nextDevice += size;
    const fleet: Sender[] = [];
    for (let start = 0; start < size; start += perTaxpayer * TAXPAYERS_AT_ONCE) {
      this.signal.throwIfAborted();
      const starts = Array.from({ length: TAXPAYERS_AT_ONCE }, (_, nth) => start + nth * perTaxpayer);
      const shops = starts.filter((from) => from < size).map((from) => ids.slice(from, from + perTaxpayer));
      fleet.push(...(await Promise.all(shops.map((some) => this.#addTaxpayer(some)))).flat());
    }
    // There is no authority that could open a day, and 10,000 days one by one would take longer than the measurement.
    await this.pool.query(
      `update device_heads set day_state = 'Opened', fiscal_day_number = 1, day_opened_at = now() where device_id = any ($1)`,
      [ids],
    );
    // Tables that have been in use have statistics; without them the planner guesses.
    await this.pool.query(
      'vacuum analyze device_heads, devices, device_keys, device_configurations, tokens, taxpayers',
    );
    return fleet;
  }

  async #addTaxpayer(deviceIds: readonly number[]): Promise<Sender[]> {
    const devices = deviceIds.map((deviceId) => ({ deviceId, ...hurriedDevice(), serialNumber: 'TILLSEAL-BENCH' }));
    const { token } = await makeShop(this.pool, singleMasterKey(this.masterKey), { name: 'Bench' }, devices);
    return deviceIds.map((deviceId) => ({ deviceId, token }));
  }

  /** New receipts of the senders in turn. */
  receiptsOf(senders: readonly Sender[], from = 0): Pick<Load, 'url' | 'signal' | 'questionOf'> {
    const of = (turn: number): Question => questionOf(senders, from + turn);
    return { url: this.url, signal: this.signal, questionOf: of };
  }

  /** As fast as they are answered. */
  async seal(senders: readonly Sender[], requests: number, more: Partial<Load> = {}): Promise<LoadResult> {
    return this.count(await drive({ ...this.receiptsOf(senders), requests: Math.ceil(requests), ...more }));
  }

  async sealAtRate(
    senders: readonly Sender[],
    perSecond: number,
    seconds: number,
    more: Partial<Load> = {},
  ): Promise<LoadResult> {
    return this.count(await driveAtRate({ ...this.receiptsOf(senders), ...more }, perSecond, seconds));
  }

  async warmUp(senders: readonly Sender[], requests = WARM_UP_REQUESTS): Promise<LoadResult> {
    progress(`warming up with ${whole(senders.length)} devices`);
    return this.seal(senders, Math.max(requests, senders.length + 3000));
  }

  count<Result extends Pick<LoadResult, 'answered' | 'errors' | 'wrong'>>(
    result: Result,
    sealed = result.answered,
  ): Result {
    this.sealed += sealed;
    this.errors += result.errors;
    this.#wrong ||= result.wrong;
    return result;
  }
}

function spawn({ signal, nodeOptions }: Chosen, settings: Readonly<Record<string, string>>): ServiceProcess {
  signal.throwIfAborted();
  // Nothing listens at its authority, and no device is registered there, so nothing is submitted.
  const usual = {
    DEMO: 'false',
    AUTHORITY_URL: 'https://127.0.0.1:9',
    SUBMISSION_WAIT_MS: '',
    ALLOW_UNSAFE_DATABASE: '',
  };
  const service = spawnService({ ...usual, ...settings }, { nodeOptions: [...serviceFlags, ...nodeOptions] });
  signal.addEventListener('abort', () => void service.stop(), { once: true });
  return service;
}
