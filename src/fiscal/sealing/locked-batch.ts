import { seconds } from '../../platform/clock.ts';
import type { Transaction } from '../../platform/database.ts';
import type { DayCounter } from '../core/day-counters.ts';
import { countReceipts } from '../core/day-counters.ts';
import type { Head } from '../core/head.ts';
import { countedReceipt } from '../core/rules/counter-rules.ts';
import { decideSeal, type SealDecision } from '../core/seal.ts';
import { countDay } from '../days/count-day.ts';
import type { SigningDevice } from '../devices/device-registry.ts';
import type { StoredReceipt } from '../receipts/store.ts';
import {
  type BatchResult,
  type Decided,
  deviceKey,
  deviceText,
  MovingHeads,
  sealedOutcomes,
  signDecided,
} from './decided.ts';
import { type Originals, originalKey } from './find-originals.ts';
import type { SealContext } from './seal-context.ts';
import {
  compareSubmitted,
  keyText,
  referenceOf,
  replayOrConflict,
  type SealOutcome,
  type SealRequest,
} from './seal-request.ts';
import { appendReceipts } from './store.ts';

/** The memory of a batch under the lock: heads as they move, references as they are taken. */
export class LockedBatch {
  readonly #context: SealContext;
  readonly #tx: Transaction;
  readonly #stored: ReadonlyMap<string, StoredReceipt>;
  readonly #heads = new MovingHeads();
  readonly #devices = new Map<string, SigningDevice>();
  readonly #decided = new Map<string, Decided>();
  readonly #outcomes = new Map<SealRequest, SealOutcome>();
  readonly #twins: SealRequest[] = [];
  readonly #waiting: SealRequest[] = [];
  readonly #dayCounters = new Map<string, DayCounter[]>();
  #invoices: ReadonlySet<string> = new Set();
  #originals: Originals | undefined;
  #now = new Date(0);

  constructor(context: SealContext, tx: Transaction, stored: readonly StoredReceipt[]) {
    this.#context = context;
    this.#tx = tx;
    this.#stored = new Map(
      stored.map((receipt) => [
        keyText({ taxpayerId: receipt.taxpayerId, reference: receipt.sealed.reference }),
        receipt,
      ]),
    );
  }

  isStored(request: SealRequest): boolean {
    return this.#stored.has(keyText(referenceOf(request)));
  }

  hasHead(request: SealRequest): boolean {
    return this.#heads.get(deviceKey(request)) !== undefined;
  }

  async takeHeads(heads: readonly Head[]): Promise<void> {
    this.#now = this.#context.clock(); // after the lock was had, however long that took
    this.#context.heads.foundUnderLock(heads);
    for (const head of heads) {
      this.#heads.take(head);
      const { taxpayerId, deviceId, revision } = head;
      this.#devices.set(deviceText(head), await this.#context.devices.at(this.#tx, taxpayerId, deviceId, revision));
    }
  }

  takeOriginals(originals: Originals, invoices: ReadonlySet<string>): void {
    this.#originals = originals;
    this.#invoices = invoices;
  }

  async decide(request: SealRequest): Promise<void> {
    const key = keyText(referenceOf(request));
    const stored = this.#stored.get(key);
    if (stored) {
      this.#outcomes.set(request, replayOrConflict(stored, request.submitted, request.zone));
      return;
    }
    if (this.#decided.has(key)) {
      this.#twins.push(request);
      return;
    }
    const device = deviceText(deviceKey(request));
    const head = this.#heads.get(deviceKey(request));
    const signing = this.#devices.get(device);
    const original = this.#originals?.of(request);
    const originalComesWithUs = original?.kind === 'elsewhere' && this.#invoices.has(originalKey(request) ?? '');
    if (head === undefined || signing === undefined || originalComesWithUs) {
      this.#waiting.push(request);
      return;
    }
    const decision = await this.#decideOn(request, head, signing);
    if (decision.kind === 'refuse') this.#outcomes.set(request, { kind: 'refused', refusal: decision.refusal });
    if (decision.kind !== 'seal') return;
    this.#heads.move(decision.head);
    this.#decided.set(key, { request, link: decision.link, signing });
    this.#originals?.add(request, decision.link);
    const { receipt, taxes } = decision.link;
    this.#dayCounters.get(device)?.push(...countReceipts([countedReceipt(receipt, taxes)]));
  }

  /** Signs what was decided, writes it and commits. */
  async append(): Promise<void> {
    const decided = [...this.#decided.values()];
    if (decided.length === 0) return;
    const rows = await signDecided(this.#context.signer, decided);
    const moved = this.#heads.moved();
    // The commit travels with the rows, and is checked to be one.
    const [isAppended] = await Promise.all([appendReceipts(this.#tx, rows, moved, this.#now), this.#tx.commit()]);
    if (!isAppended) throw new Error('a head moved while it was locked');
    this.#context.heads.remember(moved);
    for (const [request, outcome] of sealedOutcomes(decided, rows, this.#now)) this.#outcomes.set(request, outcome);
  }

  result(): BatchResult {
    for (const twin of this.#twins) this.#outcomes.set(twin, this.#outcomeOfTwin(twin));
    return { outcomes: this.#outcomes, waiting: this.#waiting, sealedCount: this.#decided.size };
  }

  async #decideOn(request: SealRequest, head: Head, { device }: SigningDevice): Promise<SealDecision> {
    const input = {
      receipt: request.receipt,
      device,
      isVatRegistered: request.isVatRegistered,
      head,
      original: this.#originals?.of(request),
      nowSeconds: seconds(this.#now),
    };
    const decision = decideSeal(input);
    if (decision.kind !== 'needs-day-counters') return decision;
    return decideSeal({ ...input, dayCounters: await this.#countersOf(head) });
  }

  /** The day's counters: read once per batch, since that costs a look at every receipt of the day; then kept up to date. */
  async #countersOf(head: Head): Promise<readonly DayCounter[]> {
    const key = deviceText(head);
    const known = this.#dayCounters.get(key);
    if (known) return known;
    const counters = [...(await countDay(this.#tx, head)), ...this.#countersOfBatch(head)];
    this.#dayCounters.set(key, counters);
    return counters;
  }

  /** What this batch adds to the day of that head and the table does not hold yet. */
  #countersOfBatch(head: Head): DayCounter[] {
    const links = [...this.#decided.values()].filter(
      ({ request }) => deviceText(deviceKey(request)) === deviceText(head),
    );
    return countReceipts(links.map(({ link }) => countedReceipt(link.receipt, link.taxes)));
  }

  #outcomeOfTwin(twin: SealRequest): SealOutcome {
    const first = this.#decided.get(keyText(referenceOf(twin)))?.request;
    const outcome = first && this.#outcomes.get(first);
    if (first === undefined || outcome?.kind !== 'sealed') throw new Error('the first of two twins was not sealed');
    return compareSubmitted(first.submitted, twin.submitted, twin.zone, outcome.sealed);
  }
}
