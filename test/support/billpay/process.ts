/** Bill payments as a process of its own on a database of its own, for journeys in which it is killed. */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { answerOf } from '../ask.ts';
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
    await this.#service?.kill();
    this.#logs = this.logs();
    this.#service = undefined;
  }

  /** Everything that was ever logged. */
  logs(): string {
    return `${this.#logs}${this.#service?.stdout() ?? ''}${this.#service?.stderr() ?? ''}`;
  }

  async admin<Answer>(method: string, path: string, body?: object): Promise<Answer> {
    const answer = await this.#ask<Answer>(this.#operatorToken, method, `/api/admin${path}`, body);
    this.answers += JSON.stringify(answer);
    return answer;
  }

  /** What a vendor reads with its token. */
  read<Answer>(token: string, path: string): Promise<Answer> {
    return this.#ask<Answer>(token, 'GET', path);
  }

  #ask<Answer>(token: string, method: string, path: string, body?: object): Promise<Answer> {
    return answerOf<Answer>({ url: this.#url, token }, method, path, body);
  }

  async end(): Promise<void> {
    await this.#machine.end();
    await this.database.drop();
  }
}
