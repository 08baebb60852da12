import type { Client } from 'pg';
import type { Log } from '../logging/log.ts';
import { PASS } from './barrier.ts';
import { isNewer } from './choose-primary.ts';
import type { Primary } from './primary.ts';
import { askLineage, askServer } from './server.ts';

const BEAT_MS = 2000;
/** Counted in beats and not in time: a service that was stopped itself must not condemn the database for that. */
const MAX_MISSED = 4;
/** So long may commits wait before another server is looked for, and people are told. */
const MAX_COMMIT_WAIT_SECONDS = 8;

/** The database as operators and load balancers are told of it. */
export interface DatabaseState {
  readonly isThere: boolean;
  readonly commitWaitSeconds: number;
  readonly isWaiting: boolean;
  readonly hasWaitedLong: boolean;
}

/**
 * Asks the primary on a connection of its own whether it is there. TCP does not tell: a frozen machine acknowledges what it is sent for
 * ever, and one that was cut off is given up after a quarter of an hour. A server that has not answered for eight seconds is left, with
 * all its connections. One that answers while its commits wait is left only for another that confirms a commit; else the commits
 * may still come through, and what waits for them is answered 503.
 */
export class PrimaryWatch implements DatabaseState {
  readonly #primary: Primary;
  readonly #log: Log;
  #timer: NodeJS.Timeout | undefined;
  #client: Promise<Client> | undefined;
  #beat: Promise<void> | undefined;
  #missed = 0;
  #isThere = true;
  #commitWaitSeconds = 0;
  /** Transactions that waited for a standby at the last beat. */
  #waiting: readonly string[] = [];
  readonly #onBeat: (() => unknown)[] = [];

  constructor(primary: Primary, log: Log) {
    this.#primary = primary;
    this.#log = log;
  }

  /** Whether there is a server that answers and takes writes. */
  get isThere(): boolean {
    return this.#isThere;
  }

  /** For how long the oldest commit has been waiting for a standby; 0 when none waits. */
  get commitWaitSeconds(): number {
    return this.#commitWaitSeconds;
  }

  /** Since two beats in a row found the same transaction waiting, and no commit was confirmed. */
  get isWaiting(): boolean {
    return this.#primary.isWaiting;
  }

  get hasWaitedLong(): boolean {
    return this.isWaiting && this.#commitWaitSeconds > MAX_COMMIT_WAIT_SECONDS;
  }

  /** Called after each answer of the primary. */
  onBeat(listener: () => unknown): void {
    this.#onBeat.push(listener);
  }

  start(): void {
    this.#timer = setInterval(() => this.#tick(), BEAT_MS);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    const client = await this.#client?.catch(() => undefined);
    client?.connection.stream.destroy();
  }

  #tick(): void {
    if (this.#beat === undefined) {
      this.#beat = this.#ask()
        .catch((error: unknown) => this.#lost(error))
        .finally(() => {
          this.#beat = undefined;
          this.#missed = 0;
        });
      return;
    }
    this.#missed += 1;
    if (this.#missed < MAX_MISSED) return;
    this.#lost(new Error(`no answer to ${MAX_MISSED} heartbeats`));
    this.#missed = 0;
    this.#primary.lose(this.#primary.hosts.current, true);
    this.#primary.leave();
  }

  async #ask(): Promise<void> {
    this.#client ??= this.#primary.connect({ application_name: 'tillseal heartbeat' });
    const mine = this.#client;
    const server = await mine.then(askServer).catch((error: unknown) => {
      if (this.#client === mine) this.#client = undefined;
      throw error;
    });
    if (server.isReplicated !== this.#primary.isReplicated) this.#primary.isReplicated = server.isReplicated;
    if (!this.#isThere) this.#log.info({}, 'the database answers again');
    this.#isThere = true;
    // Under load some commit waits at every beat, each for a moment.
    this.#primary.isWaiting = server.waiting.some((one) => this.#waiting.includes(one));
    this.#waiting = server.waiting;
    this.#commitWaitSeconds = server.commitWaitSeconds;
    for (const listener of this.#onBeat) listener();
    if (this.hasWaitedLong) await this.#lookElsewhere();
  }

  #lost(error: unknown): void {
    if (this.#isThere) this.#log.warn({ err: error }, 'the database does not answer: its connections are made anew');
    this.#isThere = false;
    this.#commitWaitSeconds = 0;
    this.#waiting = [];
  }

  /** A standby was promoted beside this server, which does not know it: only who confirms a commit takes its place. */
  async #lookElsewhere(): Promise<void> {
    const { hosts, server } = this.#primary;
    const others = await hosts.ask(async (client) => {
      const other = await askLineage(client);
      if (server === undefined || other.isStandby || !isNewer(other, server)) throw new Error('it is no newer one');
      await client.query(PASS);
      return other;
    });
    if (this.#primary.choose(others).kind !== 'use') return;
    this.#log.warn({}, 'another server confirms commits and this one does not: the database has moved');
  }
}
