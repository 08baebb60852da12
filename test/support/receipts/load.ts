import { type Asker, ask } from '../ask.ts';
import { invoice } from './receipts.ts';

export interface Seal {
  readonly Reference: string;
  readonly AuthorityDeviceId: number;
  readonly GlobalCounter: number;
  readonly DeviceHash: string;
  readonly DeviceSignature: string;
}

export function post(till: Asker, receipt: object): Promise<Response> {
  return ask(till, 'POST', '/api/receipt/sign', receipt);
}

export function nowInvoice(deviceId: number, reference: string) {
  return invoice(deviceId, reference, { Date: new Date().toISOString() });
}

/** Tills that send one receipt after the other until they are told to stop, and note what they were answered. */
export class Load {
  /** Everything that was answered 200. */
  readonly seals = new Map<string, Seal>();
  readonly statuses = new Map<number, number>();
  /** Requests that were sent and got no answer, as a killed service leaves them. */
  unanswered = 0;
  readonly #end = new AbortController();
  readonly #tills: Promise<void>[];

  /** With `everyMs` each till takes its time, so that what it sells can be submitted one by one within a test. */
  constructor(till: Asker, deviceId: number, tills: number, name: string, everyMs = 0) {
    this.#tills = Array.from({ length: tills }, async (_, index) => {
      for (let count = 0; !this.#end.signal.aborted; count += 1) {
        await this.#send(till, deviceId, `${name}-${index}-${count}`);
        if (everyMs > 0) await new Promise((resolve) => setTimeout(resolve, everyMs));
      }
    });
  }

  async stop(): Promise<void> {
    this.#end.abort();
    await Promise.all(this.#tills);
  }

  async #send(till: Asker, deviceId: number, reference: string): Promise<void> {
    try {
      const answer = await post(till, nowInvoice(deviceId, reference));
      const body = await answer.text();
      this.statuses.set(answer.status, (this.statuses.get(answer.status) ?? 0) + 1);
      if (answer.status === 200) this.seals.set(reference, JSON.parse(body) as Seal);
      else await new Promise((resolve) => setTimeout(resolve, 20));
    } catch {
      this.unanswered += 1;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
