import { passBarrier } from '../../platform/database/barrier.ts';
import { isPassing } from '../../platform/database/connection-failure.ts';
import type { LaneEvent, TakeStep } from '../core/held-lane.ts';
import { isChainHeld } from '../core/hold.ts';
import { type Lease, LONGEST_REST_SECONDS } from '../core/lease.ts';
import type { Situation, Step } from '../core/next-step.ts';
import { LeaseLost, withLease } from '../lanes/lease-store.ts';
import { pauseLane } from '../lanes/store.ts';
import type { NextReceipt } from '../submission/store.ts';
import { pingStep, refreshConfiguration, renewCertificate } from './care-steps.ts';
import { closeStep, startClosing } from './close-step.ts';
import { CONTINUE, type KeeperContext, type Pause, pause, type StepOutcome } from './context.ts';
import { openStep, startOpening } from './open-step.ts';
import { checkStatus } from './status-step.ts';
import { submitStep } from './submit-step.ts';
import { alertUnclear, clearUnclear } from './unclear.ts';

const AFTER_A_BUG = pause(30, 'an internal error; see the log');
/** A database that went away is back in a moment, or the pause cannot be written down and the lease runs out instead. */
const AFTER_A_LOST_DATABASE = pause(2, 'the database could not be reached for a moment');
const GOING_ROUND_SECONDS = 10;

type Failed = Extract<LaneEvent<never>, { kind: 'failed' }>;

/**
 * One step of a device, and how its lane goes on. Every step is written down before it is taken or settled by looking afterwards, so it
 * does not matter where a process is killed.
 */
export async function takeStep(
  context: KeeperContext,
  command: TakeStep<NextReceipt>,
): Promise<LaneEvent<NextReceipt>> {
  const { lease, step, situation, isGoingRound } = command;
  // Without a standby that confirms, a step would end in a commit that waits, with a connection that others need.
  if (step.kind !== 'submit') await passBarrier(context.pool, lease.epoch);
  const outcome = await perform(context, command);
  if (outcome.kind === 'accepted') return outcome;
  if (outcome.kind === 'continue' && !isGoingRound) return { kind: 'stepped', step };
  const paused = outcome.kind === 'pause' ? outcome : await contradiction(context, command);
  const seconds = Math.max(paused.seconds, context.quietSeconds(lease));
  if (paused.isOutage && isCare(step, situation)) return { kind: 'postponed', seconds };
  await pauseLane(context.pool, lease, { ...paused, seconds }, context.clock());
  return { kind: 'failed', pauseSeconds: seconds };
}

/** What an error that nothing foresaw does to a lane: another instance took it over, or it pauses. */
export async function onError({ pool, clock, log }: KeeperContext, lease: Lease, error: unknown): Promise<Failed> {
  const { deviceId } = lease;
  if (error instanceof LeaseLost) {
    log.warn({ deviceId }, 'another instance took over this device');
    return { kind: 'failed', pauseSeconds: 0 };
  }
  log.error({ err: error, deviceId }, 'a step of a device failed');
  const after = isPassing(error) ? AFTER_A_LOST_DATABASE : AFTER_A_BUG;
  await pauseLane(pool, lease, after, clock()).catch(() => {});
  return { kind: 'failed', pauseSeconds: after.seconds };
}

async function contradiction(
  context: KeeperContext,
  { lease, step, situation }: TakeStep<NextReceipt>,
): Promise<Pause> {
  const error = `the authority's answers contradict each other (${step.kind} again and again)`;
  const what = step.kind === 'submit' ? 'SubmitReceipt' : 'Answers';
  await withLease(context, lease, (tx) => alertUnclear(tx, lease, what, error));
  return pause(Math.min(LONGEST_REST_SECONDS, GOING_ROUND_SECONDS * 2 ** situation.failures), error);
}

/** Nothing of the day depends on these: when they are not answered, receipts continue. */
function isCare({ kind }: Step, { lane, device }: Situation): boolean {
  if (kind === 'refresh-configuration') return !lane.isRefused;
  if (kind === 'check-status') return !isChainHeld(device);
  return kind === 'ping';
}

async function perform(context: KeeperContext, command: TakeStep<NextReceipt>): Promise<StepOutcome> {
  const { lease, step, situation } = command;
  switch (step.kind) {
    case 'start-opening':
      return startOpening(context, lease, situation);
    case 'open':
    case 'confirm-open':
      return openStep(context, lease, situation);
    case 'submit':
      return submitStep(context, command, step.globalCounter);
    case 'start-closing':
      return startClosing(context, lease, situation, step.reason);
    case 'close':
      return closeStep(context, lease, situation);
    case 'poll-close':
    case 'check-status':
      return checkStatus(context, lease, situation);
    case 'refresh-configuration':
      return refreshConfiguration(context, lease, situation);
    case 'renew-certificate':
      return renewCertificate(context, lease, situation);
    case 'ping':
      return pingStep(context, lease, situation);
    case 'settle-answers':
      await withLease(context, lease, (tx) => clearUnclear(tx, lease, situation, 'Answers'));
      return CONTINUE;
  }
}
