import type { Head } from '../core/head.ts';
import { type DeviceKey, deviceText } from '../core/keys.ts';
import type { LastReceipt } from '../devices/hold-device.ts';

/**
 * The last receipt of each device whose commit this process saw acknowledged: what no database that is still the same one can lack.
 * Kept whatever else is forgotten; what was sent and not acknowledged is never here. One entry per device that sells here.
 */
export class Acknowledged {
  readonly #last = new Map<string, LastReceipt>();

  note(receipt: LastReceipt): void {
    const key = deviceText(receipt);
    const known = this.#last.get(key);
    if (known === undefined || known.globalCounter < receipt.globalCounter) this.#last.set(key, receipt);
  }

  /** Heads as they were left by receipts that were committed. */
  noteHeads(moved: readonly { readonly to: Head }[]): void {
    for (const { to } of moved) {
      const { taxpayerId, deviceId, globalCounter, fiscalDayNumber, fiscalDayCounter } = to;
      const { lastHash: hash, lastWallSeconds: wallSeconds } = to;
      if (hash === undefined || wallSeconds === undefined) continue;
      this.note({ taxpayerId, deviceId, globalCounter, fiscalDayNumber, fiscalDayCounter, hash, wallSeconds });
    }
  }

  /** The receipt that this head, found under its lock, says nothing of; undefined when the head may well be behind it. */
  missingIn(head: Head): LastReceipt | undefined {
    const known = this.#last.get(deviceText(head));
    if (known === undefined || known.globalCounter < head.globalCounter) return undefined;
    if (known.globalCounter > head.globalCounter) return known;
    // The first receipt of a day follows no hash: then only the tables can tell.
    return head.lastHash === undefined || head.lastHash.equals(known.hash) ? undefined : known;
  }

  /** The receipt that this process had answered with the same number, where it was another one. */
  otherThan(
    key: DeviceKey,
    { globalCounter, hash }: Pick<LastReceipt, 'globalCounter' | 'hash'>,
  ): LastReceipt | undefined {
    const known = this.#last.get(deviceText(key));
    return known?.globalCounter === globalCounter && !known.hash.equals(hash) ? known : undefined;
  }

  all(): readonly LastReceipt[] {
    return [...this.#last.values()];
  }
}
