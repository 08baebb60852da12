import type { DeviceIdentity, GatewayAnswer } from '../../fdms/index.ts';
import { passBarrier } from '../../platform/database/barrier.ts';
import type { Device } from '../core/device.ts';
import type { Lease } from '../core/lease.ts';
import type { KeeperContext } from './context.ts';

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

/** For a receipt, which has passed the barrier or was sealed here (keeper/lanes.ts). */
export async function askAtOnce<T>(
  { breaker, waiters, slowMs, quietSeconds, keepQuiet }: KeeperContext,
  lease: Lease,
  call: () => Promise<GatewayAnswer<T>>,
): Promise<GatewayAnswer<T>> {
  const { deviceId } = lease;
  if (quietSeconds(lease) > 0) {
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
    if (answer.retryAfterSeconds !== undefined) keepQuiet(lease, answer.retryAfterSeconds);
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
