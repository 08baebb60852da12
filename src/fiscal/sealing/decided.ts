import type { Head } from '../core/head.ts';
import type { Link } from '../core/seal.ts';
import { submittedDifferences } from '../core/submitted-differences.ts';
import type { SigningDevice } from '../devices/device-registry.ts';
import { type SealedReceipt, unconnectedSubmission } from '../receipts/sealed-receipt.ts';
import type { Signer } from '../signing/signer.ts';
import type { SealOutcome, SealRequest } from './seal-request.ts';
import { bodyOf, type DeviceKey, type MovedHead, type NewReceipt } from './store.ts';

/** A receipt that has got its place in the chain, and is not signed yet. */
export interface Decided {
  readonly request: SealRequest;
  readonly link: Link;
  readonly signing: SigningDevice;
}

export interface BatchResult {
  readonly outcomes: ReadonlyMap<SealRequest, SealOutcome>;
  /** Not answered yet: they need another look, each batch says why. */
  readonly waiting: readonly SealRequest[];
  readonly sealedCount: number;
}

export async function signDecided(signer: Signer, decided: readonly Decided[]): Promise<NewReceipt[]> {
  const signing = signer.signAll(
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

/** What the caller is answered once the rows are committed. */
export function sealedOutcomes(
  decided: readonly Decided[],
  rows: readonly NewReceipt[],
  sealedAt: Date,
): Map<SealRequest, SealOutcome> {
  const outcomes = new Map<SealRequest, SealOutcome>();
  for (const [index, { request, link }] of decided.entries()) {
    const row = rows[index];
    if (row === undefined) throw new Error('a decided receipt was not signed');
    const sealed = sealedReceipt(row, sealedAt);
    outcomes.set(request, { kind: 'sealed', sealed, advancedSeconds: link.advancedSeconds });
  }
  return outcomes;
}

/** The heads of a batch, found and as they move. */
export class MovingHeads {
  readonly #found = new Map<string, Head>();
  readonly #now = new Map<string, Head>();

  take(head: Head | undefined): Head | undefined {
    if (head) this.#found.set(deviceText(head), head);
    return head;
  }

  get(key: DeviceKey): Head | undefined {
    const text = deviceText(key);
    return this.#now.get(text) ?? this.#found.get(text);
  }

  move(to: Head): void {
    this.#now.set(deviceText(to), to);
  }

  moved(): MovedHead[] {
    return [...this.#now].map(([key, to]) => {
      const from = this.#found.get(key);
      if (from === undefined) throw new Error('a head moved that was not found');
      return { from, to };
    });
  }
}

export function deviceText(key: DeviceKey): string {
  return `${key.taxpayerId}:${key.deviceId}`;
}

export function deviceKey(request: SealRequest): DeviceKey {
  return { taxpayerId: request.taxpayerId, deviceId: request.receipt.AuthorityDeviceId };
}

export function deviceKeys(requests: readonly SealRequest[]): DeviceKey[] {
  return [...new Map(requests.map(deviceKey).map((key) => [deviceText(key), key])).values()];
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
