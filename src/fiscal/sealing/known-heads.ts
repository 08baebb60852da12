import { LRUCache } from 'lru-cache';
import type { Head } from '../core/head.ts';
import type { DeviceKey } from './store.ts';

const MOST_HEADS = 20_000;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 10_000;

/**
 * The heads as this process left them. While no other instance seals on the same devices they are right, and a batch needs no
 * look before it writes; the write itself checks. Where others do, looking first is cheaper: every guess that
 * was wrong makes the pause before the next one longer.
 */
export class KnownHeads {
  readonly #heads = new LRUCache<string, Head>({ max: MOST_HEADS });
  #wrongGuesses = 0;
  #pausedUntilMs = 0;

  /** All of them, or undefined. */
  find(keys: readonly DeviceKey[]): Head[] | undefined {
    if (performance.now() < this.#pausedUntilMs) return undefined;
    const heads: Head[] = [];
    for (const key of keys) {
      const head = this.#heads.get(deviceText(key));
      if (head === undefined) return undefined;
      heads.push(head);
    }
    return heads;
  }

  /** Written and committed like this. */
  remember(heads: Iterable<Head>): void {
    for (const head of heads) this.#heads.set(deviceText(head), head);
  }

  guessedRight(): void {
    this.#wrongGuesses = 0;
  }

  /** One of them had moved. A day that was opened or closed does that now and then, so the first costs no pause. */
  guessedWrong(keys: readonly DeviceKey[]): void {
    for (const key of keys) this.#heads.delete(deviceText(key));
    const pauseMs = this.#wrongGuesses === 0 ? 0 : FIRST_PAUSE_MS * 2 ** this.#wrongGuesses;
    this.#pausedUntilMs = performance.now() + Math.min(pauseMs, LONGEST_PAUSE_MS);
    this.#wrongGuesses = Math.min(this.#wrongGuesses + 1, 20);
  }
}

export function deviceText(key: DeviceKey): string {
  return `${key.taxpayerId}:${key.deviceId}`;
}
