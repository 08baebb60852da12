import { seconds } from '../../platform/clock.ts';
import { passBarrier } from '../../platform/database/barrier.ts';
import { isPassing } from '../../platform/database/connection-failure.ts';
import { isChainHeld } from '../core/hold.ts';
import type { DeviceKey } from '../core/keys.ts';
import { nextStep, type Step } from '../core/next-step.ts';
import { LeaseLost, LONGEST_REST_SECONDS, withLease } from '../lanes/lease-store.ts';
import { pauseLane } from '../lanes/store.ts';
import { pingStep, refreshConfiguration, renewCertificate } from './care-steps.ts';
import { closeStep, startClosing } from './close-step.ts';
import type { KeeperContext, StepOutcome } from './context.ts';
import type { HeldLane } from './held-lane.ts';
import { openStep, startOpening } from './open-step.ts';
import type { LaneSituation } from './situation-store.ts';
import { checkStatus } from './status-step.ts';
import { submitStep } from './submit-step.ts';
import { alertUnclear, clearUnclear, isUnclear } from './unclear.ts';

const AFTER_A_BUG_SECONDS = 30;
/** A database that went away is back in a moment, or the pause cannot be written down and the lease runs out instead. */
const AFTER_A_LOST_DATABASE_SECONDS = 2;
const GOING_ROUND_SECONDS = 10;
/** The same step so often without a receipt getting through means that the authority contradicts itself. */
const MAX_REPEATS = 4;

/** How a turn ends: nothing is due until then, the lane pauses, or it is not ours any more. The latter two have released it. */
export type TurnEnd =
  | Extract<Step, { kind: 'idle' }>
  | Extract<StepOutcome, { kind: 'pause' }>
  | { readonly kind: 'lost' };

/**
 * One device's turn: decide on the next step, do it, and again, until nothing is due. Every step is written down before it is
 * taken or settled by looking afterwards, so it does not matter where a process is killed.
 */
export async function runDevice(context: KeeperContext, lane: HeldLane): Promise<TurnEnd> {
  const { pool, clock, log } = context;
  const { lease } = lane;
  try {
    const outcome = await stepUntilIdle(context, lane);
    if (outcome.kind === 'pause') await pauseLane(pool, lease, outcome, clock());
    return outcome;
  } catch (error) {
    if (error instanceof LeaseLost) {
      log.warn({ deviceId: lease.deviceId }, 'another instance took over this device');
      return { kind: 'lost' };
    }
    log.error({ err: error, deviceId: lease.deviceId }, 'a step of a device failed');
    await pauseLane(pool, lease, pauseAfter(error), clock()).catch(() => {});
    return { kind: 'lost' };
  }
}

function pauseAfter(error: unknown) {
  return isPassing(error)
    ? {
        seconds: AFTER_A_LOST_DATABASE_SECONDS,
        error: 'the database could not be reached for a moment',
        isOutage: false,
      }
    : { seconds: AFTER_A_BUG_SECONDS, error: 'an internal error; see the log', isOutage: false };
}

async function stepUntilIdle(context: KeeperContext, lane: HeldLane): Promise<Exclude<TurnEnd, { kind: 'lost' }>> {
  const { lease } = lane;
  const done = new Map<string, number>();
  for (;;) {
    lane.begin();
    const known = lane.situationAt(seconds(context.clock()));
    const situation = known ?? (await lane.look(context.look));
    const step = nextStep(situation);
    if (step.kind === 'idle') {
      if (isUnclear(situation, 'Answers')) {
        await withLease(context, lease, (tx) => clearUnclear(tx, lease, situation, 'Answers'));
        lane.forget();
      }
      return step;
    }
    // A stopping process leaves what is due to the next one, however much there is.
    if (context.stopping.aborted) return { kind: 'idle', untilSeconds: situation.nowSeconds };
    if (known !== undefined && step.kind !== 'submit') {
      // What is known is good for submitting; everything else is decided on a fresh look.
      lane.forget();
      continue;
    }
    // Without a standby that confirms, a step would end in a commit that waits, with a connection that others need.
    if (step.kind !== 'submit') await passBarrier(context.pool, lease.epoch);
    const outcome = asRequested(context, lease, await perform(context, lane, situation, step));
    if (step.kind !== 'submit') lane.forget();
    if (outcome.kind === 'pause') {
      if (!outcome.isOutage || !isCare(step, situation)) return outcome;
      context.carePauses.postpone(lease.deviceId, situation.nowSeconds + outcome.seconds);
      continue;
    }
    const name = JSON.stringify(step);
    const times = (done.get(name) ?? 0) + 1;
    if (step.kind === 'submit' && times === 1) done.clear();
    done.set(name, times);
    if (times >= MAX_REPEATS) {
      const error = `the authority's answers contradict each other (${step.kind} again and again)`;
      await withLease(context, lease, (tx) => alertUnclear(tx, lease, 'Answers', error));
      const seconds = Math.min(LONGEST_REST_SECONDS, GOING_ROUND_SECONDS * 2 ** situation.failures);
      return { kind: 'pause', seconds, error, isOutage: false };
    }
  }
}

/** A pause lasts at least as long as the authority asked for. */
function asRequested(
  { requestedPauses, clock }: KeeperContext,
  { deviceId }: DeviceKey,
  outcome: StepOutcome,
): StepOutcome {
  if (outcome.kind !== 'pause') return outcome;
  const now = seconds(clock());
  return { ...outcome, seconds: Math.max(outcome.seconds, (requestedPauses.of(deviceId, now) ?? now) - now) };
}

/** Nothing of the day depends on these: when they are not answered, receipts continue. */
function isCare({ kind }: Step, { lane, device }: LaneSituation): boolean {
  if (kind === 'refresh-configuration') return !lane.isRefused;
  if (kind === 'check-status') return !isChainHeld(device);
  return kind === 'ping';
}

function perform(
  context: KeeperContext,
  lane: HeldLane,
  situation: LaneSituation,
  step: Exclude<Step, { kind: 'idle' }>,
): Promise<StepOutcome> {
  const { lease } = lane;
  switch (step.kind) {
    case 'start-opening':
      return startOpening(context, lease, situation);
    case 'open':
    case 'confirm-open':
      return openStep(context, lease, situation);
    case 'submit':
      return submitStep(context, lane, situation, step.globalCounter);
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
  }
}
