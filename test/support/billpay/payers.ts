import { setTimeout as delay } from 'node:timers/promises';
import { ask } from '../ask.ts';

export interface Vendor {
  readonly url: string;
  readonly token: string;
  readonly billerCode: string;
}

export interface PaymentAnswer {
  readonly VendorReference: string;
  readonly BillPayReference: string;
  readonly Status: string;
  readonly VendorInvoiceReference: string | null;
}

export function sendPayment(vendor: Vendor, path: string, body: object): Promise<Response> {
  return ask(vendor, 'POST', `/api/payment/${path}`, body);
}

/** Enough of them at any moment, and not so many that the invoices take longer than the journey. */
const PAUSE_MS = 25;
const REVERSED_EVERY = 4;

/** Payers who pay one bill after the other until they are told to stop, take some back, and note what they were answered. */
export class Payers {
  /** Everything that was answered 200. */
  readonly paid: PaymentAnswer[] = [];
  readonly reversed: PaymentAnswer[] = [];
  /** Requests that were sent and got no answer, as a killed service leaves them. */
  unanswered = 0;
  readonly refusals: string[] = [];
  readonly #end = new AbortController();
  readonly #payers: Promise<void>[];

  constructor(vendor: Vendor, payers: number, name: string) {
    this.#payers = Array.from({ length: payers }, async (_, index) => {
      for (let count = 0; !this.#end.signal.aborted; count += 1)
        await this.#pay(vendor, `${name}-${index}`, index + count);
    });
  }

  async stop(): Promise<void> {
    this.#end.abort();
    await Promise.all(this.#payers);
  }

  async #pay(vendor: Vendor, name: string, count: number): Promise<void> {
    const paid = await this.#send(vendor, 'pay', {
      VendorReference: `${name}-${count}`,
      BillerCode: vendor.billerCode,
      MemberNumber: `M-${name}`,
      Currency: 'USD',
      Amount: 1 + (count % 50),
    });
    if (paid !== undefined) {
      this.paid.push(paid);
      if (count % REVERSED_EVERY === 0) {
        const reversed = await this.#send(vendor, 'reverse', { VendorReference: paid.VendorReference });
        if (reversed !== undefined) this.reversed.push(reversed);
      }
    }
    await delay(PAUSE_MS);
  }

  async #send(vendor: Vendor, path: string, body: object): Promise<PaymentAnswer | undefined> {
    try {
      const answer = await sendPayment(vendor, path, body);
      const text = await answer.text();
      if (answer.status === 200) return JSON.parse(text) as PaymentAnswer;
      this.refusals.push(`${answer.status} ${text}`);
    } catch {
      this.unanswered += 1;
    }
    return undefined;
  }
}
