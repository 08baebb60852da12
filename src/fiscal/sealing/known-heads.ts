import { LRUCache } from 'lru-cache';
import type { Head } from '../core/head.ts';
import { deviceText } from './decided.ts';
import type { DeviceKey, MovedHead } from './store.ts';

const MOST_HEADS = 20_000;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 10_000;

/**
 * The heads as this process leaves them. While no other instance seals on the same devices they are right, and a batch needs no
 * look before it writes; the write itself checks. Where others do, looking first is cheaper: every guess that
 * was wrong makes the pause before the next one longer.
 */
export class KnownHeads {
  readonly #heads = new LRUCache<string, Head>({ max: MOST_HEADS });
  #wrongGuesses = 0;
  #pausedUntilMs = 0;

  /** Undefined when it is not known, or guessing does not pay at present. */
  get(key: DeviceKey): Head | undefined {
    return this.isGuessing ? this.#heads.get(deviceText(key)) : undefined;
  }

  get isGuessing(): boolean {
    return performance.now() >= this.#pausedUntilMs;
  }

  /** As they stand when everything that was sent is written. */
  remember(heads: readonly MovedHead[]): void {
    for (const { to } of heads) this.#heads.set(deviceText(to), to);
  }

  /** What was sent is not written, or nobody knows. */
  forget(heads: readonly MovedHead[]): void {
    for (const { to } of heads) this.#heads.delete(deviceText(to));
  }

  guessedRight(): void {
    this.#wrongGuesses = 0;
  }

  /** One of them had moved. A day that was opened or closed does that now and then, so the first costs no pause. */
  guessedWrong(): void {
    const pauseMs = this.#wrongGuesses === 0 ? 0 : FIRST_PAUSE_MS * 2 ** this.#wrongGuesses;
    this.#pausedUntilMs = performance.now() + Math.min(pauseMs, LONGEST_PAUSE_MS);
    this.#wrongGuesses = Math.min(this.#wrongGuesses + 1, 20);
  }
}
