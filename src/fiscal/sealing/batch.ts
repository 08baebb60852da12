import { countedReceipt, countReceipts, type DayCounter, isNote } from '../../fdms/index.ts';
import { seconds } from '../../platform/clock.ts';
import type { Queryable, Transaction } from '../../platform/database/database.ts';
import type { Head } from '../core/head.ts';
import { type DeviceKey, deviceText } from '../core/keys.ts';
import { receiptText } from '../core/receipt-text.ts';
import { decideSeal, type Link, type SealInput } from '../core/seal.ts';
import { submittedDifferences } from '../core/submitted-differences.ts';
import { countDay } from '../days/count-day.ts';
import type { SigningDevice } from '../devices/device-registry.ts';
import { pendingSubmission, type SealedReceipt } from '../sealed/sealed-receipt.ts';
import type { StoredReceipt } from '../sealed/store.ts';
import type { Signed, Signer } from '../signing/signer.ts';
import type { Originals } from './find-originals.ts';
import {
  compareSubmitted,
  deviceKey,
  keyText,
  referenceOf,
  replayOrConflict,
  type SealOutcomes,
  type SealRequest,
} from './seal-request.ts';
import { appendReceipts, type MovedHead, type SignedLink } from './store.ts';

export interface FoundDevice {
  readonly head: Head;
  readonly signing: SigningDevice;
}

/** What a batch is decided on: the memory of this process, or what was found under the lock. */
export interface Evidence {
  readonly now: Date;
  readonly device: (key: DeviceKey) => FoundDevice | undefined;
  /** Only the lock gives these. Without it plain success is all that counts; everything else waits for the lock. */
  readonly locked?: {
    readonly tx: Transaction;
    /** By reference. */
    readonly stored: ReadonlyMap<string, StoredReceipt>;
    readonly originals: Originals;
  };
}

/** A device of the batch: its head as it was found, and as it moves. */
interface MovingDevice {
  readonly from: Head;
  to: Head;
  readonly signing: SigningDevice;
  /** Read once per batch, since that costs a look at every receipt of the day; then kept up to date. */
  dayCounters?: DayCounter[];
}

/** Receipts that get their places together: decided in the order of arrival, signed, and appended with one statement. */
export class Batch {
  readonly #evidence: Evidence;
  readonly #devices = new Map<string, MovingDevice>();
  /** By reference. */
  readonly #placed = new Map<string, Omit<SignedLink, 'body' | 'differences' | 'signature'>>();
  readonly #twins: SealRequest[] = [];
  readonly #outcomes: SealOutcomes = new Map();
  #links: readonly SignedLink[] = [];

  constructor(evidence: Evidence) {
    this.#evidence = evidence;
  }

