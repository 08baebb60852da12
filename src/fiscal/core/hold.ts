import type { Refusal } from '../../kernel/refusal.ts';
import type { Device } from './device.ts';

/** It ends when somebody or something else says so; until then it is worth asking every minute. */
const ASK_AGAIN_SECONDS = 60;

/** A device that may sign nothing at all. That is no error of the receipt: the same one can be sealed once the hold ends. */
export function refuseOnHold(device: Device, nowSeconds: number): Refusal | undefined {
  const words = holdWords(device, nowSeconds);
  if (words === undefined) return undefined;
  const detail = `Device ${device.deviceId} is on hold: ${words}. Nothing was signed; send the same receipt again later.`;
  return { code: 'DeviceOnHold', detail, retryAfterSeconds: ASK_AGAIN_SECONDS };
}

function holdWords({ blockedReason, certificateValidTill }: Device, nowSeconds: number): string | undefined {
  if (blockedReason !== undefined) return blockedReason;
  // What an expired certificate vouches for is worth nothing; the authority would refuse everything that is sent with it.
  if (certificateValidTill === undefined || nowSeconds * 1000 < certificateValidTill.getTime()) return undefined;
  return `its certificate expired on ${certificateValidTill.toISOString()}. An operator has to register it again, with a fresh activation key of the authority`;
}
