import { appendFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Attempt, Intent } from '../driver/ledger.ts';
import { randomLines, receiptBody } from '../driver/receipts.ts';
import { isFinal, type Request, send } from '../driver/requests.ts';
import type { Random } from '../world/random.ts';
import type { Shop } from '../world/shop.ts';

type Outcome = Awaited<ReturnType<typeof send>> & {
  readonly key: string;
  readonly sentAt: number;
  readonly at: number;
};

const TILLS = 3;

/**
 * Tills that sell at a service whose power is cut. What they were answered counts only if it was before the cut; everything else is
 * sent again, unchanged. They write the same ledger as the driver of a chaos run.
 */
export class Tills {
  readonly ledgerFile: string;
  readonly #random: Random;
  readonly #url: string;
  /** Sent and not answered. */
  readonly #open = new Map<string, Request>();
  #outcomes: Outcome[] = [];
  #working: Promise<unknown> = Promise.resolve();
  #isStopping = false;
  #count = 0;
  /** Answered with 200, whether before a cut or after. */
  sold = 0;
  /** Answered with 200 while there was power. */
  answered = 0;

  constructor(ledgerFile: string, url: string, random: Random) {
    this.ledgerFile = ledgerFile;
    this.#url = url;
    this.#random = random;
    appendFileSync(ledgerFile, '');
  }

  /** Resolves when everything that was sent before has its final answer. */
  async sendAgain(patienceMs = 240_000): Promise<void> {
    const deadline = Date.now() + patienceMs;
    while (this.#open.size > 0) {
      if (Date.now() > deadline) throw new Error(`${this.#open.size} requests are not answered`);
      for (const request of this.#open.values()) await this.#send(request);
      this.settle(Date.now());
    }
  }

  /** Begins to sell, without end. */
  start(shop: Shop): void {
    this.#isStopping = false;
    this.#working = Promise.all(Array.from({ length: TILLS }, () => this.#sell(shop)));
  }

  /** Resolves when all of them have stopped. The service must have ended, or what is under way is answered first. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#working;
  }

  /** Writes down what was answered until the power was cut. */
  settle(cutAt: number): void {
    for (const { key, sentAt, at, status, isReplay, body } of this.#outcomes) {
      const counts = at <= cutAt;
      const attempt = { act: 'sign', key, instance: 'A', sentAt, at, isReplay } as const;
      this.#write({
        kind: 'attempt',
        ...attempt,
        status: counts ? status : 0,
        answer: counts ? body : 'after the cut',
      });
      if (counts && isFinal({ status })) this.#open.delete(key);
      if (counts && status === 200) this.answered += 1;
    }
    this.#outcomes = [];
  }

  async #sell({ deviceIds, token }: Shop): Promise<void> {
    while (!this.#isStopping) {
      this.#count += 1;
      const key = `S-${this.#count}`;
      const deviceId = this.#random.pick(deviceIds);
      const body = receiptBody({
        reference: key,
        deviceId,
        currency: 'USD',
        lines: randomLines(this.#random),
        type: 'FiscalInvoice',
      });
      this.#write({ kind: 'intent', act: 'sign', key, at: Date.now(), body });
      const request = { act: 'sign', key, method: 'POST', path: 'receipt/sign', token, body } as const;
      this.#open.set(key, request);
      await this.#send(request);
    }
  }

  async #send(request: Request): Promise<void> {
    const sentAt = Date.now();
    const outcome = await send(request, this.#url);
    if (outcome.status === 200) this.sold += 1;
    this.#outcomes.push({ ...outcome, key: request.key, sentAt, at: Date.now() });
    // While there is nobody to sell at, one after the other would fail at once.
    if (outcome.status !== 200) await delay(50);
  }

  #write(entry: Intent | Attempt): void {
    appendFileSync(this.ledgerFile, `${JSON.stringify(entry)}\n`);
  }
}
