import type { KeyObject } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import type { Log } from '../../platform/logging/log.ts';
import { signText } from './device-key.ts';

export interface ToSign {
  readonly key: KeyObject;
  readonly text: string;
}

export interface Signed extends ToSign {
  readonly signature: Buffer;
}

/** So few are signed faster than they are handed over. */
const FEW = 3;

interface Handed {
  readonly work: readonly ToSign[];
  readonly resolve: (signatures: Promise<Buffer[]> | Buffer[]) => void;
}

/** As many as a batch has. */
const MOST_KEPT = 500;

/** One is for this thread, one for the database and other processes. */
const BUSY_CORES = 2;

/**
 * Signs what a batch has decided. A signature takes as long as a whole bare request, so where there is a core to spare a second
 * thread makes them while the first parses and checks what comes next. One message there and one back for a whole batch:
 * a hand-over for each costs more than the signature.
 */
export class Signer {
  readonly #log: Log;
  readonly #ids = new WeakMap<KeyObject, number>();
  readonly #handed: Handed[] = [];
  #forgotten: number[] = [];
  #lastId = 0;
  /** When a key is no longer in use here, the thread forgets it too. */
  readonly #unused = new FinalizationRegistry<number>((id) => this.#forgotten.push(id));
  readonly #kept = new LRUCache<string, Signed>({ max: MOST_KEPT });
  #thread: Worker | undefined;
  #mayUseThread: boolean;

  constructor(log: Log, cores = availableParallelism()) {
    this.#log = log;
    this.#mayUseThread = cores > BUSY_CORES;
  }

  /** Signed and not written: what is decided alike again need not be signed again. */
  keep(signed: readonly Signed[]): void {
    for (const one of signed) this.#kept.set(one.text, one);
  }

  async signAll(work: readonly ToSign[]): Promise<Buffer[]> {
    if (this.#kept.size === 0) return this.#signAll(work);
    const kept = work.map(({ key, text }) => {
      const one = this.#kept.get(text);
      return one?.key === key ? one.signature : undefined;
    });
    for (const { text } of work) this.#kept.delete(text);
    const made = (await this.#signAll(work.filter((_, index) => kept[index] === undefined))).values();
    return kept.map((signature) => signature ?? (made.next().value as Buffer));
  }

  async #signAll(work: readonly ToSign[]): Promise<Buffer[]> {
    const isForThread = work.length > FEW && work.every(({ key }) => key.asymmetricKeyType === 'ec');
    if (!isForThread || !this.#mayUseThread) return signHere(work);
    // Started by the first batch that is worth it: a quiet shop never needs it.
    this.#thread ??= this.#startThread();
    const thread = this.#thread;
    return new Promise<Buffer[]>((resolve) => {
      const newKeys: [number, KeyObject][] = [];
      const keyIds = work.map(({ key }) => this.#ids.get(key) ?? this.#introduce(key, newKeys));
      this.#handed.push({ work, resolve });
      thread.postMessage({ newKeys, forgotten: this.#forgotten, keyIds, texts: work.map(({ text }) => text) });
      this.#forgotten = [];
    });
  }

  async close(): Promise<void> {
    this.#mayUseThread = false;
    await this.#thread?.terminate();
  }

  #introduce(key: KeyObject, newKeys: [number, KeyObject][]): number {
    this.#lastId += 1;
    const id = this.#lastId;
    newKeys.push([id, key]);
    this.#ids.set(key, id);
    this.#unused.register(key, id);
    return id;
  }

  #startThread(): Worker {
    const thread = new Worker(new URL('sign-thread.mjs', import.meta.url), {
      name: 'signer',
      execArgv: [],
      resourceLimits: { maxYoungGenerationSizeMb: 2 },
    });
    thread.unref();
    thread.on('message', ({ together, lengths }: { together: Uint8Array; lengths: number[] }) => {
      let at = together.byteOffset;
      const signatures = lengths.map((length) => {
        at += length;
        return Buffer.from(together.buffer, at - length, length);
      });
      this.#handed.shift()?.resolve(signatures);
    });
    thread.on('error', (error) => this.#log.error({ err: error }, 'the signing thread failed'));
    thread.on('exit', () => this.#goOnWithout());
    return thread;
  }

  /** Nothing is lost with the thread: what it had is signed here, only slower. */
  #goOnWithout(): void {
    this.#thread = undefined;
    this.#mayUseThread = false;
    for (const { work, resolve } of this.#handed.splice(0)) resolve(signHere(work));
  }
}

function signHere(work: readonly ToSign[]): Promise<Buffer[]> {
  return Promise.all(work.map(({ key, text }) => signText(key, text)));
}
