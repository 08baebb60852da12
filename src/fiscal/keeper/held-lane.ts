import { isChainHeld } from '../core/hold.ts';
import type { Lease } from '../lanes/lease-store.ts';
import type { LaneSituation } from './situation-store.ts';

/**
 * A lane that this instance holds, with what it knows of it: as it was read, and what was sealed and accepted here since. Nothing else
 * changes a lane that is held without waking it, so there is no need to look before every receipt; the fence protects what is written.
 */
export class HeldLane {
  readonly lease: Lease;
  state: 'runs' | 'rests' | 'is released' = 'rests';
  /** Something happened that its turn may not have seen; poked: that only a look at the tables tells. */
  hasNews = false;
  isPoked = false;
  renewedAtMs: number;
  /** While it rests: when something is due in it. */
  dueAtSeconds = Number.POSITIVE_INFINITY;
  #situation: LaneSituation | undefined;
  #timesForgotten = 0;
  #sealedThrough = 0;

  constructor(lease: Lease, sinceMs: number) {
    this.lease = lease;
    this.renewedAtMs = sinceMs;
  }

  /** As far as it is known at this time; undefined when only a look can tell. */
  situationAt(nowSeconds: number): LaneSituation | undefined {
    if (this.#situation === undefined) return undefined;
    const { head } = this.#situation;
    const globalCounter = Math.max(head.globalCounter, this.#sealedThrough);
    return { ...this.#situation, head: { ...head, globalCounter }, nowSeconds };
  }

  /** What is read while something new comes may be old already: it is used once, and not kept. */
  async look(read: (lease: Lease) => Promise<LaneSituation>): Promise<LaneSituation> {
    const forgotten = this.#timesForgotten;
    const situation = await read(this.lease);
    if (forgotten === this.#timesForgotten) this.#situation = situation;
    return situation;
  }

  forget(): void {
    this.#situation = undefined;
    this.#timesForgotten += 1;
  }

  poke(): void {
    this.forget();
    this.hasNews = true;
    this.isPoked = true;
  }

  /** Whatever comes from now on is news. */
  begin(): void {
    this.hasNews = false;
    this.isPoked = false;
  }

  sealed(globalCounter: number): void {
    this.#sealedThrough = Math.max(this.#sealedThrough, globalCounter);
    this.hasNews = true;
  }

  accepted(globalCounter: number): void {
    this.renewedAtMs = performance.now();
    if (this.#situation === undefined) return;
    const lane = { ...this.#situation.lane, submittedThrough: globalCounter };
    this.#situation = { ...this.#situation, lane, failures: 0 };
  }

  /** How many stand before a receipt; undefined when that is not known, or something has to be settled first. */
  queuedBefore(globalCounter: number): number | 'being taken' | undefined {
    if (this.#situation === undefined) return this.#timesForgotten === 0 ? 'being taken' : undefined;
    const { lane, device } = this.#situation;
    if (lane.isStopped || lane.isRefused || isChainHeld(device)) return undefined;
    return Math.max(0, globalCounter - lane.submittedThrough - 1);
  }
}
