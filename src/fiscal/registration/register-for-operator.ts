import type { DeviceRegistration } from '../../contract/fiscal/device.ts';
import type { Refusal } from '../../kernel/refusal.ts';
import { checkZone, minuteOfDay } from '../devices/change-device.ts';
import { NO_TAXPAYER } from '../taxpayers/change-taxpayer.ts';
import { findTaxpayer } from '../taxpayers/store.ts';
import { type RegistrationContext, registerWithAuthority } from './register-with-authority.ts';

/** Registers a device with the authority; undefined when it is. Sent again after a failure, it continues where it stopped. */
export async function registerForOperator(
  context: RegistrationContext,
  wanted: DeviceRegistration,
): Promise<Refusal | undefined> {
  const { TaxpayerId: taxpayerId, AuthorityDeviceId: deviceId, Zone: zone = 'Africa/Harare' } = wanted;
  const refusal = checkZone(zone);
  if (refusal !== undefined) return refusal;
  if ((await findTaxpayer(context.pool, taxpayerId)) === undefined) return NO_TAXPAYER;
  const outcome = await registerWithAuthority(context, {
    taxpayerId,
    deviceId,
    serialNumber: wanted.SerialNumber,
    activationKey: wanted.ActivationKey,
    keyAlgorithm: wanted.KeyAlgorithm ?? 'ECDSA-P256',
    zone,
    maintenanceStartMinute: minuteOfDay(wanted.MaintenanceStart ?? '02:00'),
    datePolicy: wanted.DatePolicy ?? 'advance',
    advanceLimitSeconds: wanted.AdvanceLimitSeconds ?? 300,
    futureLimitSeconds: wanted.FutureLimitSeconds ?? 120,
    lastGlobalCounter: wanted.LastGlobalCounter,
  });
  if (outcome.kind === 'taken') {
    return { code: 'InvalidRequest', detail: `Device ${deviceId} is registered here already.` };
  }
  if (outcome.kind === 'refused') {
    return { code: 'InvalidRequest', detail: `The authority refused the device: ${outcome.reason}.` };
  }
  if (outcome.kind === 'unclear') return { code: 'InvalidRequest', detail: outcome.detail };
  if (outcome.kind === 'unavailable') {
    const detail = `The device could not be registered: ${outcome.reason}. Its key is kept: send the same request again.`;
    return { code: 'Unavailable', detail, retryAfterSeconds: 30 };
  }
  return undefined;
}
