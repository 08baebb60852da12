import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/logging/log.ts';
import { DueWork, regularly } from '../../platform/work/due.ts';
import { type ClaimedInvoice, claimInvoices, extendLeases } from '../invoices/job-store.ts';
import type { PrepareContext } from './prepare-invoice.ts';
import { requestInvoice } from './request-invoice.ts';
import { createSigningClient } from './signing-client.ts';

export interface InvoiceWorkerOptions extends PrepareContext {
  readonly clock: Clock;
  readonly log: Log;
  readonly fiscalUrl: string;
  readonly pollMs?: number;
  readonly deadlineMs?: number;
}

const CONCURRENCY = 16;
/** There is no notification of a new invoice: one per payment would cost payers more than half a second costs an invoice. */
const POLL_MS = 500;
/** What a killed process held is taken up again after this time. Short, because a living one extends it. */
const LEASE_MS = 6000;
const EXTEND_MS = 2000;
const STOP_GRACE_MS = 2000;

/** Seals what is due, on as many instances as there are. */
export class InvoiceWorker {
  readonly #options: InvoiceWorkerOptions;
  readonly #client;
  readonly #due: DueWork<ClaimedInvoice>;
  readonly #held = new Set<ClaimedInvoice>();
  readonly #extending: DueWork<never>;

  constructor(options: InvoiceWorkerOptions) {
    this.#options = options;
    this.#client = createSigningClient(options.fiscalUrl, options.deadlineMs);
    this.#due = new DueWork({
      claim: (most) => claimInvoices(options.pool, options.clock(), this.#leaseEnd(), most),
      run: (claimed) => this.#seal(claimed),
      concurrency: CONCURRENCY,
      pollMs: options.pollMs ?? POLL_MS,
      log: options.log,
    });
    this.#extending = regularly(EXTEND_MS, () => this.#extend(), options.log);
  }

  start(): void {
    this.#extending.start();
    this.#due.start();
  }

  /** What is under way gets a moment; whatever becomes of the rest is found out by the next attempt. */
  async stop(): Promise<void> {
    const grace = setTimeout(() => void this.#client.close(), STOP_GRACE_MS);
    await this.#due.stop();
    clearTimeout(grace);
    await this.#extending.stop();
    await this.#client.close();
  }

  async #seal(claimed: ClaimedInvoice): Promise<void> {
    this.#held.add(claimed);
    try {
      const context = { ...this.#options, client: this.#client, random: Math.random };
      const outcome = await requestInvoice(context, claimed);
      // Its credit note may be due now.
      if (outcome === 'sealed' && claimed.kind === 'Invoice') this.#due.poke();
    } finally {
      this.#held.delete(claimed);
    }
  }

  async #extend(): Promise<void> {
    if (this.#held.size > 0) await extendLeases(this.#options.pool, [...this.#held], this.#leaseEnd());
  }

  #leaseEnd(): Date {
    return new Date(this.#options.clock().getTime() + LEASE_MS);
  }
}
