import { recentlyUsed } from '../../platform/recently-used.ts';
import type { Head } from '../core/head.ts';
import { type DeviceKey, deviceText } from '../core/keys.ts';
import type { MovedHead } from './store.ts';

const MAX_HEADS = 20_000;
/** Another instance that was met once may be gone: so many looks in a row that find the head as it was left say so. */
const LOOKS = 8;
/** How long this process seals as one among others after it has met one. */
const SHARED_FOR_MS = 1000;

interface Known {
  /** With what is on its way to be written. */
  head: Head;
  /** As it is surely written. */
  written: Head;
  /** How often it is to be looked at before it is trusted. */
  looks: number;
}

/**
 * The heads as this process leaves them. While no other instance seals on the same devices they are right, and a batch needs no
 * look before it writes; the write itself checks. Where others do, looking first is cheaper: a device that was found moved is
 * looked at until it is this process's alone again.
 */
export class KnownHeads {
  readonly #known = recentlyUsed<Known>(MAX_HEADS);
  #sharedUntilMs = 0;

  /** Undefined when it is not known, or a guess would not pay. */
  get(key: DeviceKey): Head | undefined {
    const known = this.#known.get(deviceText(key));
    return known?.looks === 0 ? known.head : undefined;
  }

  /** Whether another instance has been met on the same devices lately. */
  get areShared(): boolean {
    return performance.now() < this.#sharedUntilMs;
  }

  foundUnderLock(heads: readonly Head[]): void {
    for (const head of heads) {
      const known = this.#known.get(deviceText(head));
      if (known === undefined) continue;
      if (isSame(known.written, head) || isSame(known.head, head)) known.looks = Math.max(0, known.looks - 1);
      else {
        known.looks = LOOKS;
        this.#sharedUntilMs = performance.now() + SHARED_FOR_MS;
      }
    }
  }

  /** Sent to be written on condition that every guess was right. */
  expect(heads: readonly MovedHead[]): void {
    for (const { to } of heads) {
      const known = this.#known.get(deviceText(to));
      if (known) known.head = to;
    }
  }

  /** Written after a guess that was right. */
  confirm(heads: readonly MovedHead[]): void {
    for (const { to } of heads) {
      const known = this.#known.get(deviceText(to));
      if (known && to.globalCounter > known.written.globalCounter) known.written = to;
    }
  }

  /** Written under the lock. */
  remember(heads: readonly MovedHead[]): void {
    for (const { to } of heads) {
      const looks = this.#known.get(deviceText(to))?.looks ?? 0;
      this.#known.set(deviceText(to), { head: to, written: to, looks });
    }
  }

  /** One of them had moved, and the next look says which. A day that was opened or closed does that too, now and then. */
  guessedWrong(heads: readonly MovedHead[]): void {
    for (const { to } of heads) {
      const known = this.#known.get(deviceText(to));
      if (known === undefined) continue;
      known.head = known.written;
      known.looks = Math.max(1, known.looks);
    }
  }

  /** What was sent is not written, or that is not known. */
  forget(heads: readonly MovedHead[]): void {
    for (const { to } of heads) this.#known.delete(deviceText(to));
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