  /** What has no outcome in the end has to wait for better evidence. */
  async decide(requests: readonly SealRequest[]): Promise<void> {
    const { locked } = this.#evidence;
    for (const request of requests) {
      const key = keyText(referenceOf(request));
      const stored = locked?.stored.get(key);
      if (stored) this.#outcomes.set(request, replayOrConflict(stored, request.submitted, request.zone));
      else if (this.#placed.has(key)) this.#twins.push(request);
      else {
        const device = this.#deviceOf(request);
        const input = device && this.#inputOf(request, device);
        if (device === undefined || input === undefined) continue;
        let decision = decideSeal(input);
        if (decision.kind === 'needs-day-counters' && locked) {
          decision = decideSeal({ ...input, dayCounters: await this.#countersOf(device, locked.tx) });
        }
        if (decision.kind === 'seal') this.#place(key, request, device, decision);
        else if (decision.kind === 'refuse' && locked) {
          this.#outcomes.set(request, { kind: 'refused', refusal: decision.refusal });
        }
      }
    }
  }

  /** False when no receipt got a place. */
  async sign(signer: Signer): Promise<boolean> {
    const placed = [...this.#placed.values()];
    if (placed.length === 0) return false;
    const signing = signer.signAll(
      placed.map(({ link, signing: { privateKey: key } }) => ({ key, text: link.signingText })),
    );
    // Written while another thread signs.
    const unsigned = placed.map((one) => ({
      ...one,
      body: receiptText(one.link.receipt),
      differences: submittedDifferences(one.request.submitted, one.link.receipt),
    }));
    const signatures = await signing;
    this.#links = unsigned.map((one, index) => {
      const signature = signatures[index];
      if (signature === undefined) throw new Error('a receipt with a place was not signed');
      return { ...one, signature };
    });
    return true;
  }

  /** What was signed, for another try with the same text. */
  signed(): Signed[] {
    return this.#links.map(({ link, signing, signature }) => ({
      key: signing.privateKey,
      text: link.signingText,
      signature,
    }));
  }

  append(db: Queryable): Promise<boolean> {
    return appendReceipts(db, this.#links, this.moved(), this.#evidence.now);
  }

  moved(): MovedHead[] {
    return [...this.#devices.values()].filter(({ from, to }) => from !== to);
  }

  /** What the callers are answered once the rows are committed. */
  outcomes(): SealOutcomes {
    for (const signed of this.#links) {
      const sealed = sealedReceipt(signed, this.#evidence.now);
      this.#outcomes.set(signed.request, { kind: 'sealed', sealed, link: signed.link });
    }
    for (const twin of this.#twins) {
      const first = this.#placed.get(keyText(referenceOf(twin)))?.request;
      const outcome = first && this.#outcomes.get(first);
      if (first === undefined || outcome?.kind !== 'sealed') throw new Error('the first of two twins was not sealed');
      this.#outcomes.set(twin, compareSubmitted(first.submitted, twin.submitted, twin.zone, outcome.sealed));
    }
    return this.#outcomes;
  }

  #deviceOf(request: SealRequest): MovingDevice | undefined {
    const key = deviceKey(request);
    const text = deviceText(key);
    const known = this.#devices.get(text);
    if (known) return known;
    const found = this.#evidence.device(key);
    const device = found && { from: found.head, to: found.head, signing: found.signing };
    if (device) this.#devices.set(text, device);
    return device;
  }

  #inputOf(request: SealRequest, { to: head, signing: { device } }: MovingDevice): SealInput | undefined {
    const { now, locked } = this.#evidence;
    const { receipt, isVatRegistered, isLate } = request;
    if (isNote(receipt) && locked === undefined) return undefined;
    const original = locked?.originals.of(request);
    if (original === 'in this batch') return undefined;
    return { receipt, device, isVatRegistered, head, original, isLate, nowSeconds: seconds(now) };
  }

  #place(key: string, request: SealRequest, device: MovingDevice, { link, head }: { link: Link; head: Head }): void {
    device.to = head;
    this.#placed.set(key, { request, link, signing: device.signing });
    this.#evidence.locked?.originals.add(request, link);
    device.dayCounters?.push(...countersOf([link]));
  }

  async #countersOf(device: MovingDevice, tx: Transaction): Promise<readonly DayCounter[]> {
    // What this batch adds to the day is not in the table yet.
    device.dayCounters ??= [...(await countDay(tx, device.from)), ...countersOf(this.#linksOf(device))];
    return device.dayCounters;
  }

  #linksOf({ signing }: MovingDevice): Link[] {
    return [...this.#placed.values()].filter((one) => one.signing === signing).map(({ link }) => link);
  }
}

function countersOf(links: readonly Link[]): DayCounter[] {
  return countReceipts(links.map(({ receipt, taxes }) => countedReceipt(receipt, taxes)));
}

function sealedReceipt(signed: SignedLink, sealedAt: Date): SealedReceipt {
  const { link, body, signature } = signed;
  const { deviceId, serialNumber, qrUrl } = signed.signing.device;
  return {
    deviceId,
    reference: link.receipt.Reference,
    body,
    wallSeconds: link.wallSeconds,
    fiscalDayNumber: link.fiscalDayNumber,
    fiscalDayCounter: link.fiscalDayCounter,
    globalCounter: link.globalCounter,
    hash: link.hash,
    signature,
    serialNumber,
    qrUrl,
    sealedAt,
    advancedSeconds: link.advancedSeconds,
    receipt: link.receipt,
    submission: pendingSubmission(sealedAt, 'being taken', undefined),
  };
}
