import type { Transaction } from '../../platform/database.ts';
import { lockClocks, moveClocks } from './settle-store.ts';

/** The clocks of these billers, locked until the end of the transaction. */
export class BillerClocks {
  readonly #last: Map<string, Date | undefined>;
  readonly #moved = new Map<string, Date>();

  private constructor(last: Map<string, Date | undefined>) {
    this.#last = last;
  }

  static async lock(tx: Transaction, codes: Iterable<string>): Promise<BillerClocks> {
    return new BillerClocks(await lockClocks(tx, [...new Set(codes)]));
  }

  /** Now, or one millisecond after the last payment of the biller: its moments increase strictly. */
  next(billerCode: string, now: Date): Date {
    const last = this.#last.get(billerCode);
    if (last === undefined && !this.#last.has(billerCode)) throw new Error('a biller without a locked clock was paid');
    const moment = last !== undefined && last >= now ? new Date(last.getTime() + 1) : now;
    this.#last.set(billerCode, moment);
    this.#moved.set(billerCode, moment);
    return moment;
  }

  async save(tx: Transaction): Promise<void> {
    if (this.#moved.size > 0) await moveClocks(tx, this.#moved);
  }
}
