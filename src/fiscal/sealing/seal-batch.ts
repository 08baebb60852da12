import type { Pool } from 'pg';
import { type Clock, seconds } from '../../platform/clock.ts';
import { inTransaction, type Transaction } from '../../platform/database.ts';
import type { DayCounter } from '../core/day-counters.ts';
import { countReceipts } from '../core/day-counters.ts';
import type { Head } from '../core/head.ts';
import { isNote } from '../core/receipt.ts';
import { countedReceipt } from '../core/rules/counter-rules.ts';
import { decideSeal, type Link, type SealDecision } from '../core/seal.ts';
import { submittedDifferences } from '../core/submitted-differences.ts';
import { countDay } from '../days/count-day.ts';
import { signText } from '../device-key.ts';
import type { DeviceRegistry, SigningDevice } from '../devices/device-registry.ts';
import { type SealedReceipt, unconnectedSubmission } from '../receipts/sealed-receipt.ts';
import { findReceipts, type StoredReceipt } from '../receipts/store.ts';
import { findOriginals, type Originals, originalKey } from './find-originals.ts';
import {
  compareSubmitted,
  keyText,
  referenceOf,
  replayOrConflict,
  type SealOutcome,
  type SealRequest,
} from './seal-request.ts';
import { bodyOf, type DeviceKey, insertReceipts, lockHeads, moveHeads, type NewReceipt, waitForHead } from './store.ts';

export interface SealContext {
  readonly pool: Pool;
  readonly devices: DeviceRegistry;
  readonly clock: Clock;
}

export interface BatchResult {
  readonly outcomes: ReadonlyMap<SealRequest, SealOutcome>;
  /** Their head was locked by another instance, or their original is in this very batch: they go into the next one. */
  readonly waiting: readonly SealRequest[];
  readonly sealedCount: number;
}

/**
 * Seals a batch over all devices in one transaction: lock the heads, find replays and originals, decide each receipt in the
 * order of arrival, sign in parallel, write all rows and heads with one statement each, commit. Nothing leaves this
 * function before the commit; if it throws, nothing was sealed or the commit's fate is unknown, and a retry with the
 * same reference finds out.
 */
export function sealBatch(context: SealContext, requests: readonly SealRequest[]): Promise<BatchResult> {
  return inTransaction(context.pool, async (tx) => {
    const [heads, stored] = await Promise.all([
      lockHeads(tx, deviceKeys(requests), 'skip'),
      findReceipts(tx, requests.map(referenceOf)),
    ]);
    const batch = new Batch(context, tx, stored);
    const unsealed = requests.filter((request) => !batch.isStored(request));
    const [first] = unsealed;
    // Every head we need is being sealed on by somebody else: wait for one of them rather than spin.
    if (heads.length === 0 && first) heads.push(...(await waitForHead(tx, deviceKey(first))));
    await batch.prepare(heads, unsealed);
    for (const request of requests) await batch.decide(request);
    return batch.finish();
  });
}

interface Decided {
  readonly request: SealRequest;
  readonly link: Link;
  readonly signing: SigningDevice;
}

/** One transaction's memory: heads as they move, references as they are taken. */
class Batch {
  readonly #context: SealContext;
  readonly #tx: Transaction;
  readonly #stored: ReadonlyMap<string, StoredReceipt>;
  readonly #heads = new Map<string, Head>();
  readonly #devices = new Map<string, SigningDevice>();
  readonly #decided = new Map<string, Decided>();
  readonly #outcomes = new Map<SealRequest, SealOutcome>();
  readonly #twins: SealRequest[] = [];
  readonly #waiting: SealRequest[] = [];
  readonly #invoices = new Set<string>();
  readonly #dayCounters = new Map<string, DayCounter[]>();
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

