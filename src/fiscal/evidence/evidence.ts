import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import { type ServerCertificates, type SignedByServer, thumbprintName } from '../../fdms/index.ts';
import { raise, settle } from '../../platform/alerts/store.ts';
import { inTransaction, type Transaction } from '../../platform/database/database.ts';
import { GroupCommit, together } from '../../platform/database/group-commit.ts';
import type { Log } from '../../platform/logging/log.ts';
import { recentlyUsed } from '../../platform/recently-used.ts';
import { raiseForReceipt } from '../alerts/store.ts';
import type { DayKey } from '../days/store.ts';
import {
  decideDay,
  decideReceipts,
  findCertificate,
  findOwners,
  findUnprovedThumbprints,
  keepCertificate,
  listUnprovedDays,
  listUnprovedReceipts,
  type UnprovedDay,
} from './store.ts';

const LOOK_EVERY_MS = 5000;
/** At most this often, because each acceptance pokes it while a certificate is missing. */
const LOOKS_APART_MS = 1000;
const ROWS_AT_ONCE = 200;
/** Some milliseconds of the other thread: what came meanwhile waits for it. */
const PROVED_AT_ONCE = 50;
const PROOFS_APART_MS = 5;
/** An acceptance waits no longer for its proof, which otherwise saves a second write. Proving takes less than a millisecond. */
const PATIENCE_MS = 250;
const MOST_LATE = 5000;
/** After so many failures in a row to get a certificate an alert is raised. */
const FAILURES_TO_ALERT = 2;

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
  /** What was recorded unproved because its proof took too long, which is on its way: a busy thread must not prove it twice. */
  readonly #late = recentlyUsed<Promise<boolean | undefined>>(MOST_LATE);
  /** Days whose signature covers counters not known here: whether it holds cannot be found out. */
  readonly #undecidable = new Set<string>();
  readonly #stopping = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #pass: Promise<void> | undefined;
  /** By thumbprint, so that a certificate that does not come holds up no other. */
  readonly #underWay = new Map<string, Promise<void>>();
  /** The number of failures when the alert was last raised. */
  readonly #alerted = new Map<string, number>();
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
    const proof = this.#proofs.run(signed).catch(() => undefined);
    const timer = setTimeout(() => {
      this.#late.set(nameOf(signed), proof);
      resolve(undefined);
    }, PATIENCE_MS);
    void proof.then(resolve);
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
    await Promise.all(this.#underWay.values());
  }

  async #work(): Promise<void> {
    while (this.#isPoked && !this.#isStopped) {
      this.#isPoked = false;
      const found = await findUnprovedThumbprints(this.#pool).catch((error: unknown) => this.#failed(error) ?? []);
      for (const thumbprint of found) {
        if (this.#underWay.has(thumbprint)) continue;
        const proving = this.#prove(thumbprint)
          .catch((error: unknown) => this.#failed(error))
          .finally(() => this.#underWay.delete(thumbprint));
        this.#underWay.set(thumbprint, proving);
      }
      await delay(LOOKS_APART_MS, undefined, { signal: this.#stopping.signal }).catch(() => {});
    }
  }

  #failed(error: unknown): undefined {
    if (!this.#isStopped) this.#log.warn({ err: error }, "could not prove the authority's signatures; tried again");
  }

  async #proofOf(signed: SignedByServer): Promise<boolean | undefined> {
    const late = await this.#late.get(nameOf(signed));
    this.#late.delete(nameOf(signed));
    return late ?? this.#proofs.run(signed);
  }

  async #prove(thumbprint: string): Promise<void> {
    if (!(await this.#isJudgeable(thumbprint))) return;
    for (const day of await listUnprovedDays(this.#pool, thumbprint, ROWS_AT_ONCE)) await this.#proveDay(day);
    for (;;) {
      const receipts = await listUnprovedReceipts(this.#pool, thumbprint, ROWS_AT_ONCE);
      const verdicts = await Promise.all(receipts.map(({ signed }) => this.#proofOf(signed)));
      await inTransaction(this.#pool, async (tx) => {
        for (const isValid of [true, false]) {
          const judged = receipts.filter((_, index) => verdicts[index] === isValid);
          const decided = new Set(await decideReceipts(tx, judged, isValid));
          const changed = judged.filter(({ globalCounter, deviceId }) => decided.has(`${deviceId}:${globalCounter}`));
          if (!isValid) for (const receipt of changed) await noteSignature(tx, receipt, 'invalid', receipt.reference);
        }
      });
      if (this.#isStopped || verdicts.includes(undefined) || receipts.length < ROWS_AT_ONCE) return;
    }
  }

  /** Whether the certificate is here now. While it is not, nothing speaks against what it signed. */
  async #isJudgeable(thumbprint: string): Promise<boolean> {
    const name = thumbprintName(thumbprint);
    if (this.#certificates.has(name)) return true;
    const kept = await findCertificate(this.#pool, name);
    if (kept !== undefined) {
      this.#certificates.learn(name, kept);
      return true;
    }
    const found = await this.#certificates.fetch(name);
    if (this.#isStopped) return false;
    const subject = `certificate ${name.slice(0, 100)}`;
    if (found.kind === 'undecided') {
      const message = `The authority's signatures of ${subject} cannot be checked, because it cannot be fetched: ${found.reason}. They are kept, and checked when it is there.`;
      const isNew = found.failures >= FAILURES_TO_ALERT && this.#alerted.get(name) !== found.failures;
      this.#alerted.set(name, found.failures);
      if (isNew) {
        const owners = await findOwners(this.#pool, thumbprint);
        await raise(
          this.#pool,
          ...owners.map((owner) => ({ kind: 'CertificateMissing' as const, ...owner, what: subject, message })),
        );
      }
      return false;
    }
    await keepCertificate(this.#pool, name, found.certificatePem);
    await settle(this.#pool, 'CertificateMissing', 'everybody', subject);
    return true;
  }

  async #proveDay(day: UnprovedDay): Promise<void> {
    const name = `${day.deviceId}:${day.fiscalDayNumber}`;
    if (this.#undecidable.has(name)) return;
    const isValid = await this.#proofs.run(day.signed);
    // How the authority spells counters that are not known here is a guess, which proves nothing when it is wrong.
    if (isValid === false && day.counters.others.length > 0) this.#undecidable.add(name);
    else if (isValid !== undefined) {
      await inTransaction(this.#pool, async (tx) => {
        await decideDay(tx, day, isValid);
        await noteSignature(tx, day, isValid ? 'valid' : 'invalid');
      });
    }
  }
}

/**
 * The only writer of SignatureInvalid: of the authority's signature on a day, or on a receipt of it. One is missing where the answer carries none, or
 * does not say whose it is: of that there is one alert for the device, because the authority does so with every receipt.
 */
export async function noteSignature(
  tx: Transaction,
  day: DayKey,
  signature: 'valid' | 'invalid' | 'missing',
  reference?: string,
): Promise<void> {
  const kind = 'SignatureInvalid';
  const { taxpayerId, deviceId } = day;
  const what = `day ${day.fiscalDayNumber}`;
  const invalid = `The authority's signature on ${reference ?? `${what} of device ${deviceId}`} does not verify.`;
  const missing = `The authority accepted ${reference} of device ${deviceId} without a signature by which it can be proved.`;
  if (signature === 'valid') await settle(tx, kind, day, what);
  else if (signature === 'missing') await raise(tx, { kind, taxpayerId, deviceId, message: missing });
  else if (reference === undefined) await raise(tx, { kind, taxpayerId, deviceId, what, message: invalid });
  else await raiseForReceipt(tx, kind, day, reference, invalid);
}

/** By what was signed and how: both as the authority sent them. */
function nameOf({ texts, signature }: SignedByServer): string {
  return `${signature.signature} ${texts[0]}`;
}
