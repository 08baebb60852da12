import { extname } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { BackgroundProcess } from '../../platform/work/background.ts';
import { FairQueue, type QueueLimits } from '../../platform/work/fair-queue.ts';
import type { Job, JobOutcome } from './job.ts';

export interface RenderedFor {
  readonly taxpayerId: string;
  readonly isLong: boolean;
  /** Whether the caller still waits for it when its turn comes. */
  readonly isWanted: () => boolean;
}

export type RenderOutcome = JobOutcome | { readonly kind: 'holder-full' } | { readonly kind: 'full' };

interface Waiting {
  readonly job: Job;
  readonly isWanted: () => boolean;
  readonly resolve: (outcome: RenderOutcome) => void;
  readonly reject: (error: Error) => void;
}

interface LaneLimits extends QueueLimits {
  readonly idleMs: number;
}

const MEMORY_MB = 256;
/** Proxies wait no longer than this. */
const MAX_JOB_MS = 60_000;
/** Where the machine has no time for drawing: who waits is told to come again before the connection is taken for dead. */
const MAX_WAIT_MS = 30_000;
/** All tills of a chain may print at the same moment. */
const SHORT: LaneLimits = { total: 200, perHolder: 20, idleMs: 30_000 };
/** Seconds and hundreds of megabytes each; the memory is free again with the process. */
const LONG: LaneLimits = { total: 20, perHolder: 2, idleMs: 5000 };

/**
 * Draws short documents in one process and long ones in another, in both by turns of the taxpayers: the receipt of a customer
 * who is waiting waits for one short document of each other taxpayer, and for no long one. At most two cores at a time, and
 * behind all that seals.
 */
export class Renderer {
  readonly #short = new Lane(SHORT);
  readonly #long = new Lane(LONG);

  /** Full when too much is waiting already, of this taxpayer or of all. */
  render(job: Job, who: RenderedFor): Promise<RenderOutcome> {
    return (who.isLong ? this.#long : this.#short).render(job, who);
  }

  /** Whether no more long documents of this taxpayer would be taken. */
  isFullOfLong(taxpayerId: string): boolean {
    return this.#long.isFullFor(taxpayerId);
  }

  async close(): Promise<void> {
    await Promise.all([this.#short.close(), this.#long.close()]);
  }
}

class Lane {
  readonly #queue: FairQueue<Waiting>;
  readonly #helper: BackgroundProcess<Job, JobOutcome>;

  constructor({ idleMs, ...limits }: LaneLimits) {
    this.#queue = new FairQueue(limits);
    const file = new URL(`./worker/main${extname(import.meta.filename)}`, import.meta.url);
    this.#helper = new BackgroundProcess({ file, idleMs, longestJobMs: MAX_JOB_MS, memoryMb: MEMORY_MB });
  }

  render(job: Job, { taxpayerId, isWanted }: RenderedFor): Promise<RenderOutcome> {
    const givenUpAt = performance.now() + MAX_WAIT_MS;
    const isWaiting = () => isWanted() && performance.now() < givenUpAt;
    return new Promise((resolve, reject) => {
      const kind = this.#queue.push(taxpayerId, { job, isWanted: isWaiting, resolve, reject });
      if (kind === 'waits') this.#next();
      else resolve({ kind });
    });
  }

  isFullFor(taxpayerId: string): boolean {
    return this.#queue.isFullFor(taxpayerId);
  }

  async close(): Promise<void> {
    for (let left = this.#queue.shift(); left !== undefined; left = this.#queue.shift()) {
      left.reject(new Error('the renderer was closed'));
    }
    await this.#helper.close();
  }

  #next(): void {
    const next = this.#helper.isBusy ? undefined : this.#nextWanted();
    if (next === undefined) return;
    this.#helper
      .run(next.job)
      .then(next.resolve)
      .catch(next.reject)
      .finally(() => this.#next());
  }

  #nextWanted(): Waiting | undefined {
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      if (next.isWanted()) return next;
      next.resolve({ kind: 'full' });
    }
    return undefined;
  }
}

/** The renderer of this server: one for all its routes, ended with it. */
export function attachRenderer(app: FastifyInstance): Renderer {
  if (!app.hasDecorator('renderer')) {
    const renderer = new Renderer();
    app.decorate('renderer', renderer);
    app.addHook('onClose', () => renderer.close());
  }
  return app.getDecorator<Renderer>('renderer');
}
