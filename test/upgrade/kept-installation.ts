import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Pool } from 'pg';
import { expect, onTestFinished } from 'vitest';
import { type Asker, answerOf } from '../support/ask.ts';
import { AuthorityBooks } from '../support/authority/books.ts';
import { tillseal } from '../support/command-line.ts';
import { farWindow } from '../support/local-shop.ts';
import { type Machine, openEmbedded, until } from '../support/process.ts';
import { proveChain } from '../support/receipts/chain.ts';
import { nowInvoice, post } from '../support/receipts/load.ts';

/** How these were made, and what is in them: their READMEs. */
const FIXTURES = resolve(import.meta.dirname, '../fixtures');
export const KEPT_VERSIONS = readdirSync(FIXTURES).map((folder) => folder.replace('installation-', ''));

/** The first works, on the second a receipt was refused. */
export const WHOLE = 1001;
export const STOPPED = 1002;
const REFUSED_NUMBER = 4;

/** What is deleted once it is over, with why its rows may be gone minutes after the upgrade. */
const PASSING: Readonly<Record<string, string>> = {
  sessions: 'they expire',
  mailed_links: 'they expire',
  log_in_attempts: 'forgotten after a time',
  tills_behind: 'forgotten when they are silent',
  tax_doubts: 'the authority answers',
  endpoint_attempts: 'kept for thirty days',
};

/** An installation that an earlier version has left, restored by this one, and started. */
export class KeptInstallation {
  readonly dataDir: string;
  readonly url: string;
  readonly pool: Pool;
  readonly books: AuthorityBooks;
  readonly tokens: { readonly taxpayer: string; readonly operator: string; readonly vendor: string };
  /** How many rows the backup had of each table. */
  readonly tables: Readonly<Record<string, number>>;

  private constructor(fixture: string, dataDir: string, url: string, pool: Pool) {
    this.dataDir = dataDir;
    this.url = url;
    this.pool = pool;
    const { controlUrl } = readJson<{ controlUrl: string }>(join(dataDir, 'simulator', 'address.json'));
    this.books = new AuthorityBooks(controlUrl);
    this.tokens = readJson(join(fixture, 'tokens.json'));
    const archive = join(fixture, 'backup.tar.gz');
    const manifest = execFileSync('tar', ['-xzOf', archive, 'manifest.json'], { encoding: 'utf8' });
    const { Tables } = JSON.parse(manifest) as { Tables: { Name: string; Rows: number }[] };
    this.tables = Object.fromEntries(Tables.map(({ Name, Rows }) => [Name.replace('tables/', ''), Rows]));
  }

  static async start(version: string, machine: Machine): Promise<KeptInstallation> {
    const fixture = join(FIXTURES, `installation-${version}`);
    const dataDir = join(await machine.folder(), 'data');
    const words = ['--data', dataDir, '--master-key-file', join(fixture, 'master.key'), '--json'];
    const ran = await tillseal(['restore', join(fixture, 'backup.tar.gz'), ...words]);
    // What is restored is told as what it is: the receipts behind which this device went on are with the authority only.
    const Faults = ['device 2009: the device stands at receipt 99, the last one here is 1'];
    expect(JSON.parse(ran.stdout || '{}'), ran.stderr).toMatchObject({ Version: version, Faults });
    const url = await machine.start({ DATA_DIR: dataDir, DEMO: 'false' }).ready;
    const pool = await openEmbedded(dataDir);
    onTestFinished(() => pool.end());
    const kept = new KeptInstallation(fixture, dataDir, url, pool);
    await kept.settle();
    return kept;
  }

  get till(): Asker {
    return { url: this.url, token: this.tokens.taxpayer };
  }

  operate<Answer>(method: string, path: string, body?: object): Promise<Answer> {
    return answerOf({ url: this.url, token: this.tokens.operator }, method, `/api/admin${path}`, body);
  }

  pay<Answer>(method: string, path: string, body?: object, url = this.url): Promise<Answer> {
    return answerOf({ url, token: this.tokens.vendor }, method, `/api/payment/${path}`, body);
  }

  /** The tables of the backup that have fewer rows now. */
  async lessThanKept(): Promise<string[]> {
    const names = Object.keys(this.tables).filter((name) => PASSING[name] === undefined);
    const counts = names.map((name) => `select '${name}' as name, count(*)::integer as rows from ${name}`);
    const { rows } = await this.pool.query<{ name: string; rows: number }>(counts.join(' union all '));
    return rows.filter(({ name, rows: now }) => now < (this.tables[name] ?? 0)).map(({ name }) => name);
  }

  /** What is wrong with the two devices. Whether a day that was open at the backup is near its maximum length depends on when this runs. */
  async openAlerts(): Promise<string> {
    const { rows } = await this.pool.query<{ kinds: string }>(
      `select coalesce(string_agg(kind, ' ' order by kind), '') as kinds from alerts
        where cleared_at is null and kind not in ('DayNearMaximum', 'DeviceStopped', 'ReportDue') and device_id = any ($1)`,
      [[WHOLE, STOPPED]],
    );
    return rows[0]?.kinds ?? '';
  }

  /** Both devices sell: their days, open since the backup, are too long by now or will be, and close once the authority has the refused receipt. */
  async openDays(): Promise<void> {
    await this.operate('POST', `/devices/${STOPPED}/receipts/${REFUSED_NUMBER}/decision`, { Decision: 'retry' });
    for (const deviceId of [WHOLE, STOPPED]) {
      await until(() => this.#sells(deviceId), `device ${deviceId} seals`);
    }
  }

  /** Every number of the two devices is with the authority once, none of them red, and both chains hold. */
  async isWhole(): Promise<void> {
    for (const deviceId of [WHOLE, STOPPED]) {
      const chain = await proveChain(this.pool, deviceId);
      expect(chain).toMatchObject({ holds: true });
      const { count } = chain as { count: number };
      await until(async () => (await this.books.receipts(deviceId)).length >= count, 'all is with the authority');
      const booked = await this.books.receipts(deviceId);
      expect(booked.map(({ receiptGlobalNo }) => receiptGlobalNo)).toEqual(
        Array.from({ length: count }, (_, index) => index + 1),
      );
      expect(booked.filter(({ colour }) => colour === 'Red')).toEqual([]);
    }
    expect(await this.openAlerts()).toBe('');
  }

  /** The authority has said what it knows of the two, and only what was wrong before is wrong. */
  private async settle(): Promise<void> {
    // Whatever time it is now, it is not the devices' maintenance window.
    const { time: MaintenanceStart } = farWindow();
    for (const deviceId of [WHOLE, STOPPED]) await this.operate('PATCH', `/devices/${deviceId}`, { MaintenanceStart });
    await until(async () => (await this.openAlerts()) === 'ReceiptRefused', 'only what was wrong before is wrong');
  }

  async #sells(deviceId: number): Promise<boolean> {
    const { rows } = await this.pool.query<{ day: string }>(
      'select day_state as day from device_heads where device_id = $1',
      [deviceId],
    );
    if (rows[0]?.day === 'Closed') await this.operate('POST', `/devices/${deviceId}/day`, { Action: 'open' });
    return rows[0]?.day === 'Opened' && (await post(this.till, nowInvoice(deviceId, `NOW-${deviceId}`))).ok;
  }
}

const readJson = <Content>(file: string): Content => JSON.parse(readFileSync(file, 'utf8')) as Content;
