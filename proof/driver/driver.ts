import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../world/random.ts';
import { BILLERS, billerBody, type Shop } from '../world/shop.ts';
import type { Site } from '../world/site.ts';
import type { Ledger } from './ledger.ts';
import { randomLines, receiptBody, type Sale } from './receipts.ts';
import { type Answer, Sender } from './requests.ts';
import { notesOn } from './returns.ts';
import { tendEndpoints } from './tend-endpoints.ts';

export interface DriverOptions {
  readonly tills: number;
  readonly payers: number;
  /** Desks that take invoices back, each with many notes at once. */
  readonly returns: number;
  /** The longest a till waits between two receipts; a payer waits three times as long. */
  readonly pauseMs: number;
}

const TWIN_PERCENT = 15;
const CREDIT_PERCENT = 12;
const DEBIT_PERCENT = 4;
const REVERSED_PERCENT = 25;
/** A note is refused until the authority has what allows it, so it is sent again, under another reference. */
const NOTE_ATTEMPTS = 6;
const NOTE_AGAIN_MS = 1500;
const CHANGE_EVERY_MS = 1500;
const TEND_EVERY_MS = 1000;
const MAX_WAIT_MS = 1500;
const MAX_ASIDE = 60;
const LAST_WORDS_MS = 90_000;

/** Tills that sell, credit and debit, payers who pay and reverse, and operators who change billers and resume endpoints, all at once. */
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

  constructor(world: Site, ledger: Ledger, random: Random, options: DriverOptions) {
    this.#sender = new Sender(ledger, world.instances, random.fork('sender'));
    this.#shop = world.shop;
    this.#adminToken = world.adminToken;
    this.#random = random;
    this.#pauseMs = options.pauseMs;
    this.#workers = [
      ...Array.from({ length: options.tills }, (_, index) => this.#sell(`T${index}`)),
      ...Array.from({ length: options.payers }, (_, index) => this.#pay(`P${index}`)),
      ...Array.from({ length: options.returns }, (_, index) => this.#takeBack(`R${index}`)),
      this.#change(),
      this.#tend(world),
    ];
  }

  get inFlight(): number {
    return this.#sender.inFlight;
  }

  /** Sends nothing for a while, so that what was sealed can be submitted. */
  hold(isHeld: boolean): void {
    this.#sender.isHeld = isHeld;
  }

  /** Starts nothing new, and waits until everything that was started has its final answer. */
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
      await this.#waitOrPutAside(this.#sellOne(sold, copies));
      await delay(random.between(1, this.#pauseMs));
    }
  }

  async #sellOne(sold: Sale, copies: number): Promise<void> {
    const answer = await this.#settleSale(sold, copies);
    if (answer?.status === 200 && sold.type === 'FiscalInvoice') this.#creditable.push(sold);
  }

  #settleSale(sold: Sale, copies: number): Promise<Answer | undefined> {
    return this.#sender.settle(
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
  }

  /** Invoices come back one after the other, each with all of its notes at once, on random devices but the one that is closed. */
  async #takeBack(name: string): Promise<void> {
    const random = this.#random.fork(name);
    const { deviceIds, closingDeviceId } = this.#shop;
    const others = deviceIds.filter((deviceId) => deviceId !== closingDeviceId);
    for (let count = 1; !this.#isStopping; count += 1) {
      const original = this.#takeCreditable(random);
      const notes = original === undefined ? [] : notesOn(original, random, others);
      const sending = notes.map((note, index) => this.#settleNote(note, `${name}-${count}-${index}`));
      await this.#waitOrPutAside(Promise.all(sending).then(() => undefined));
      await delay(random.between(1, 2 * this.#pauseMs));
    }
  }

  async #settleNote(note: Sale, name: string): Promise<void> {
    for (let attempt = 1; attempt <= NOTE_ATTEMPTS; attempt += 1) {
      const answer = await this.#settleSale({ ...note, reference: `${name}-${attempt}` }, 1);
      if (answer?.status !== 400 || this.#isStopping) return;
      await delay(NOTE_AGAIN_MS);
    }
  }

  #takeCreditable(random: Random): Sale | undefined {
    if (this.#creditable.length === 0) return undefined;
    return this.#creditable.splice(random.between(0, this.#creditable.length - 1), 1)[0];
  }

  /** A till whose device cannot seal at the moment serves the next customer, and keeps trying for this one. */
  async #waitOrPutAside(selling: Promise<void>): Promise<void> {
    const isDone = await Promise.race([selling.then(() => true), delay(MAX_WAIT_MS, false)]);
    if (isDone) return;
    const aside = selling.finally(() => this.#aside.delete(aside));
    this.#aside.add(aside);
    if (this.#aside.size > MAX_ASIDE) await Promise.race(this.#aside);
  }

  /** An invoice, or one note on one that was sold before. */
  #nextSale(random: Random, reference: string): Sale {
    const chance = random.between(1, 100);
    const original = chance <= CREDIT_PERCENT + DEBIT_PERCENT ? this.#takeCreditable(random) : undefined;
    if (original !== undefined) {
      const type = chance <= CREDIT_PERCENT ? 'CreditNote' : 'DebitNote';
      return { ...original, type, reference, original: original.reference };
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

  async #tend(world: Site): Promise<void> {
    while (!this.#isStopping) {
      // The database may be away.
      await tendEndpoints(world).catch(() => {});
      await delay(TEND_EVERY_MS);
    }
  }
}
