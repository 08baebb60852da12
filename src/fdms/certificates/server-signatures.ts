/**
 * The authority's signatures on receipts and days: specification §13.2.2 and §13.3.2. They are acknowledgements, kept as evidence.
 * The algorithm is that of the certificate, found by its thumbprint; nothing here assumes one.
 */
import { hash, X509Certificate } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { BackgroundThread } from '../../platform/work/background.ts';
import type { FdmsDate, ReconciliationMode, ServerSignature } from '../core/protocol.ts';
import { signedDates } from '../core/server-date.ts';
import type { Gateway } from '../gateway/gateway.ts';
import { thumbprintOf } from './certificates.ts';

export interface SignedByServer {
  /** What may have been signed; they differ in how the date is spelled. */
  readonly texts: readonly string[];
  readonly signature: ServerSignature;
}

export type ServerSignatureCheck =
  | { readonly kind: 'valid' }
  | { readonly kind: 'invalid'; readonly reason: string }
  /** The certificate could not be obtained: no verdict, ask again later. */
  | { readonly kind: 'undecided'; readonly reason: string };

/** The base64 text of the device's signature, not its bytes. */
export function receiptServerTexts(receipt: {
  readonly deviceSignature: string;
  readonly receiptId: number | bigint;
  readonly serverDate: FdmsDate;
}): readonly string[] {
  return signedDates(receipt.serverDate).map((date) => receipt.deviceSignature + receipt.receiptId + date);
}

/** `counters` are spelled and ordered as in the device's own closing string. */
export function dayServerTexts(day: {
  readonly deviceId: number;
  readonly fiscalDayNo: number;
  /** `YYYY-MM-DD`, of the opening. */
  readonly fiscalDayDate: string;
  readonly fiscalDayClosed: FdmsDate;
  readonly reconciliationMode: ReconciliationMode;
  readonly counters: string;
  /** Left out of the string when a person closed the day. */
  readonly deviceSignature: string;
}): readonly string[] {
  const deviceSignature = day.reconciliationMode === 'Manual' ? '' : day.deviceSignature;
  const end = day.reconciliationMode.toUpperCase() + day.counters + deviceSignature;
  return signedDates(day.fiscalDayClosed).map((closed) =>
    [day.deviceId, day.fiscalDayNo, day.fiscalDayDate, closed, end].join(''),
  );
}

/** A thumbprint is sent in hex of either case, with colons, or in base64; one that is none of these is left as it is. */
export function thumbprintName(text: string): string {
  const hex = text.replaceAll(/[:\s-]/g, '');
  if (/^[0-9a-f]{40}$/i.test(hex)) return hex.toUpperCase();
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === 20 ? bytes.toString('hex').toUpperCase() : text;
}

/** In base64, or in hex. */
function isHashOf(text: string, claimed: string): boolean {
  const bytes = hash('sha256', text, 'buffer');
  return bytes.toString('base64') === claimed || bytes.toString('hex') === claimed.toLowerCase();
}

/** Certificates of the authority are few and never change under their thumbprint. */
const MAX_CERTIFICATES = 100;

export type FetchedCertificate =
  | { readonly kind: 'found'; readonly certificatePem: string }
  /** `failures`: how often in a row it could not be had. */
  | { readonly kind: 'undecided'; readonly reason: string; readonly failures: number };

/** A look-up that failed is not made again before this, doubled with every failure. */
const FIRST_PAUSE_MS = 5_000;
const MAX_PAUSE_MS = 600_000;

/** Texts only: with a piece of a buffer a message would carry all of the pool behind it. */
interface ToVerify {
  readonly texts: readonly string[];
  readonly signature: string;
  readonly certificatePem: string;
}

/** What goes to the thread: each certificate once. */
interface VerifyJob {
  readonly certificates: readonly string[];
  readonly signed: readonly { readonly texts: readonly string[]; readonly signature: string; readonly by: number }[];
}

interface KnownCertificate {
  readonly pem: string;
  /** Why nothing can be proved with it. */
  readonly fault: string | undefined;
}

interface FailedLookUp {
  readonly outcome: Exclude<FetchedCertificate, { kind: 'found' }>;
  /** By performance.now(): a clock that is set must not keep it from being made. */
  readonly untilMs: number;
}

/**
 * The authority's signing certificates as far as they are known here, each fetched once: two hundred devices that meet a
 * new one at the same moment ask once, and one that cannot be obtained is not requested with every receipt.
 */
