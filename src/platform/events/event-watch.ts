import type { Log } from '../logging/log.ts';

/** What other instances commit is seen within this time, while something waits. */
const LOOK_EVERY_MS = 200;
/** A new waiter or a commit of this instance starts a look at once; more of them within this time share the next look. */
const GATHER_MS = 50;
/** The pause after a look is this many times as long as the look took, up to a second: a busy database is asked less often. */
const PAUSE_BY_LOOK = 20;
const MAX_PAUSE_MS = 1000;

export interface MovedCounter {
  readonly tenantId: string;
  /** Of its newest event. */
  readonly number: bigint;
}

export interface EventWatchOptions {
  /** Which of these tenants have an event after the number beside them, in one question. */
  readonly moved: (tenantIds: readonly string[], after: readonly bigint[]) => Promise<readonly MovedCounter[]>;
  readonly log: Log;
}

interface Watcher {
  readonly after: bigint;
  readonly told: (hasEvents: boolean) => void;
}

/**
 * Everything in this process that waits for a tenant's events: polls, and whatever pushes them. The database is asked for all of them
 * together and only while something waits, so that ten thousand idle polls cost a query or two every 200 ms.
 */
export class EventWatch {
  readonly #options: EventWatchOptions;
  readonly #watchers = new Map<string, Set<Watcher>>();
  /** Tenants to be checked before the next check of all. */
  #fresh = new Set<string>();
  #isStopped = false;
  #isLooking = false;
  #isFailing = false;
  #timer: NodeJS.Timeout | undefined;
  #timerAtMs = 0;
  #endedAtMs = Number.NEGATIVE_INFINITY;
  #allDueAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: EventWatchOptions) {
    this.#options = options;
  }

  /**
   * Tells once, never before it has returned: true as soon as the tenant has an event after that number, false when the service stops.
   * Returns how to end it before.
   */
  watch(tenantId: string, after: bigint, told: Watcher['told']): () => void {
    const watcher = { after, told };
    const ofTenant = this.#watchers.get(tenantId) ?? new Set();
    this.#watchers.set(tenantId, ofTenant.add(watcher));
    this.#fresh.add(tenantId);
    if (this.#isStopped) queueMicrotask(() => this.stop());
    else this.#schedule();
    return () => this.#remove(tenantId, watcher);
  }

  /** This process has committed something for these tenants. */
  nudge(tenantIds: Iterable<string>): void {
    if (this.#watchers.size === 0) return;
    for (const tenantId of tenantIds) if (this.#watchers.has(tenantId)) this.#fresh.add(tenantId);
    if (this.#fresh.size > 0) this.#schedule();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    const all = [...this.#watchers.values()];
    this.#watchers.clear();
    for (const ofTenant of all) for (const { told } of ofTenant) told(false);
  }

  #remove(tenantId: string, watcher: Watcher): void {
    const ofTenant = this.#watchers.get(tenantId);
    ofTenant?.delete(watcher);
    if (ofTenant?.size === 0) this.#watchers.delete(tenantId);
  }

  #schedule(): void {
    if (this.#isLooking || this.#isStopped || this.#watchers.size === 0) return;
    const soonMs = this.#fresh.size > 0 ? this.#endedAtMs + GATHER_MS : Number.POSITIVE_INFINITY;
    const atMs = Math.min(soonMs, this.#allDueAtMs);
    if (this.#timer !== undefined && this.#timerAtMs <= atMs) return;
    clearTimeout(this.#timer);
    this.#timerAtMs = atMs;
    this.#timer = setTimeout(() => void this.#look(), Math.max(0, Math.ceil(atMs - performance.now())));
  }

  async #look(): Promise<void> {
    this.#timer = undefined;
    this.#isLooking = true;
    const startedAtMs = performance.now();
    // A timer may come a millisecond early.
    const isOfAll = startedAtMs >= this.#allDueAtMs - 1;
    const tenantIds = isOfAll ? [...this.#watchers.keys()] : [...this.#fresh].filter((id) => this.#watchers.has(id));
    this.#fresh = new Set();
    try {
      const after = tenantIds.map((tenantId) => this.#smallestAfter(tenantId));
      const moved = tenantIds.length === 0 ? [] : await this.#options.moved(tenantIds, after);
      for (const { tenantId, number } of moved) this.#tell(tenantId, number);
      this.#isFailing = false;
    } catch (error) {
      // Nothing is lost: waiting polls are notified by the next check that succeeds, or ask again when their time is up.
      if (!this.#isFailing) this.#options.log.warn({ err: error }, 'could not look for events that are waited for');
      this.#isFailing = true;
    }
    this.#endedAtMs = performance.now();
    if (isOfAll) {
      const tookMs = this.#endedAtMs - startedAtMs;
      this.#allDueAtMs = this.#endedAtMs + Math.min(Math.max(LOOK_EVERY_MS, tookMs * PAUSE_BY_LOOK), MAX_PAUSE_MS);
    }
    this.#isLooking = false;
    this.#schedule();
  }

  #smallestAfter(tenantId: string): bigint {
    let smallest: bigint | undefined;
    for (const { after } of this.#watchers.get(tenantId) ?? []) {
      if (smallest === undefined || after < smallest) smallest = after;
    }
    return smallest ?? 0n;
  }

  #tell(tenantId: string, number: bigint): void {
    for (const watcher of this.#watchers.get(tenantId) ?? []) {
      if (watcher.after >= number) continue;
      this.#remove(tenantId, watcher);
      watcher.told(true);
    }
  }
}
