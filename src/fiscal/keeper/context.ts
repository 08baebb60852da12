import type { Pool } from 'pg';
import type { DeviceIdentity, Gateway, GatewayAnswer } from '../../fdms/index.ts';
import { type Clock, seconds } from '../../platform/clock.ts';
import { passBarrier } from '../../platform/database/barrier.ts';
import type { Log } from '../../platform/logging/log.ts';
import type { Device } from '../core/device.ts';
import type { DeviceRegistry } from '../devices/device-registry.ts';
import type { Evidence } from '../evidence/evidence.ts';
import type { LaneKey, Lease } from '../lanes/lease.ts';
import type { Acknowledged } from '../sealing/acknowledged.ts';
import type { Acceptances } from '../submission/acceptances.ts';
import type { Breaker } from '../submission/breaker.ts';
import type { SubmissionWaiters } from '../submission/waiters.ts';
import type { DevicePauses } from './device-pauses.ts';
import type { ReceiptsAhead } from './receipts-ahead.ts';
import type { LaneSituation } from './situation.ts';

export interface KeeperContext {
  readonly pool: Pool;
  readonly gateway: Gateway;
  readonly evidence: Evidence;
  readonly breaker: Breaker;
  readonly carePauses: DevicePauses;
  /** What the authority asked for with Retry-After. */
  readonly requestedPauses: DevicePauses;
  readonly devices: DeviceRegistry;
  readonly waiters: SubmissionWaiters;
  readonly acceptances: Acceptances;
  readonly acknowledged: Acknowledged;
  readonly ahead: ReceiptsAhead;
  readonly clock: Clock;
  readonly log: Log;
  readonly stopping: AbortSignal;
  /** How the lane stands, in the tables. */
  readonly look: (key: LaneKey) => Promise<LaneSituation>;
  /** These lanes are to look at the tables at once. */
  readonly poke: (lanes: readonly LaneKey[]) => void;
  /** A call that takes longer than this counts as an outage for everything that waits. */
  readonly slowMs: number;
  /** In which alerts tell times. */
  readonly timeZone: string;
}

/** The outcome of a step: continue with the next one, or leave the lane alone for a while. */
export type StepOutcome =
  | { readonly kind: 'continue' }
  | { readonly kind: 'pause'; readonly seconds: number; readonly error: string; readonly isOutage: boolean };

export const CONTINUE: StepOutcome = { kind: 'continue' };

export function pause(seconds: number, error: string, isOutage = false): StepOutcome {
  return { kind: 'pause', seconds, error, isOutage };
}

/** Where nothing waits for submissions, an ordinary answer must still not look like an outage. */
const LEAST_PATIENCE_MS = 3000;

/**
 * Calls the authority unless it is known to be down, and tells the breaker how it went. A slow call holds up its own device only. What
 * the call says was read from the database, and the authority never forgets: so first the standby must have it.
 */
export async function ask<T>(
  context: KeeperContext,
  lease: Lease,
  call: () => Promise<GatewayAnswer<T>>,
): Promise<GatewayAnswer<T>> {
  await passBarrier(context.pool, lease.epoch);
  return askAtOnce(context, lease, call);
}

/** For a receipt, which has passed the barrier or was sealed here (receipts-ahead.ts). */
export async function askAtOnce<T>(
  { breaker, waiters, slowMs, clock, requestedPauses }: KeeperContext,
  { deviceId }: Lease,
  call: () => Promise<GatewayAnswer<T>>,
): Promise<GatewayAnswer<T>> {
  if (requestedPauses.of(deviceId, seconds(clock())) !== undefined) {
    return { kind: 'unavailable', reason: 'the authority asked to be left alone for a while', mayHaveArrived: false };
  }
  if (!breaker.mayCall(deviceId)) {
    return {
      kind: 'unavailable',
      reason: `the authority gives no usable answer at the moment: ${breaker.reason}`,
      mayHaveArrived: false,
    };
  }
  let tookLong = false;
  const onSlow = () => {
    tookLong = true;
    breaker.trip(deviceId, 'the authority takes too long to answer');
    waiters.releaseDevice(deviceId);
  };
  const watchdog = setTimeout(onSlow, Math.max(slowMs, LEAST_PATIENCE_MS));
  const answer = await call().finally(() => clearTimeout(watchdog));
  if (answer.kind === 'unavailable') {
    breaker.failed(deviceId, answer.reason);
    requestedPauses.postpone(deviceId, seconds(clock()) + (answer.retryAfterSeconds ?? 0));
  } else breaker.succeeded(deviceId, { tookLong });
  return answer;
}

/** The device's certificate and key, as they are at this moment. */
export async function identityOf(context: KeeperContext, device: Device): Promise<DeviceIdentity> {
  const { taxpayerId, deviceId, revision } = device;
  const { certificatePem, privateKey } = await context.devices.at(context.pool, taxpayerId, deviceId, revision);
  if (certificatePem === undefined) throw new Error(`device ${deviceId} has no certificate`);
  return { deviceId, certificatePem, privateKey };
}
