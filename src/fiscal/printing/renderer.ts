import { Worker } from 'node:worker_threads';
import type { Job, JobAnswer, JobOutcome } from './job.ts';

/** How long the thread is kept without work: it holds fonts and libraries, some tens of megabytes. */
const IDLE_MS = 30_000;
const LONGEST_JOB_MS = 20_000;
const MOST_WAITING = 50;
const MEMORY_MB = 256;

interface Waiting {
  readonly job: Job;
  readonly resolve: (outcome: JobOutcome) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Draws what takes long in a thread of its own, which is started by the first job and ended when there is none: a service
 * that prints nothing pays nothing for it. One job at a time, so that printing takes at most one core from sealing.
 */
export class Renderer {
  #worker: Worker | undefined;
  #current: Waiting | undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly #queue: Waiting[] = [];

  /** Busy when too much is waiting already. */
  async render(job: Job): Promise<JobOutcome | { readonly kind: 'busy' }> {
    if (this.#queue.length >= MOST_WAITING) return { kind: 'busy' };
    return new Promise((resolve, reject) => {
      this.#queue.push({ job, resolve, reject });
      this.#next();
    });
  }

  async close(): Promise<void> {
    const left = [this.#current, ...this.#queue.splice(0)];
    await this.#end();
    for (const waiting of left) waiting?.reject(new Error('the renderer was closed'));
  }

  #next(): void {
    if (this.#current !== undefined) return;
    clearTimeout(this.#timer);
    this.#current = this.#queue.shift();
    if (this.#current === undefined) {
      this.#timer = setTimeout(() => void this.#end(), IDLE_MS).unref();
      return;
    }
    this.#worker ??= this.#start();
    this.#worker.ref();
    this.#timer = setTimeout(() => this.#fail(new Error(`not drawn within ${LONGEST_JOB_MS} ms`)), LONGEST_JOB_MS);
    this.#worker.postMessage(this.#current.job, []);
  }

  #start(): Worker {
    const worker = new Worker(new URL('./worker/main.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
    });
    // One that was given up may still have something to say.
    worker.on('message', (answer: JobAnswer) => {
      if (this.#worker === worker) this.#settle(answer);
    });
    worker.on('error', (error) => {
      if (this.#worker === worker) this.#fail(error instanceof Error ? error : new Error(String(error)));
    });
    return worker;
  }

  #settle(answer: JobAnswer): void {
    const waiting = this.#current;
    this.#current = undefined;
    this.#worker?.unref();
    if ('outcome' in answer) waiting?.resolve(answer.outcome);
    else waiting?.reject(new Error(`drawing failed: ${answer.failure}`));
    this.#next();
  }

  /** The thread died, ran out of memory or takes too long: the next job gets a new one. */
  #fail(error: Error): void {
    const waiting = this.#current;
    void this.#end();
    waiting?.reject(error);
    this.#next();
  }

  async #end(): Promise<void> {
    clearTimeout(this.#timer);
    const worker = this.#worker;
    this.#worker = undefined;
    this.#current = undefined;
    await worker?.terminate();
  }
}
