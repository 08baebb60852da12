import type { Pool } from 'pg';
import { type Clock, seconds } from '../../platform/clock.ts';
import type { Queryable } from '../../platform/database.ts';
import type { DayCounter } from '../core/day-counters.ts';
import { countReceipts } from '../core/day-counters.ts';
import type { Head } from '../core/head.ts';
import { countedReceipt } from '../core/rules/counter-rules.ts';
import { decideSeal, type Link, type SealDecision } from '../core/seal.ts';
import { submittedDifferences } from '../core/submitted-differences.ts';
import { countDay } from '../days/count-day.ts';
import type { DeviceRegistry, SigningDevice } from '../devices/device-registry.ts';
import { type SealedReceipt, unconnectedSubmission } from '../receipts/sealed-receipt.ts';
import type { StoredReceipt } from '../receipts/store.ts';
import type { Signer } from '../signing/signer.ts';
import { type Originals, originalKey } from './find-originals.ts';
import { deviceText, type KnownHeads } from './known-heads.ts';
import {
  compareSubmitted,
  keyText,
  referenceOf,
  replayOrConflict,
  type SealOutcome,
  type SealRequest,
} from './seal-request.ts';
import { appendReceipts, bodyOf, type DeviceKey, type NewReceipt } from './store.ts';

export interface SealContext {
  readonly pool: Pool;
  readonly devices: DeviceRegistry;
  readonly heads: KnownHeads;
  readonly signer: Signer;
  readonly clock: Clock;
}

export interface BatchResult {
  readonly outcomes: ReadonlyMap<SealRequest, SealOutcome>;
  /** Their head was locked by another instance, or their original is in this very batch: they go into the next one. */
  readonly waiting: readonly SealRequest[];
  readonly sealedCount: number;
}

interface Decided {
  readonly request: SealRequest;
  readonly link: Link;
  readonly signing: SigningDevice;
}

/** A batch's memory: heads as they move, references as they are taken. */
export class Batch {
  readonly #context: SealContext;
  readonly #db: Queryable;
  readonly #stored: ReadonlyMap<string, StoredReceipt>;
  readonly #found = new Map<string, Head>();
  readonly #heads = new Map<string, Head>();
  readonly #devices = new Map<string, SigningDevice>();
  readonly #decided = new Map<string, Decided>();
  readonly #outcomes = new Map<SealRequest, SealOutcome>();
  readonly #twins: SealRequest[] = [];
  readonly #waiting: SealRequest[] = [];
  readonly #dayCounters = new Map<string, DayCounter[]>();
  #invoices: ReadonlySet<string> = new Set();
  #originals: Originals | undefined;
  #now = new Date(0);

  constructor(context: SealContext, db: Queryable, stored: readonly StoredReceipt[]) {
    this.#context = context;
    this.#db = db;
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
    return this.#heads.has(deviceText(deviceKey(request)));
  }

  /** With every request that wants a place in a chain: nothing is refused, replayed or put off. */
  get isAllDecided(): boolean {
    return this.#outcomes.size === 0 && this.#waiting.length === 0;
  }

  async takeHeads(heads: readonly Head[]): Promise<void> {
    this.#now = this.#context.clock(); // after the lock was had, however long that took
    for (const head of heads) {
      const key = deviceText(head);
      this.#found.set(key, head);
      this.#heads.set(key, head);
      const { taxpayerId, deviceId, revision } = head;
      this.#devices.set(key, await this.#context.devices.at(this.#db, taxpayerId, deviceId, revision));
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
    const head = this.#heads.get(device);
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
    this.#heads.set(device, decision.head);
    this.#decided.set(key, { request, link: decision.link, signing });
    this.#originals?.add(request, decision.link);
    const { receipt, taxes } = decision.link;
    this.#dayCounters.get(device)?.push(...countReceipts([countedReceipt(receipt, taxes)]));
  }

  /** Signs what was decided and writes it; `alongside` is sent with it. False: a head had moved, and nothing was written. */
  async append(alongside?: () => Promise<void>): Promise<boolean> {
    const decided = [...this.#decided.values()];
    if (decided.length === 0) return true;
    const rows = await this.#sign(decided);
    const touched = new Set(decided.map(({ request }) => deviceText(deviceKey(request))));
    const moved = [...touched].map((key) => ({ from: found(this.#found, key), to: found(this.#heads, key) }));
    const [isAppended] = await Promise.all([appendReceipts(this.#db, rows, moved, this.#now), alongside?.()]);
    if (!isAppended) return false;
    this.#context.heads.remember(moved.map(({ to }) => to));
    for (const [index, { request, link }] of decided.entries()) {
      const row = rows[index];
      if (row === undefined) throw new Error('a decided receipt was not signed');
      const sealed = sealedReceipt(row, this.#now);
      this.#outcomes.set(request, { kind: 'sealed', sealed, advancedSeconds: link.advancedSeconds });
    }
    return true;
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
    const counters = [...(await countDay(this.#db, head)), ...this.#countersOfBatch(head)];
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

  async #sign(decided: readonly Decided[]): Promise<NewReceipt[]> {
    const signing = this.#context.signer.signAll(
      decided.map(({ link, signing: { privateKey: key } }) => ({ key, text: link.signingText })),
    );
    // Written while another thread signs.
    const rows = decided.map(({ request, link, signing: { device } }) => ({
      taxpayerId: request.taxpayerId,
      device,
      link,
      body: bodyOf(link),
      differences: submittedDifferences(request.submitted, link.receipt),
    }));
    const signatures = await signing;
    return rows.map((row, index) => {
      const signature = signatures[index];
      if (signature === undefined) throw new Error('a decided receipt was not signed');
      return { ...row, signature };
    });
  }

  #outcomeOfTwin(twin: SealRequest): SealOutcome {
    const first = this.#decided.get(keyText(referenceOf(twin)))?.request;
    const outcome = first && this.#outcomes.get(first);
    if (first === undefined || outcome?.kind !== 'sealed') throw new Error('the first of two twins was not sealed');
    return compareSubmitted(first.submitted, twin.submitted, twin.zone, outcome.sealed);
  }
}

function found(heads: ReadonlyMap<string, Head>, key: string): Head {
  const head = heads.get(key);
  if (head === undefined) throw new Error('a receipt was decided without a head');
  return head;
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

export function deviceKey(request: SealRequest): DeviceKey {
  return { taxpayerId: request.taxpayerId, deviceId: request.receipt.AuthorityDeviceId };
}

export function deviceKeys(requests: readonly SealRequest[]): DeviceKey[] {
  return [...new Map(requests.map(deviceKey).map((key) => [deviceText(key), key])).values()];
}
