import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../random.ts';
import { BILLERS, billerBody, type Shop } from '../world/shop.ts';
import type { World } from '../world/world.ts';
import type { Ledger } from './ledger.ts';
import { randomLines, receiptBody } from './receipts.ts';
import { Sender } from './requests.ts';

export interface DriverOptions {
  readonly tills: number;
  readonly payers: number;
  /** The longest a till waits between two receipts; a payer waits three times as long. */
  readonly pauseMs: number;
}

type Sale = Parameters<typeof receiptBody>[0];

const TWIN_PERCENT = 15;
const CREDIT_PERCENT = 12;
const DEBIT_PERCENT = 4;
const REVERSED_PERCENT = 25;
const CHANGE_EVERY_MS = 1500;
const LONGEST_WAIT_MS = 1500;
const MOST_ASIDE = 60;
const LAST_WORDS_MS = 90_000;

/** Tills that sell, credit and debit, payers who pay and take back, and an operator who changes billers, all at once. */
export class Driver {
  readonly #sender: Sender;
  readonly #shop: Shop;
  readonly #adminToken: string;
  readonly #random: Random;
  readonly #pauseMs: number;
  readonly #creditable: Sale[] = [];
  readonly #aside = new Set<Promise<void>>();
  readonly #workers: Promise<void>[];
  #isStopping = false;

  constructor(world: World, ledger: Ledger, random: Random, options: DriverOptions) {
    this.#sender = new Sender(ledger, world.instances, random.fork('sender'));
    this.#shop = world.shop;
    this.#adminToken = world.adminToken;
    this.#random = random;
    this.#pauseMs = options.pauseMs;
    this.#workers = [
      ...Array.from({ length: options.tills }, (_, index) => this.#sell(`T${index}`)),
      ...Array.from({ length: options.payers }, (_, index) => this.#pay(`P${index}`)),
      this.#change(),
    ];
  }

  get inFlight(): number {
    return this.#sender.inFlight;
  }

  /** Begins nothing new, and waits until everything that was begun is answered for good. */
  async stop(patienceMs = LAST_WORDS_MS): Promise<void> {
    this.#isStopping = true;
    this.#sender.giveUpAt(Date.now() + patienceMs);
    await Promise.all(this.#workers);
    await Promise.all(this.#aside);
  }

  async #sell(name: string): Promise<void> {
    const random = this.#random.fork(name);
    for (let count = 1; !this.#isStopping; count += 1) {
      const reference = `${name}-${count}`;
      const sold = this.#nextSale(random, reference);
      const isTwin = random.between(1, 100) <= TWIN_PERCENT;
      const copies = isTwin ? 2 : 1;
      const selling = this.#settleSale(sold, copies);
      await this.#waitOrPutAside(selling);
      await delay(random.between(1, this.#pauseMs));
    }
  }

  async #settleSale(sold: Sale, copies: number): Promise<void> {
    const answer = await this.#sender.settle(
      {
        act: 'sign',
        key: sold.reference,
        method: 'POST',
        path: 'receipt/sign',
        token: this.#shop.token,
        body: receiptBody(sold),
      },
      copies,
    );
    if (answer?.status === 200 && sold.type === 'FiscalInvoice') this.#creditable.push(sold);
  }

  /** A till whose device cannot seal right now serves the next customer, and goes on asking for this one. */
  async #waitOrPutAside(selling: Promise<void>): Promise<void> {
    const isDone = await Promise.race([selling.then(() => true), delay(LONGEST_WAIT_MS, false)]);
    if (isDone) return;
    const aside = selling.finally(() => this.#aside.delete(aside));
    this.#aside.add(aside);
    if (this.#aside.size > MOST_ASIDE) await Promise.race(this.#aside);
  }

  /** An invoice, or a note on one that was sold before; none is credited twice. */
  #nextSale(random: Random, reference: string): Sale {
    const chance = random.between(1, 100);
    if (chance <= CREDIT_PERCENT + DEBIT_PERCENT && this.#creditable.length > 0) {
      const [original] = this.#creditable.splice(random.between(0, this.#creditable.length - 1), 1);
      const type = chance <= CREDIT_PERCENT ? 'CreditNote' : 'DebitNote';
      if (original !== undefined) return { ...original, type, reference, original: original.reference };
    }
    // One device is hot, as in a real shop.
    const deviceId = random.pick([...this.#shop.deviceIds, ...this.#shop.deviceIds.slice(0, 1)]);
    const currency = random.pick(['USD', 'USD', 'ZWG']);
    return { reference, deviceId, currency, lines: randomLines(random), type: 'FiscalInvoice' };
  }

  async #pay(name: string): Promise<void> {
    const random = this.#random.fork(name);
    const request = { method: 'POST', token: this.#shop.vendorToken } as const;
    for (let count = 1; !this.#isStopping; count += 1) {
      const key = `${name}-${count}`;
      const body = {
        VendorReference: key,
        BillerCode: random.pick(this.#shop.billerCodes),
        MemberNumber: `M-${random.between(1, 30)}`,
        Currency: 'USD',
        Amount: random.between(100, 50_000) / 100,
      };
      const paid = await this.#sender.settle({ ...request, act: 'pay', key, path: 'payment/pay', body });
      if (paid?.status === 200 && random.between(1, 100) <= REVERSED_PERCENT) {
        const reversal = { VendorReference: key };
        await this.#sender.settle({ ...request, act: 'reverse', key, path: 'payment/reverse', body: reversal }, 2);
      }
      await delay(random.between(1, 3 * this.#pauseMs));
    }
  }

  async #change(): Promise<void> {
    const random = this.#random.fork('change');
    for (let count = 1; !this.#isStopping; count += 1) {
      const { code, name } = random.pick(BILLERS);
      await this.#sender.settle({
        act: 'change',
        key: `change-${count}`,
        method: 'PUT',
        path: `admin/billers/${code}`,
        token: this.#adminToken,
        body: billerBody(code, `${name}, change ${count}`),
      });
      for (let waited = 0; waited < CHANGE_EVERY_MS && !this.#isStopping; waited += 100) await delay(100);
    }
  }
}
