import type { GatewayAnswer } from '../../fdms/index.ts';
import { open, raise, settle } from '../../platform/alerts/store.ts';
import type { Lease } from '../core/lease.ts';
import { holdDevice, releaseDevice } from '../devices/hold-device.ts';
import { withLease } from '../lanes/lease-store.ts';
import { type KeeperContext, pause, type StepOutcome } from './context.ts';

type Refused = Extract<GatewayAnswer<never>, { kind: 'refused' }>;

/** Codes with which the authority says that this device, its model or its taxpayer may not work at all. */
const BLOCKING_CODES = new Set(['DEV01', 'DEV04', 'DEV05']);
const ASK_AGAIN_SECONDS = 60;

/** The authority refuses the device, not a receipt: the lane pauses, no receipt is refused, and an alert is raised. */
export function onDeviceRefusal(context: KeeperContext, lease: Lease, answer: Refused): Promise<StepOutcome> {
  const words = `${answer.code ?? answer.status}: ${answer.detail}`;
  return rest(context, lease, words, answer.code !== undefined && BLOCKING_CODES.has(answer.code));
}

/** The authority has switched the device to Offline mode, in which it takes files and no receipts. */
export function onOfflineMode(context: KeeperContext, lease: Lease): Promise<StepOutcome> {
  return rest(context, lease, 'the authority has put this device into Offline mode', true);
}

async function rest(context: KeeperContext, lease: Lease, words: string, isBlocking: boolean): Promise<StepOutcome> {
  const { deviceId } = lease;
  const message = `The authority refuses device ${deviceId}: ${words}`;
  await withLease(context, lease, async (tx) => {
    if (isBlocking) {
      const hold = { kind: 'Refused', reason: `the authority refuses it: ${words}`, message } as const;
      await holdDevice(tx, lease, hold, context.clock());
      await settle(tx, 'DeviceRefused', lease);
    } else if ((await open(tx, 'Refused', lease)).length === 0) {
      await raise(tx, { kind: 'DeviceRefused', ...lease, message });
    }
  });
  context.waiters.releaseDevice(deviceId);
  return pause(ASK_AGAIN_SECONDS, words);
}

/** The authority talks to the device again. */
export async function onDeviceAccepted(context: KeeperContext, lease: Lease): Promise<void> {
  await withLease(context, lease, async (tx) => {
    await releaseDevice(tx, lease, ['Refused'], context.clock());
    await settle(tx, 'DeviceRefused', lease);
  });
}
