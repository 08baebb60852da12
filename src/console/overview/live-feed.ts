import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../../platform/logging/log.ts';

/** A viewer: `send` gets each update, `isWelcome` is asked from time to time. */
export interface Listener {
  readonly send: (news: string) => void;
  readonly isWelcome: () => Promise<boolean>;
  readonly end: () => void;
}

const EVERY_MS = 1000;
/** Reading takes at most this share of the time, however slow the database is … */
const SHARE = 10;
/** … but one slow read, such as the first on a busy machine, must not leave all viewers without an update for half a minute. */
const MAX_MS = 4000;
const WELCOME_EVERY_MS = 15_000;

/**
 * Reads once for all viewers, once a second and only while there are any, and sends what has changed. The text that was
 * sent last is sent to each new viewer, so none waits for the next change.
 */
export class LiveFeed {
  readonly #read: () => Promise<string>;
  readonly #log: Log;
  readonly #listeners = new Set<Listener>();
  #last = '';
  #isRunning = false;

  constructor(read: () => Promise<string>, log: Log) {
    this.#read = read;
    this.#log = log;
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  add(listener: Listener): void {
    this.#listeners.add(listener);
    if (this.#isRunning && this.#last !== '') listener.send(this.#last);
    if (!this.#isRunning) void this.#run();
  }

  remove(listener: Listener): void {
    this.#listeners.delete(listener);
  }

  close(): void {
    for (const listener of this.#listeners) listener.end();
    this.#listeners.clear();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    this.#last = '';
    let welcomedAt = performance.now();
    while (this.#listeners.size > 0) {
      const startedAt = performance.now();
      await this.#tell();
      if (startedAt - welcomedAt > WELCOME_EVERY_MS) {
        welcomedAt = startedAt;
        await this.#sendAwayStrangers();
      }
      const tookMs = performance.now() - startedAt;
      await delay(Math.max(EVERY_MS - tookMs, Math.min(tookMs * SHARE, MAX_MS)), undefined, { ref: false });
    }
    this.#isRunning = false;
  }

  async #tell(): Promise<void> {
    try {
      const news = await this.#read();
      if (news === this.#last) return;
      this.#last = news;
      for (const listener of this.#listeners) listener.send(news);
    } catch (error) {
      this.#log.warn({ err: error }, 'the overview could not be read');
    }
  }

  /** Who has logged out, or was logged out, hears nothing more. */
  async #sendAwayStrangers(): Promise<void> {
    for (const listener of this.#listeners) {
      if (await listener.isWelcome().catch(() => true)) continue;
      this.#listeners.delete(listener);
      listener.end();
    }
  }
}
