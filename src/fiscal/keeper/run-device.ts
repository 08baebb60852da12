import { nextStep, type Step } from '../core/next-step.ts';
import { pingStep, refreshConfiguration, renewCertificate } from './care-steps.ts';
import { closeStep, startClosing } from './close-step.ts';
import type { KeeperContext, StepOutcome } from './context.ts';
import { pauseLane } from './lane-store.ts';
import { type Lease, LeaseLost, releaseLease } from './lease.ts';
import { openStep, startOpening } from './open-step.ts';
import { type LaneSituation, readSituation } from './situation.ts';
import { checkStatus } from './status-step.ts';
import { submitStep } from './submit-step.ts';

const AFTER_A_BUG_SECONDS = 30;
const STOPPED_SECONDS = 300;

/**
 * One device's turn: look, do the next step, look again, until nothing is due. Every step is written down before it is
 * taken or settled by looking afterwards, so it does not matter where a process is killed.
 */
export async function runDevice(context: KeeperContext, lease: Lease): Promise<void> {
  const { pool, clock, log } = context;
  try {
    for (;;) {
      const situation = await readSituation(pool, lease, clock());
      const step = stepOf(situation);
      if (step.kind === 'idle') {
        await releaseLease(pool, lease, new Date(step.untilSeconds * 1000));
        return;
      }
      const outcome = await perform(context, lease, situation, step);
      if (outcome.kind === 'pause') {
        await pauseLane(pool, lease, outcome, clock());
        context.waiters.releaseDevice(lease.deviceId);
        return;
      }
    }
  } catch (error) {
    if (error instanceof LeaseLost) {
      log.warn({ deviceId: lease.deviceId }, 'another instance took over this device');
      return;
    }
    log.error({ err: error, deviceId: lease.deviceId }, 'a step of a device failed');
    const pause = { seconds: AFTER_A_BUG_SECONDS, error: 'an internal error; see the log', isOutage: false };
    await pauseLane(pool, lease, pause, clock()).catch(() => {});
    context.waiters.releaseDevice(lease.deviceId);
  }
}

/** While a refused receipt waits for an operator, its lane stands still. */
function stepOf(situation: LaneSituation): Step {
  if (situation.stoppedReason === undefined) return nextStep(situation);
  return { kind: 'idle', untilSeconds: situation.nowSeconds + STOPPED_SECONDS };
}

function perform(
  context: KeeperContext,
  lease: Lease,
  situation: LaneSituation,
  step: Exclude<Step, { kind: 'idle' }>,
): Promise<StepOutcome> {
  switch (step.kind) {
    case 'start-opening':
      return startOpening(context, lease, situation);
    case 'open':
    case 'confirm-open':
      return openStep(context, lease, situation);
    case 'submit':
      return submitStep(context, lease, situation, step.globalCounter);
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
