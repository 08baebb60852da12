import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, Pool } from 'pg';
import { inspectArchive } from '../../src/backup/read-archive.ts';
import { COMPILE_CACHE, freePort, type ServiceProcess, spawnService, until } from '../../test/support/process.ts';
import { settle } from '../chaos/settle.ts';
import { collect, judge } from '../checker/check.ts';
import { checkAnswers } from '../checker/check-answers.ts';
import { checkChains } from '../checker/check-chains.ts';
import { gather } from '../checker/gather.ts';
import type { Verdict } from '../checker/verdict.ts';
import { Admin, MAKING_MS } from '../world/admin.ts';
import { type Ends, endAll, startAll } from '../world/ends.ts';
import type { Random } from '../world/random.ts';
import { openShop, type Shop } from '../world/shop.ts';
import { openSurroundings, placesOf } from '../world/site.ts';
import { type Cut, type Moment, PowerDisk } from './disk.ts';
import { isStart, type PlannedCut } from './service-plan.ts';
import { Tills } from './tills.ts';

export interface ServiceOptions {
  readonly folder: string;
  readonly random: Random;
  /** Where the source is, if not here: the controls change a copy. */
  readonly root?: string | undefined;
}

export interface CutRecord extends Cut {
  /** What was going on when it came. */
  readonly during: string;
  readonly keep: PlannedCut['keep'];
}

interface Backup {
  readonly file: string;
  readonly child: ChildProcess;
  readonly ended: Promise<unknown>;
}

const DISK_MEGABYTES = 768;
const DEVICES = 2;
/** Between two cuts, so that there is something to lose. */
const SALES_BEFORE = 6;
const PATIENCE_MS = 240_000;
/** With its settings changed, a server may never flush anything, and the moment never come. */
const MOMENT_SECONDS = 5;
const ROOT = join(import.meta.dirname, '..', '..');

/** The service with its embedded database on a disk whose power is cut again and again. The authority and the vendor are elsewhere. */
export class ServiceWorld {
  readonly #parts: Parts;
  readonly #ends: Ends;
  readonly #tills: Tills;
  #service: ServiceProcess | undefined;
  #adminToken: string | undefined;
  #shop: Shop | undefined;
  #hasStarted = false;
  #backup: Backup | undefined;
  #backups = 0;
  /** Reported as complete before a cut. */
  completeBackups = 0;

  private constructor(parts: Parts, ends: Ends) {
    this.#parts = parts;
    this.#ends = ends;
    this.#tills = new Tills(join(parts.folder, 'ledger.jsonl'), parts.url, parts.random.fork('tills'));
  }

  static make(options: ServiceOptions): Promise<ServiceWorld> {
    return startAll(async (ends) => new ServiceWorld(await makeParts(options, ends), ends));
  }

  get repairs(): number {
    return this.#parts.disk.repairs;
  }

  get answered(): number {
    return this.#tills.answered;
  }