  async prepare(heads: readonly Head[], unsealed: readonly SealRequest[]): Promise<void> {
    this.#now = this.#context.clock(); // after the lock was had, however long that took
    for (const head of heads) {
      this.#heads.set(deviceText(head), head);
      const { taxpayerId, deviceId, revision } = head;
      this.#devices.set(deviceText(head), await this.#context.devices.at(this.#tx, taxpayerId, deviceId, revision));
    }
    const sealable = unsealed.filter((request) => this.#heads.has(deviceText(deviceKey(request))));
    for (const request of sealable) {
      if (!isNote(request.receipt)) this.#invoices.add(keyText(referenceOf(request)));
    }
    this.#originals = await findOriginals(this.#tx, sealable);
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
    const head = this.#heads.get(device);
    const signing = this.#devices.get(device);
    const original = this.#originals?.of(request);
    const originalComesWithUs = original?.kind === 'elsewhere' && this.#invoices.has(originalKey(request) ?? '');
    if (head === undefined || signing === undefined || originalComesWithUs) {
      this.#waiting.push(request);
      return;
    }
    const decision = await this.#decideUnderLock(request, head, signing);
    if (decision.kind === 'refuse') this.#outcomes.set(request, { kind: 'refused', refusal: decision.refusal });
    if (decision.kind !== 'seal') return;
    this.#heads.set(device, decision.head);
    this.#decided.set(key, { request, link: decision.link, signing });
    this.#originals?.add(request, decision.link);
    const { receipt, taxes } = decision.link;
    this.#dayCounters.get(device)?.push(...countReceipts([countedReceipt(receipt, taxes)]));
  }

  async #decideUnderLock(request: SealRequest, head: Head, { device }: SigningDevice): Promise<SealDecision> {
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

  async finish(): Promise<BatchResult> {
    const decided = [...this.#decided.values()];
    if (decided.length > 0) {
      const rows = await Promise.all(decided.map(signed));
      const touched = new Set(decided.map(({ request }) => deviceText(deviceKey(request))));
      const heads = [...this.#heads.values()].filter((head) => touched.has(deviceText(head)));
      // One round trip for all three; the commit is checked to be one.
      await Promise.all([insertReceipts(this.#tx, rows, this.#now), moveHeads(this.#tx, heads), this.#tx.commit()]);
      for (const [index, { request, link }] of decided.entries()) {
        const row = rows[index];
        if (row === undefined) throw new Error('a decided receipt was not signed');
        const sealed = sealedReceipt(row, this.#now);
        this.#outcomes.set(request, { kind: 'sealed', sealed, advancedSeconds: link.advancedSeconds });
      }
    }
    for (const twin of this.#twins) this.#outcomes.set(twin, this.#outcomeOfTwin(twin));
    return { outcomes: this.#outcomes, waiting: this.#waiting, sealedCount: decided.length };
  }

  #outcomeOfTwin(twin: SealRequest): SealOutcome {
    const first = this.#decided.get(keyText(referenceOf(twin)))?.request;
    const outcome = first && this.#outcomes.get(first);
    if (first === undefined || outcome?.kind !== 'sealed') throw new Error('the first of two twins was not sealed');
    return compareSubmitted(first.submitted, twin.submitted, twin.zone, outcome.sealed);
  }
}

async function signed({ request, link, signing }: Decided): Promise<NewReceipt> {
  return {
    taxpayerId: request.taxpayerId,
    device: signing.device,
    link,
    body: bodyOf(link),
    signature: await signText(signing.privateKey, link.signingText),
    differences: submittedDifferences(request.submitted, link.receipt),
  };
}

function sealedReceipt(row: NewReceipt, sealedAt: Date): SealedReceipt {
  const { link, device } = row;
  return {
    deviceId: device.deviceId,
    reference: link.receipt.Reference,
    body: row.body,
    wallSeconds: link.wallSeconds,
    fiscalDayNumber: link.fiscalDayNumber,
    fiscalDayCounter: link.fiscalDayCounter,
    globalCounter: link.globalCounter,
    hash: link.hash,
    signature: row.signature,
    serialNumber: device.serialNumber,
    qrUrl: device.qrUrl,
    sealedAt,
    submission: unconnectedSubmission(sealedAt),
  };
}

function deviceKey(request: SealRequest): DeviceKey {
  return { taxpayerId: request.taxpayerId, deviceId: request.receipt.AuthorityDeviceId };
}

function deviceKeys(requests: readonly SealRequest[]): DeviceKey[] {
  return [...new Map(requests.map(deviceKey).map((key) => [deviceText(key), key])).values()];
}

function deviceText(key: DeviceKey): string {
  return `${key.taxpayerId}:${key.deviceId}`;
}
