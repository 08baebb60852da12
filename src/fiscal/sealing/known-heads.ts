import { LRUCache } from 'lru-cache';
import type { Head } from '../core/head.ts';
import { type DeviceKey, deviceText } from './seal-request.ts';
import type { MovedHead } from './store.ts';

const MAX_HEADS = 20_000;
const MAX_PROOFS = 16;
/** Another instance that was met once may be gone: after this long without a sign of it all heads are trusted again. */
const SHARED_FOR_MS = 1000;

interface Known {
  head: Head;
  /** How often in a row it was found under the lock as this process had left it. */
  proofs: number;
  proofsNeeded: number;
}

/**
 * The heads as this process leaves them. While no other instance seals on the same devices they are right, and a batch needs no
 * look before it writes; the write itself checks. Where others do, looking first is cheaper: after a guess that was wrong a
 * device has to be found unmoved again and again before the next one, as long as another instance is about.
 */
export class KnownHeads {
  readonly #known = new LRUCache<string, Known>({ max: MAX_HEADS });
  #lastMetOthersMs = Number.NEGATIVE_INFINITY;

  /** Undefined when it is not known, or a guess would not pay. */
  get(key: DeviceKey): Head | undefined {
    const known = this.#known.get(deviceText(key));
    return known && (known.proofs >= known.proofsNeeded || !this.areShared) ? known.head : undefined;
  }

  /** Whether another instance has been met on the same devices lately. */
  get areShared(): boolean {
    return performance.now() - this.#lastMetOthersMs < SHARED_FOR_MS;
  }

  foundUnderLock(heads: readonly Head[]): void {
    for (const head of heads) {
      const known = this.#known.get(deviceText(head));
      if (known === undefined) continue;
      if (isSame(known.head, head)) known.proofs += 1;
      else this.#doubt(known);
    }
  }

  /** Written under the lock, or sent to be written on condition that every guess was right. */
  remember(heads: readonly MovedHead[]): void {
    for (const { to } of heads) {
      const known = this.#known.get(deviceText(to));
      if (known) known.head = to;
      else this.#known.set(deviceText(to), { head: to, proofs: 0, proofsNeeded: 0 });
    }
  }

  /** One of them had moved, and it is not known which. A day that was opened or closed does that too, now and then. */
  guessedWrong(heads: readonly MovedHead[]): void {
    for (const { to } of heads) {
      const known = this.#known.get(deviceText(to));
      if (known === undefined) continue;
      this.#doubt(known);
      known.proofsNeeded = Math.min(Math.max(2, 2 * known.proofsNeeded), MAX_PROOFS);
    }
  }

  /** What was sent is not written, or that is not known. */
  forget(heads: readonly MovedHead[]): void {
    for (const { to } of heads) this.#known.delete(deviceText(to));
  }

  #doubt(known: Known): void {
    this.#lastMetOthersMs = performance.now();
    known.proofs = 0;
    known.proofsNeeded = Math.max(2, known.proofsNeeded);
  }
}

function isSame(a: Head, b: Head): boolean {
  return (
    a.globalCounter === b.globalCounter &&
    a.revision === b.revision &&
    a.dayState === b.dayState &&
    a.fiscalDayNumber === b.fiscalDayNumber &&
    (a.lastHash === undefined ? b.lastHash === undefined : b.lastHash?.equals(a.lastHash) === true)
  );
}