export class ServerCertificates {
  readonly #gateway: Pick<Gateway, 'serverCertificate'>;
  readonly #known = new LRUCache<string, KnownCertificate>({ max: MAX_CERTIFICATES });
  readonly #failed = new LRUCache<string, FailedLookUp>({ max: MAX_CERTIFICATES });
  readonly #fetching = new Map<string, Promise<FetchedCertificate>>();
  readonly #closed = Promise.withResolvers<FetchedCertificate>();
  readonly #thread = new BackgroundThread<VerifyJob, boolean[]>({
    file: new URL('verify-thread.mjs', import.meta.url),
    longestJobMs: 10_000,
    memoryMb: 32,
    idleMs: 60_000,
  });

  constructor(gateway: Pick<Gateway, 'serverCertificate'>) {
    this.#gateway = gateway;
  }

  /**
   * With what is known at this moment, so that no request delays it; in another thread: to prove a signature of an elliptic curve takes a fifth of a millisecond, and to hand over
   * each alone would take this thread half as long. One call at a time.
   */
  async prove(signed: readonly SignedByServer[]): Promise<ServerSignatureCheck[]> {
    const judged = signed.map((one) => this.#judge(one));
    const open = judged.flatMap((one) => ('kind' in one ? [] : [one]));
    const certificates = [...new Set(open.map(({ certificatePem }) => certificatePem))];
    const work = open.map(({ texts, signature, certificatePem }) => ({
      texts,
      signature,
      by: certificates.indexOf(certificatePem),
    }));
    const verdicts = (open.length === 0 ? [] : await this.#thread.run({ certificates, signed: work })).values();
    return judged.map((one): ServerSignatureCheck => {
      if ('kind' in one) return one;
      const isValid = verdicts.next().value === true;
      return isValid ? { kind: 'valid' } : invalid('it was not made with the key of its certificate');
    });
  }

  /** Hash and signature both, the hash here: either one alone proves nothing about the other. */
  #judge({ texts, signature: given }: SignedByServer): ServerSignatureCheck | ToVerify {
    const { hash: claimed, signature = '', certificateThumbprint = '' } = given;
    const thumbprint = thumbprintName(certificateThumbprint);
    const known = this.#known.get(thumbprint);
    if (known === undefined) return { kind: 'undecided', reason: 'its certificate is not here yet' };
    const admitted = texts.filter((text) => claimed === undefined || isHashOf(text, claimed));
    if (admitted.length === 0) return invalid('its hash is of another text');
    return known.fault === undefined ? { texts: admitted, signature, certificatePem: known.pem } : invalid(known.fault);
  }

  has(thumbprint: string): boolean {
    return this.#known.has(thumbprint);
  }

  /** One that was kept from earlier. */
  learn(thumbprint: string, certificatePem: string): void {
    const certificate = tryReadCertificate(certificatePem);
    const isNamed = certificate !== undefined && thumbprintOf(certificate) === thumbprint;
    const fault =
      certificate === undefined ? 'its certificate cannot be read' : 'its certificate has another thumbprint';
    this.#known.set(thumbprint, { pem: certificatePem, fault: isNamed ? undefined : fault });
  }

  /** Asks the authority, unless it is being asked already or failed to say a moment ago. */
  async fetch(thumbprint: string): Promise<FetchedCertificate> {
    const failure = this.#recentFailure(thumbprint);
    if (failure !== undefined) return failure;
    const underWay = this.#fetching.get(thumbprint) ?? this.#fetch(thumbprint);
    this.#fetching.set(thumbprint, underWay);
    return Promise.race([underWay, this.#closed.promise]);
  }

  /** Anything that still waits for a certificate continues without it. */
  close(): void {
    this.#closed.resolve({ kind: 'undecided', reason: 'the service stops', failures: 0 });
    void this.#thread.close();
  }

  #recentFailure(thumbprint: string): FailedLookUp['outcome'] | undefined {
    const failed = this.#failed.get(thumbprint);
    return failed !== undefined && performance.now() < failed.untilMs ? failed.outcome : undefined;
  }

  async #fetch(thumbprint: string): Promise<FetchedCertificate> {
    const found = await fetchCertificate(this.#gateway, thumbprint);
    this.#fetching.delete(thumbprint);
    if ('certificatePem' in found) {
      this.#failed.delete(thumbprint);
      this.learn(thumbprint, found.certificatePem);
      return { kind: 'found', ...found };
    }
    const failures = (this.#failed.get(thumbprint)?.outcome.failures ?? 0) + 1;
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), MAX_PAUSE_MS);
    const outcome = { kind: 'undecided', ...found, failures } as const;
    this.#failed.set(thumbprint, { outcome, untilMs: performance.now() + pauseMs });
    return outcome;
  }
}

/**
 * Of the chain that is answered, the one that was named: it is trusted because it came over the pinned connection. That there is none
 * (404) may be so for a moment only, and proves nothing against what it signed.
 */
async function fetchCertificate(
  gateway: Pick<Gateway, 'serverCertificate'>,
  thumbprint: string,
): Promise<{ readonly certificatePem: string } | { readonly reason: string }> {
  if (!/^[0-9A-F]{40}$/.test(thumbprint)) return { reason: 'that is no thumbprint' };
  const answer = await gateway.serverCertificate(thumbprint);
  if (answer.kind === 'unavailable') return { reason: answer.reason };
  if (answer.kind === 'refused') return { reason: `${answer.status}: ${answer.detail}` };
  for (const entry of answer.value.certificate) {
    const certificate = tryReadCertificate(entry);
    if (certificate !== undefined && thumbprintOf(certificate) === thumbprint) {
      return { certificatePem: certificate.toString() };
    }
  }
  return { reason: 'the authority answered with another certificate than the one asked for' };
}

/** PEM; or bare base64 of the DER, which is how a list of certificates is often sent. */
function tryReadCertificate(text: string): X509Certificate | undefined {
  try {
    return new X509Certificate(text.includes('-----BEGIN') ? text : Buffer.from(text, 'base64'));
  } catch {
    return undefined;
  }
}

function invalid(reason: string) {
  return { kind: 'invalid', reason } as const;
}