  /** Cuts the power as planned, ends everything and restores what survived. The service is not started again. */
  async cut(plan: PlannedCut): Promise<CutRecord> {
    const { disk } = this.#parts;
    const { during, cut } = await (isStart(plan) ? this.#cutStart(plan) : this.#cutWork(plan));
    const service = this.#service;
    this.#service = undefined;
    service?.child.kill('SIGKILL');
    disk.killAll();
    await service?.ended;
    this.#backup?.child.kill('SIGKILL');
    await this.#backup?.ended;
    await this.#tills.stop();
    this.#tills.settle(cut.cutAt);
    await disk.restore(plan.keep, plan.seed);
    return { ...cut, during, keep: plan.keep };
  }

  /** Starts the service and says what was lost, if anything. */
  async recover(): Promise<string[]> {
    try {
      await this.#start();
      const problems = [...(await this.#fileProblems()), ...(await this.#backupProblems())];
      if (problems.length > 0 || this.#shop === undefined) return problems;
      await this.#tills.sendAgain();
      const evidence = await gather(this.#places(this.#shop), []);
      const verdicts = [...checkAnswers(evidence), ...checkChains(evidence)];
      return [...verdicts.flatMap((verdict) => verdict.problems), ...(await this.#chainProblems(this.#shop))];
    } catch (error) {
      // It does not start, or a torn page cannot be read.
      return [`it does not recover: ${error instanceof Error ? error.message : String(error)}`];
    }
  }

  /** Everything that was written so far is safe, whether or not it was asked for. */
  async flush(): Promise<void> {
    await this.#openShop();
    execFileSync('sync', ['--file-system', this.#parts.disk.folder]);
  }

  /** After the last cut: everything is submitted, the days are closed, everything is sent again, and all is checked. */
  async judge(): Promise<Verdict[]> {
    const shop = await this.#openShop();
    const pool = new Pool({ ...this.#connection, max: 2 });
    try {
      const { open } = await settle({ database: { pool }, admin: this.#admin });
      const verdicts = judge(await collect(this.#places(shop)));
      return [...verdicts, { name: 'nothing is left open', figures: 'all queues', problems: open }];
    } finally {
      await pool.end();
    }
  }

  end(): Promise<void> {
    return endAll([...this.#ends, () => this.#service?.child.kill('SIGKILL')], false);
  }

  /** A start that is ready before its moment is cut then: what it needs must be flushed by that time. */
  async #cutStart({ moment }: PlannedCut): Promise<{ readonly during: string; readonly cut: Cut }> {
    const { disk } = this.#parts;
    const during = this.#hasStarted ? 'a start' : 'the first start';
    await disk.arm(moment);
    const starting = this.#start().then(
      () => 'ready',
      (error: unknown) => String(error),
    );
    const cut = disk.waitForCut(PATIENCE_MS / 1000);
    const first = await Promise.race([starting, cut]);
    if (typeof first !== 'string') return { during, cut: first };
    const now = await disk.waitForCut(0);
    if (first !== 'ready' && now.how === 'now') throw new Error(`it failed before the power was cut: ${first}`);
    return { during: first === 'ready' ? `the moment after ${during}` : during, cut: now };
  }

  async #cutWork({ during, moment }: PlannedCut): Promise<{ readonly during: string; readonly cut: Cut }> {
    const { disk } = this.#parts;
    const before = this.#tills.sold;
    this.#tills.start(await this.#openShop());
    await until(() => this.#tills.sold >= before + SALES_BEFORE, 'something is sold', PATIENCE_MS);
    if (during === 'a backup') return this.#cutBackup(moment);
    if (during === 'a checkpoint') return this.#cutCheckpoint(moment);
    await disk.arm(moment);
    return { during, cut: await disk.waitForCut(MOMENT_SECONDS) };
  }

  /** Sales go on beside it. */
  async #cutCheckpoint(moment: Moment): Promise<{ readonly during: string; readonly cut: Cut }> {
    const { disk } = this.#parts;
    const client = new Client(this.#connection);
    client.on('error', () => {});
    await client.connect();
    await disk.arm(moment);
    const never = Number.POSITIVE_INFINITY;
    const done = client.query('checkpoint').then(
      () => Date.now(),
      () => never,
    );
    const cut = await disk.waitForCut(MOMENT_SECONDS);
    const doneAt = await Promise.race([done, Promise.resolve(never)]);
    return { during: doneAt <= cut.cutAt ? 'the moment after a checkpoint' : 'a checkpoint', cut };
  }

  /** Nothing is sold meanwhile: most writes are those of the backup, up to the last one. */
  async #cutBackup(moment: Moment): Promise<{ readonly during: string; readonly cut: Cut }> {
    const { disk } = this.#parts;
    await this.#tills.stop();
    const backup = this.#startBackup();
    this.#backup = backup;
    await until(
      () => existsSync(`${backup.file}.part`) || backup.child.exitCode !== null,
      'a backup begins',
      PATIENCE_MS,
    );
    await disk.arm(moment);
    const cut = await Promise.race([disk.waitForCut(PATIENCE_MS / 1000), backup.ended.then(() => disk.waitForCut(0))]);
    if (cut.how !== 'now') return { during: 'a backup', cut };
    if (backup.child.exitCode !== 0) throw new Error('a backup failed before the power was cut');
    this.completeBackups += 1;
    return { during: 'the moment after a backup', cut };
  }

  async #start(): Promise<void> {
    const { environment, root } = this.#parts;
    this.#service = spawnService(environment, root === undefined ? {} : { root });
    await this.#service.ready;
    this.#hasStarted = true;
  }

  async #openShop(): Promise<Shop> {
    if (this.#shop === undefined) {
      const { books, vendor } = this.#parts.surroundings;
      this.#shop = await openShop(this.#admin, books, { devices: DEVICES, callbackUrl: `${vendor.url}/hook` });
    }
    return this.#shop;
  }

  #startBackup(): Backup {
    this.#backups += 1;
    const { dataDir, disk } = this.#parts;
    const file = join(disk.folder, `backup-${this.#backups}.tar.gz`);
    const words = [join(ROOT, 'src/cli/main.ts'), 'backup', file, '--data', dataDir];
    const environment = { PATH: process.env['PATH'] ?? '', NODE_COMPILE_CACHE: COMPILE_CACHE };
    const child = spawn(process.execPath, words, { cwd: '/', env: environment, stdio: 'ignore' });
    return { file, child, ended: once(child, 'exit') };
  }

  /** The key is proved by the start; the token can be shown only once. */
  async #fileProblems(): Promise<string[]> {
    const token = (await readFile(join(this.#parts.dataDir, 'operator-token'), 'utf8').catch(() => '')).trim();
    const isLost = token === '' || (this.#adminToken !== undefined && this.#adminToken !== token);
    this.#adminToken = token;
    return isLost ? ['lost: the operator token is not in its file'] : [];
  }

  async #backupProblems(): Promise<string[]> {
    const backup = this.#backup;
    this.#backup = undefined;
    if (backup === undefined) return [];
    if (!existsSync(backup.file)) return backup.child.exitCode === 0 ? ['lost: a backup that was complete'] : [];
    return inspectArchive(backup.file, () => {}).then(
      () => [],
      (error: unknown) => [`a backup under its name is not whole: ${String(error)}`],
    );
  }

  /** By the verifier. */
  async #chainProblems({ deviceIds }: Shop): Promise<string[]> {
    const problems: string[] = [];
    for (const deviceId of deviceIds) {
      const { Holds } = await this.#admin.call<{ Holds: boolean }>('POST', `devices/${deviceId}/verify`);
      if (!Holds) problems.push(`the verifier: the chain of device ${deviceId} does not hold`);
    }
    return problems;
  }

  get #admin(): Admin {
    return new Admin([this.#parts], this.#adminToken ?? '', MAKING_MS);
  }

  get #connection() {
    const host = join(this.#parts.dataDir, 'postgres');
    return { host, port: 5432, user: 'tillseal', database: 'tillseal', ssl: false };
  }

  #places(shop: Shop) {
    const { surroundings, url } = this.#parts;
    const instances = [{ name: 'A', url }];
    const [adminToken, database] = [this.#adminToken ?? '', { connection: this.#connection }];
    return placesOf({ ...surroundings, instances, adminToken, shop, endpoints: [], database }, this.#tills.ledgerFile);
  }
}

type Parts = Awaited<ReturnType<typeof makeParts>>;

async function makeParts({ folder, random, root }: ServiceOptions, ends: Ends) {
  mkdirSync(folder, { recursive: true });
  const disk = await PowerDisk.make(join(folder, 'power'), DISK_MEGABYTES);
  ends.push(() => disk.end());
  const surroundings = await openSurroundings(folder, random, ends);
  const { authority } = surroundings;
  const dataDir = join(disk.folder, 'data');
  const port = await freePort();
  const environment = {
    DATA_DIR: dataDir,
    DEMO: 'false',
    PORT: String(port),
    AUTHORITY_URL: authority.url,
    AUTHORITY_CA_FILE: authority.caFile,
    WEBHOOK_ALLOW_PRIVATE: 'true',
    WEBHOOK_INTERVAL_MS: '2000',
    // Only a control may run on an unsafe database.
    ALLOW_UNSAFE_DATABASE: String(root !== undefined),
  };
  return { folder, random, root, disk, surroundings, dataDir, environment, url: `http://127.0.0.1:${port}` };
}
