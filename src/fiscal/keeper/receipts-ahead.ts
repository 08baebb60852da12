import type { Pool } from 'pg';
import { epochOf, passBarrier } from '../../platform/database/barrier.ts';
import { GroupCommit, together } from '../../platform/database/group-commit.ts';
import { type DeviceKey, deviceText, type ReceiptKey } from '../core/keys.ts';
import { type NextReceipt, type NextWanted, readNextReceipts } from '../submission/store.ts';

/** So many receipts wait in memory, about 3 kB each; those of a lane that has more are read when their turn comes. */
const MAX_RECEIPTS = 5000;
const MAX_OF_A_LANE = 16;
const READ_AT_ONCE = 8;

/**
 * The next receipts of the lanes held here: handed over when they were sealed here, otherwise read, some at once and for many lanes
 * with one statement. Either way the standby has them, so they may be sent: what was read has passed the barrier.
 */
export class ReceiptsAhead {
  readonly #ahead = new Map<string, NextReceipt[]>();
  readonly #reads: GroupCommit<NextWanted, NextReceipt[]>;
  #size = 0;

  constructor(pool: Pool) {
    this.#reads = new GroupCommit({
      name: 'read receipts',
      work: together(async (wanted) => {
        const epoch = epochOf(pool);
        const found = await readNextReceipts(pool, wanted);
        await passBarrier(pool, epoch);
        return found;
      }),
      maxPerBatch: 200,
    });
  }

  /** Sealed here a moment ago. Kept if it follows what is here of its lane, so that what is here has no gap. */
  add(key: DeviceKey, next: NextReceipt): void {
    const own = this.#ahead.get(deviceText(key)) ?? [];
    const last = own.at(-1)?.globalCounter ?? next.globalCounter - 1;
    if (this.#size >= MAX_RECEIPTS || own.length >= MAX_OF_A_LANE || next.globalCounter !== last + 1) return;
    this.#ahead.set(deviceText(key), own);
    own.push(next);
    this.#size += 1;
  }

  /** Undefined when there is no such receipt. */
  async take(key: ReceiptKey): Promise<NextReceipt | undefined> {
    return this.#shift(key) ?? (await this.#read(key));
  }

  /** As it stands now. */
  async readAgain(key: ReceiptKey): Promise<NextReceipt | undefined> {
    this.forget(key);
    return this.#read(key);
  }

  forget(key: DeviceKey): void {
    this.#size -= this.#ahead.get(deviceText(key))?.length ?? 0;
    this.#ahead.delete(deviceText(key));
  }

  #shift(key: ReceiptKey): NextReceipt | undefined {
    const own = this.#ahead.get(deviceText(key));
    const next = own?.shift();
    if (next === undefined) return undefined;
    this.#size -= 1;
    if (own?.length === 0) this.#ahead.delete(deviceText(key));
    if (next.globalCounter === key.globalCounter) return next;
    this.forget(key);
    return undefined;
  }

  async #read(key: ReceiptKey): Promise<NextReceipt | undefined> {
    const count = this.#size < MAX_RECEIPTS ? READ_AT_ONCE : 1;
    const [next, ...more] = await this.#reads.run({ ...key, count });
    this.forget(key);
    if (next?.globalCounter !== key.globalCounter) return undefined;
    for (const one of more) this.add(key, one);
    return next;
  }
}
