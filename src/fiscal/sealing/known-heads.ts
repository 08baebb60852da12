import { LRUCache } from 'lru-cache';
import type { Head } from '../core/head.ts';
import { type DeviceKey, deviceText } from '../core/keys.ts';
import type { MovedHead } from './store.ts';

const MAX_HEADS = 20_000;
/** Another instance that was met once may be gone: after this long without a sign of it a head is trusted again. */
const SHARED_FOR_MS = 1000;

interface Known {
  head: Head;
  trustedFromMs: number;
}

/**
 * The heads as this process leaves them. While no other instance seals on the same devices they are right, and a batch needs no
 * look before it writes; the write itself checks. Where others do, looking first is cheaper: after a guess that was wrong a
 * device is looked at for a while.
 */
export class KnownHeads {
  readonly #known = new LRUCache<string, Known>({ max: MAX_HEADS });
  #sharedUntilMs = 0;

  /** Undefined when it is not known, or a guess would not pay. */
  get(key: DeviceKey): Head | undefined {
    const known = this.#known.get(deviceText(key));
    return known && known.trustedFromMs <= performance.now() ? known.head : undefined;
  }

  /** Whether another instance has been met on the same devices lately. */
  get areShared(): boolean {
    return performance.now() < this.#sharedUntilMs;
  }

  foundUnderLock(heads: readonly Head[]): void {
    for (const head of heads) {
      const known = this.#known.get(deviceText(head));
      if (known && !isSame(known.head, head)) this.#doubt(known);
    }
  }

  /** Written under the lock, or sent to be written on condition that every guess was right. */
  remember(heads: readonly MovedHead[]): void {
    for (const { to } of heads) {
      const known = this.#known.get(deviceText(to));
      if (known) known.head = to;
      else this.#known.set(deviceText(to), { head: to, trustedFromMs: 0 });
    }
  }

  /** One of them had moved, and it is not known which. A day that was opened or closed does that too, now and then. */
  guessedWrong(heads: readonly MovedHead[]): void {
    for (const { to } of heads) {
      const known = this.#known.get(deviceText(to));
      if (known) this.#doubt(known);
    }
  }

  /** What was sent is not written, or that is not known. */
  forget(heads: readonly MovedHead[]): void {
    for (const { to } of heads) this.#known.delete(deviceText(to));
  }

  #doubt(known: Known): void {
    known.trustedFromMs = performance.now() + SHARED_FOR_MS;
    this.#sharedUntilMs = known.trustedFromMs;
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
