import { raise, settle } from '../../platform/alerts/store.ts';
import { type Lease, LONGEST_REST_SECONDS } from '../core/lease.ts';
import { isUnclear, type Situation, type Unclear } from '../core/next-step.ts';
import { type LeasedTransaction, withLease } from '../lanes/lease-store.ts';
import { setLane } from '../lanes/store.ts';
import { type KeeperContext, pause, type StepOutcome } from './context.ts';

/** Nothing is sealed while the authority closes a day. */
const MAX_CLOSING_PAUSE_SECONDS = 60;
const FAILURES_TO_ALERT = 3;

/**
 * The lane rests for longer and longer. What fails once or twice may only be a proxy that spoke for the authority; from the third time
 * on a person should know.
 */
export async function restUnclear(
  context: KeeperContext,
  lease: Lease,
  situation: Situation,
  what: Unclear,
  words: string,
): Promise<StepOutcome> {
  const { failures } = situation;
  if (failures + 1 >= FAILURES_TO_ALERT) await withLease(context, lease, (tx) => alertUnclear(tx, lease, what, words));
  context.waiters.releaseDevice(lease.deviceId);
  const maximum = what === 'GetStatus' ? MAX_CLOSING_PAUSE_SECONDS : LONGEST_REST_SECONDS;
  return pause(Math.min(maximum, 2 ** failures) * (0.75 + Math.random() / 4), words);
}

export function alertUnclear(tx: LeasedTransaction, lease: Lease, what: Unclear, words: string): Promise<void> {
  const message = MEANING[what].replace('{device}', `device ${lease.deviceId}`).replace('{words}', () => words);
  return raise(tx, { kind: 'AnswerUnclear', ...lease, what, message });
}

const MEANING: Readonly<Record<Unclear, string>> = {
  SubmitReceipt:
    "It is not known whether the authority has the next receipt of {device}, and those after it wait: {words}. It is sent again, ever more rarely; if that does not help, look it up in the authority's portal and decide.",
  GetStatus:
    'How the authority sees the fiscal day of {device} is not known: {words}. It is asked again. While the day is being closed, nothing can be sealed on the device.',
  GetConfig: 'The configuration of {device} cannot be used as the authority sends it: {words}. It is asked for again.',
  Answers:
    'What the authority says about {device} does not fit together, and receipts may wait for it: {words}. It is tried again, ever more rarely.',
};

/** This kind of answer can be used again. */
export async function clearUnclear(
  tx: LeasedTransaction,
  lease: Lease,
  situation: Situation,
  what: Unclear,
): Promise<void> {
  if (!isUnclear(situation, what)) return;
  await settle(tx, 'AnswerUnclear', lease, what);
  // What comes next is not to wait for longer because of what failed before.
  await setLane(tx, lease, { attempts: 0, failedAt: null, error: null });
}
