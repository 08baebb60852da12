import type { Pool } from 'pg';
import type { Receipt, Sends } from '../../fdms/index.ts';
import { isPartialBuyer } from '../../fdms/index.ts';
import { open, raise, settle } from '../../platform/alerts/store.ts';
import type { Queryable } from '../../platform/database/database.ts';

/** What goes with a receipt besides what is signed: as it is set, until the authority has marked the first partial buyer. */
export class Sending {
  readonly #pool: Pool;
  readonly #set: Sends;
  #isRefused = false;

  constructor(pool: Pool, set: Sends) {
    this.#pool = pool;
    this.#set = set;
  }

  /** As this instance knows it. */
  get sends(): Sends {
    return this.#isRefused ? { ...this.#set, partialBuyers: false } : this.#set;
  }

  /** As every instance knows it, where it matters to the receipt. */
  async sendsWith(receipt: Receipt): Promise<Sends> {
    if (this.sends.partialBuyers && isPartialBuyer(receipt))
      this.#isRefused = (await open(this.#pool, 'BuyersNotTaken', {})).length > 0;
    return this.sends;
  }

  async refuse(tx: Queryable, reference: string): Promise<void> {
    this.#isRefused = true;
    const message = `The authority marked ${reference}, whose buyer lacks a TIN or name (RCPT043). Such buyers are printed and no longer sent: remove the setting SEND_PARTIAL_BUYERS.`;
    await raise(tx, { kind: 'BuyersNotTaken', message });
  }

  /** Who has removed the setting may set it again. */
  async begin(): Promise<void> {
    if (!this.#set.partialBuyers) await settle(this.#pool, 'BuyersNotTaken', {});
  }
}
