import { LRUCache } from 'lru-cache';
import type { Head } from '../core/head.ts';
import { deviceText } from './decided.ts';
import type { DeviceKey, MovedHead } from './store.ts';

const MOST_HEADS = 20_000;
const MOST_PROOFS = 64;
const SHARED_FOR_MS = 1000;

interface Known {
  head: Head;
  wrongGuesses: number;
  /** How often it must be sealed on under the lock before the next guess. */
  proofsLeft: number;
}

/**
 * The heads as this process leaves them. While no other instance seals on the same devices they are right, and a batch needs no
 * look before it writes; the write itself checks. Where others do, looking first is cheaper: every guess that was wrong makes
 * it longer until that device's next.
 */
export class KnownHeads {
  readonly #known = new LRUCache<string, Known>({ max: MOST_HEADS });
  #lastWrongMs = Number.NEGATIVE_INFINITY;

  /** Undefined when it is not known, or a guess would not pay. */
  get(key: DeviceKey): Head | undefined {
    const known = this.#known.get(deviceText(key));
    return known?.proofsLeft === 0 ? known.head : undefined;
  }

  /** Whether another instance has been met on the same devices lately. */
  get areShared(): boolean {
    return performance.now() - this.#lastWrongMs < SHARED_FOR_MS;
  }

  /** Sent to be written on condition that every guess was right. */
  writtenAhead(heads: readonly MovedHead[]): void {
    for (const { to } of heads) this.#of(to).head = to;
  }

  sealedUnderLock(heads: readonly MovedHead[]): void {
    for (const { to } of heads) {
      const known = this.#of(to);
      known.head = to;
      known.proofsLeft = Math.max(0, known.proofsLeft - 1);
    }
  }

  guessedRight(heads: readonly MovedHead[]): void {
    for (const { to } of heads) {
      const known = this.#of(to);
      known.wrongGuesses = Math.max(0, known.wrongGuesses - 1);
    }
  }

  /** One of them had moved, nobody knows which. A day that was opened or closed does that too, now and then. */
  guessedWrong(heads: readonly MovedHead[]): void {
    this.#lastWrongMs = performance.now();
    for (const { to } of heads) {
      const known = this.#of(to);
      known.wrongGuesses += 1;
      known.proofsLeft = Math.min(2 ** known.wrongGuesses, MOST_PROOFS);
    }
  }

  /** What was sent is not written, or nobody knows. */
  forget(heads: readonly MovedHead[]): void {
    for (const { to } of heads) {
      const known = this.#of(to);
      known.proofsLeft = Math.max(1, known.proofsLeft);
    }
  }

  #of(head: Head): Known {
    const key = deviceText(head);
    const known = this.#known.get(key) ?? { head, wrongGuesses: 0, proofsLeft: 0 };
    this.#known.set(key, known);
    return known;
  }
}
