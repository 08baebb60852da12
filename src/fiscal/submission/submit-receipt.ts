import type { Pool } from 'pg';
import type { Clock } from '../../platform/clock.ts';
import type { DeviceRegistry } from '../devices/device-registry.ts';
import type { SealedReceipt, Submission } from '../sealed/sealed-receipt.ts';
import { findReceipt } from '../sealed/store.ts';
import type { Breaker } from './breaker.ts';
import type { SubmissionWaiters } from './waiters.ts';

/** Waits for the submission of a receipt that was just sealed, within limits, and tells how it stands. It never fails. */
export type Submit = (taxpayerId: string, sealed: SealedReceipt) => Promise<SealedReceipt>;

export interface SubmitOptions {
  readonly pool: Pool;
  readonly devices: DeviceRegistry;
  readonly breaker: Breaker;
  readonly waiters: SubmissionWaiters;
  readonly clock: Clock;
  readonly waitMs: number;
  /** Starts the submission at once, on this instance. */
  readonly poke: (taxpayerId: string, deviceId: number) => void;
}

/** Another instance may be the one that submits; it does not notify us, so we look. */
const LOOK_AGAIN_MS = 250;

export function createSubmit(options: SubmitOptions): Submit {
  return async (taxpayerId, sealed) => {
    const { deviceId, globalCounter } = sealed;
    const signing =
      options.devices.lastSeen(taxpayerId, deviceId) ?? (await options.devices.find(taxpayerId, deviceId));
    if (signing?.certificatePem === undefined) return sealed;
    const deadline = performance.now() + options.waitMs;
    const firstWait = options.waiters.wait(deviceId, globalCounter, Math.min(LOOK_AGAIN_MS, options.waitMs));
    options.poke(taxpayerId, deviceId);
    // In an outage, only the first request waits.
    if (options.breaker.state !== 'open') await firstWait;
    for (;;) {
      const submission = await read(options.pool, taxpayerId, sealed);
      const remainingMs = deadline - performance.now();
      const isHopeless = submission.isLaneFailing || options.breaker.state === 'open';
      if (submission.state !== 'Pending' || remainingMs <= 0 || isHopeless) {
        return { ...sealed, submission: atLatest(submission, options.clock()) };
      }
      await options.waiters.wait(deviceId, globalCounter, Math.min(LOOK_AGAIN_MS, remainingMs));
    }
  };
}

async function read(pool: Pool, taxpayerId: string, sealed: SealedReceipt): Promise<Submission> {
  const stored = await findReceipt(pool, taxpayerId, sealed.reference);
  if (stored === undefined) throw new Error(`receipt ${sealed.reference} was sealed and is not there`);
  return stored.sealed.submission;
}

/** The answer's own time of failure: a receipt still queued has failed, for this answer, now. */
function atLatest(submission: Submission, now: Date): Submission {
  return submission.state === 'Pending' ? { ...submission, failedAt: now } : submission;
}
