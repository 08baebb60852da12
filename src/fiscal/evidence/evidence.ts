import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { ServerCertificates, SignedByServer } from '../../fdms/index.ts';
import { inTransaction, type Transaction } from '../../platform/database/database.ts';
import { GroupCommit, together } from '../../platform/database/group-commit.ts';
import type { Log } from '../../platform/logging/log.ts';
import { raiseAlert } from '../alerts/store.ts';
import type { ReceiptKey } from '../submission/store.ts';
import {
  decideDay,
  decideReceipts,
  findCertificate,
  findUnprovedThumbprints,
  keepCertificate,
  listUnprovedDays,
  listUnprovedReceipts,
  type UnprovedDay,
} from './store.ts';

const LOOK_EVERY_MS = 5000;
/** However often it is poked: while a certificate does not come, every acceptance does. */
const LOOKS_APART_MS = 1000;
const ROWS_AT_ONCE = 200;
/** Some milliseconds of the other thread: what came meanwhile waits for it. */
const PROVED_AT_ONCE = 50;
const PROOFS_APART_MS = 5;
/** An acceptance waits no longer for its proof, which otherwise saves a second write. Proving takes less than a millisecond. */
const PATIENCE_MS = 250;

/**
 * Proves the authority's signatures. A receipt under a certificate that is known here is proved on the spot, which asks
 * nobody; everything else is recorded unproved and proved here afterwards, by whichever instance looks first. So neither
 * a lane nor a till ever waits for a certificate, and a crash leaves nothing unproved for good.
 */
export class Evidence {
  readonly #pool: Pool;
  readonly #certificates: ServerCertificates;
  readonly #log: Log;
  /** Undefined when the certificate is not known here yet. */
  readonly #proofs: GroupCommit<SignedByServer, boolean | undefined>;
  /** Days whose signature covers counters not known here: whether it holds cannot be found out. */
  readonly #undecidable = new Set<string>();
  readonly #stopping = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #pass: Promise<void> | undefined;
  #isPoked = false;
  #isStopped = true;

  constructor(pool: Pool, certificates: ServerCertificates, log: Log) {
    this.#pool = pool;
    this.#certificates = certificates;
    this.#log = log;
    this.#proofs = new GroupCommit({
      name: 'prove signatures',
      work: together(async (signed) => {
        // One by one would fail as well, each in a thread that has to be started; the rows tell what is left to prove.
        const checks = await certificates.prove(signed).catch((error: unknown) => {
          if (!this.#isStopped) log.warn({ err: error, size: signed.length }, 'signatures could not be proved now');
          return signed.map(() => ({ kind: 'undecided' as const }));
        });
        return checks.map(({ kind }) => (kind === 'undecided' ? undefined : kind === 'valid'));
      }),
      maxPerBatch: PROVED_AT_ONCE,
      apartMs: PROOFS_APART_MS,
    });
  }

  /** In another thread. Undefined when it is not known soon: the certificate is not here yet, or the thread is busy. */
  judgeSoon(signed: SignedByServer): Promise<boolean | undefined> {
    const { promise, resolve } = Promise.withResolvers<boolean | undefined>();
    const timer = setTimeout(resolve, PATIENCE_MS, undefined);
    this.#proofs.run(signed).then(resolve, () => resolve(undefined));
    return promise.finally(() => clearTimeout(timer));
  }

  start(): void {
    this.#isStopped = false;
    this.#timer = setInterval(() => this.poke(), LOOK_EVERY_MS);
    this.poke();
  }

  /** Something was recorded unproved. */
  poke(): void {
    if (this.#isStopped) return;
    this.#isPoked = true;
    this.#pass ??= this.#work().finally(() => {
      this.#pass = undefined;
    });
  }

  /** A certificate that does not come is not waited for. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#stopping.abort();
    clearInterval(this.#timer);
    this.#certificates.close();
    await this.#pass;
  }

  async #work(): Promise<void> {
    while (this.#isPoked && !this.#isStopped) {
      this.#isPoked = false;
      try {
        await Promise.all((await findUnprovedThumbprints(this.#pool)).map((thumbprint) => this.#prove(thumbprint)));
      } catch (error) {
        if (!this.#isStopped) this.#log.warn({ err: error }, "could not prove the authority's signatures; tried again");
      }
      await delay(LOOKS_APART_MS, undefined, { signal: this.#stopping.signal }).catch(() => {});
    }
  }

  async #prove(thumbprint: string): Promise<void> {
    if (!(await this.#isJudgeable(thumbprint))) return;
    for (const day of await listUnprovedDays(this.#pool, thumbprint, ROWS_AT_ONCE)) await this.#proveDay(day);
    for (;;) {
      const receipts = await listUnprovedReceipts(this.#pool, thumbprint, ROWS_AT_ONCE);
      const verdicts = await Promise.all(receipts.map(({ signed }) => this.#proofs.run(signed)));
      await inTransaction(this.#pool, async (tx) => {
        for (const isValid of [true, false]) {
          const judged = receipts.filter((_, index) => verdicts[index] === isValid);
          const decided = new Set(await decideReceipts(tx, judged, isValid));
          const invalid = isValid ? [] : judged.filter(({ reference }) => decided.has(reference));
          for (const receipt of invalid) await alertInvalid(tx, receipt);
        }
      });
      if (this.#isStopped || verdicts.includes(undefined) || receipts.length < ROWS_AT_ONCE) return;
    }
  }

  /** Whether the certificate is here now, or the authority has said that there is no such one. */
  async #isJudgeable(thumbprint: string): Promise<boolean> {
    const name = thumbprint.toUpperCase();
    if (this.#certificates.has(name)) return true;
    const kept = await findCertificate(this.#pool, name);
    if (kept !== undefined) {
      this.#certificates.learn(name, kept);
      return true;
    }
    const found = await this.#certificates.fetch(name);
    if (this.#isStopped || found.kind === 'undecided') return false;
    if (found.kind === 'found') await keepCertificate(this.#pool, name, found.certificatePem);
    return true;
  }

  async #proveDay(day: UnprovedDay): Promise<void> {
    const name = `${day.deviceId}:${day.fiscalDayNumber}`;
    if (this.#undecidable.has(name)) return;
    const isValid = await this.#proofs.run(day.signed);
    // How the authority spells counters that are not known here is a guess, which proves nothing when it is wrong.
    if (isValid === false && day.counters.others.length > 0) this.#undecidable.add(name);
    else if (isValid !== undefined) await decideDay(this.#pool, day, isValid);
  }
}

export async function alertInvalid(tx: Transaction, receipt: ReceiptKey & { readonly reference: string }) {
  const { taxpayerId, deviceId, reference } = receipt;
  const message = `The authority's signature on ${reference} does not verify.`;
  await raiseAlert(tx, { taxpayerId, deviceId, kind: 'SignatureInvalid', subject: reference, message });
}
