/** Bill payments as a process of its own on a database of its own, for journeys in which it is killed. */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTestDatabase, type TestDatabase } from '../database.ts';
import { Machine, type ServiceProcess } from '../process.ts';

export interface VendorAnswerOfService {
  readonly VendorId: string;
  readonly Code: string;
  readonly WebhookSecret: string;
}

export class BillpayProcess {
  readonly database: TestDatabase;
  readonly #machine: Machine;
  readonly #environment: Record<string, string>;
  #service: ServiceProcess | undefined;
  #url = '';
  #operatorToken = '';
  #logs = '';
  /** Every answer of the operators' API so far, for a look at what must not be in them. */
  answers = '';

  private constructor(database: TestDatabase, machine: Machine, environment: Record<string, string>) {
    this.database = database;
    this.#machine = machine;
    this.#environment = environment;
  }

  /** The authority's address leads nowhere: nothing here asks for it. */
  static async start(environment: Record<string, string>): Promise<BillpayProcess> {
    const machine = new Machine();
    const database = await createTestDatabase();
    const folder = await machine.folder();
    const bench = new BillpayProcess(database, machine, {
      DATA_DIR: folder,
      DATABASE_URL: database.url,
      AUTHORITY_URL: 'https://authority.invalid',
      MASTER_KEY: randomBytes(32).toString('base64'),
      ROLES: 'billpay,worker,console',
      ...environment,
    });
    await bench.startAgain();
    bench.#operatorToken = (await readFile(join(folder, 'operator-token'), 'utf8')).trim();
    return bench;
  }

  async startAgain(): Promise<void> {
    this.#service = this.#machine.start(this.#environment);
    this.#url = await this.#service.ready;
  }

  async kill(): Promise<void> {
    if (this.#service === undefined) return;
    process.kill(-this.#service.id, 'SIGKILL');
    await this.#service.ended;
    this.#logs += this.#service.stdout() + this.#service.stderr();
  }

  /** Everything that was ever logged. */
  logs(): string {
    return `${this.#logs}${this.#service?.stdout() ?? ''}${this.#service?.stderr() ?? ''}`;
  }

  async admin<Answer>(method: string, path: string, body?: object): Promise<Answer> {
    const response = await fetch(`${this.#url}/api/admin${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.#operatorToken}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    this.answers += text;
    return JSON.parse(text) as Answer;
  }

  /** What a vendor reads with its token. */
  async read<Answer>(token: string, path: string): Promise<Answer> {
    const response = await fetch(`${this.#url}${path}`, { headers: { authorization: `Bearer ${token}` } });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Answer;
  }

  async end(): Promise<void> {
    await this.#machine.end();
    await this.database.drop();
  }
}
