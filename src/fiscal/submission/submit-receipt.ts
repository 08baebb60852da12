import type { Pool } from 'pg';
import { isNote } from '../../fdms/index.ts';
import { formatWall } from '../../kernel/zone.ts';
import type { Clock } from '../../platform/clock.ts';
import { GroupCommit, together } from '../../platform/database/group-commit.ts';
import { tracing } from '../../platform/tracing/tracing.ts';
import type { DeviceKey } from '../core/keys.ts';
import type { Link } from '../core/seal.ts';
import type { DeviceRegistry } from '../devices/device-registry.ts';
import { pendingSubmission, type SealedReceipt, type Submission } from '../sealed/sealed-receipt.ts';
import { findSubmissions, type ReferenceKey } from '../sealed/store.ts';
import type { Breaker } from './breaker.ts';
import type { NextReceipt } from './store.ts';
import type { SubmissionWaiters } from './waiters.ts';

/** Waits for the submission of a receipt that was just sealed, within limits, and tells how it stands. It never fails. */
export type Submit = (taxpayerId: string, sealed: SealedReceipt, link: Link) => Promise<SealedReceipt>;

/** How many receipts stand before one in its lane, as far as this process knows. */
export type Queued = number | 'being taken';

/** The lanes, as far as this process keeps them. */
export interface SubmissionLanes {
  /** Starts the submission at once; with the receipt as it will be sent where that is known here. */
  sealed(key: DeviceKey, globalCounter: number, next: NextReceipt | undefined): void;
  /** How many stand before the receipt in a lane that is held here and well; undefined otherwise. */
  queuedBefore(key: DeviceKey, globalCounter: number): Queued | undefined;
}

export interface SubmitOptions {
  readonly pool: Pool;
  readonly devices: DeviceRegistry;
  readonly breaker: Breaker;
  readonly waiters: SubmissionWaiters;
  readonly clock: Clock;
  readonly waitMs: number;
  readonly lanes: SubmissionLanes;
}

/** Another instance may be the one that submits; it does not notify us, so we look. */
const LOOK_AGAIN_MS = 250;

export function createSubmit(options: SubmitOptions): Submit {
  const { pool, breaker, waiters, lanes, waitMs } = options;
  const work = together((keys: readonly ReferenceKey[]) => read(pool, keys));
  const reads = new GroupCommit({ name: 'read submissions', work, maxPerBatch: 200 });
  return async (taxpayerId, sealed, link) => {
    const { deviceId, globalCounter } = sealed;
    const key = { taxpayerId, deviceId };
    const signing =
      options.devices.lastSeen(taxpayerId, deviceId) ?? (await options.devices.find(taxpayerId, deviceId));
    if (signing?.certificatePem === undefined) return sealed;
    const deadline = performance.now() + waitMs;
    const firstWait = waitMs > 0 ? waiters.wait(deviceId, globalCounter, Math.min(LOOK_AGAIN_MS, waitMs)) : 'late';
    lanes.sealed(key, globalCounter, nextOf(sealed, link));
    // In an outage, only the first request waits.
    let waited = breaker.isHopeless(deviceId) ? 'released' : await firstWait;
    for (;;) {
      if (typeof waited === 'object') return { ...sealed, submission: waited };
      const remainingMs = deadline - performance.now();
      const queued = waited === 'late' ? lanes.queuedBefore(key, globalCounter) : undefined;
      if (queued === undefined) {
        const submission = await reads.run({ taxpayerId, reference: sealed.reference });
        const isHopeless = submission.isLaneFailing || breaker.isHopeless(deviceId);
        if (submission.state !== 'Pending' || remainingMs <= 0 || isHopeless) {
          return { ...sealed, submission: atLatest(submission, options.clock()) };
        }
      } else if (remainingMs <= 0) {
        return { ...sealed, submission: pendingSubmission(options.clock(), queued, undefined) };
      }
      const patienceMs = typeof queued === 'number' ? remainingMs : Math.min(LOOK_AGAIN_MS, remainingMs);
      waited = await waiters.wait(deviceId, globalCounter, patienceMs);
    }
  };
}

/** As it would be read from its row. Of a note that would also say where its original stands, which is not known here. */
function nextOf(sealed: SealedReceipt, { receipt, taxes, wallSeconds }: Link): NextReceipt | undefined {
  if (isNote(receipt)) return undefined;
  const { reference, globalCounter, fiscalDayCounter, hash, signature, sealedAt } = sealed;
  return {
    receipt,
    reference,
    taxes,
    globalCounter,
    fiscalDayCounter,
    date: formatWall(wallSeconds),
    hash,
    signature,
    sealedAt,
    isWithoutBuyer: false,
    original: undefined,
    foreignOriginal: undefined,
    span: tracing?.current(),
  };
}

async function read(pool: Pool, keys: readonly ReferenceKey[]): Promise<Submission[]> {
  const found = await findSubmissions(pool, keys);
  return keys.map(({ taxpayerId, reference }) => {
    const mine = found.find((one) => one.taxpayerId === taxpayerId && one.reference === reference);
    if (mine === undefined) throw new Error(`receipt ${reference} was sealed and is not there`);
    return mine.submission;
  });
}

/** The answer's own time of failure: a receipt still queued has failed, for this answer, now. */
function atLatest(submission: Submission, now: Date): Submission {
  return submission.state === 'Pending' ? { ...submission, failedAt: now } : submission;
}
