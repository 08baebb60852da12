import type { FastifyInstance } from 'fastify';
import type { DeviceRegistration } from '../../contract/fiscal/device.ts';
import * as contract from '../../contract/fiscal/device.ts';
import { REGISTRATION_DEFAULTS } from '../../contract/shared/values.ts';
import { type Refusal, Refused, refused } from '../../kernel/refusal.ts';
import { seconds } from '../../platform/clock.ts';
import type { Administration } from '../../platform/http/administration.ts';
import { route } from '../../platform/http/route.ts';
import { checkZone, minuteOfDay } from '../devices/change-device.ts';
import type { DeviceWork } from '../devices/device-work-routes.ts';
import { presentDevices } from '../devices/present-device.ts';
import { findDevice } from '../devices/store.ts';
import { NO_TAXPAYER } from '../taxpayers/change-taxpayer.ts';
import { findTaxpayer } from '../taxpayers/store.ts';
import {
  type RegistrationContext,
  type RegistrationOutcome,
  registerWithAuthority,
} from './register-with-authority.ts';

export function registrationRoutes(
  app: FastifyInstance,
  context: Administration & DeviceWork & RegistrationContext,
): void {
  const { clock, guard, audited, poke } = context;

  route(app, guard, contract.registerDevice, async ({ request, body }) => {
    const registered = await registerForOperator(context, body);
    if (registered instanceof Refused) return registered;
    const { TaxpayerId: taxpayerId, AuthorityDeviceId: deviceId } = body;
    const answer = await audited(request, async (tx) => {
      const stored = await findDevice(tx, taxpayerId, deviceId);
      const [after] = stored === undefined ? [] : await presentDevices(tx, [stored], seconds(clock()));
      if (after === undefined) throw new Error('the device that was just registered is not there');
      const action = registered.isAgain ? 'device.registered-again' : 'device.registered';
      return { action, taxpayerId, subject: `device ${deviceId}`, after, answer: after };
    });
    poke(taxpayerId, deviceId);
    return answer;
  });
}

/** Registers a device with the authority. Sent again after a failure, it continues where it stopped. */
async function registerForOperator(
  context: RegistrationContext,
  registration: DeviceRegistration,
): Promise<Refused | { readonly isAgain: boolean }> {
  const wanted = { ...REGISTRATION_DEFAULTS, ...registration };
  const { TaxpayerId: taxpayerId, AuthorityDeviceId: deviceId, Zone: zone } = wanted;
  const refusal = checkZone(zone);
  if (refusal !== undefined) return refused(refusal);
  if ((await findTaxpayer(context.pool, taxpayerId)) === undefined) return refused(NO_TAXPAYER);
  const outcome = await registerWithAuthority(context, {
    taxpayerId,
    deviceId,
    serialNumber: wanted.SerialNumber,
    activationKey: wanted.ActivationKey,
    keyAlgorithm: wanted.KeyAlgorithm,
    zone,
    maintenanceStartMinute: minuteOfDay(wanted.MaintenanceStart),
    datePolicy: wanted.DatePolicy,
    advanceLimitSeconds: wanted.AdvanceLimitSeconds,
    futureLimitSeconds: wanted.FutureLimitSeconds,
    lastGlobalCounter: wanted.LastGlobalCounter,
    isAgain: wanted.Again ?? false,
  });
  return outcome.kind === 'registered' ? outcome : refused(refusalOf(outcome, deviceId));
}

function refusalOf(outcome: Exclude<RegistrationOutcome, { kind: 'registered' }>, deviceId: number): Refusal {
  if (outcome.kind === 'taken') {
    const detail = `Device ${deviceId} is registered here already.${outcome.isOwn ? AGAIN : ''}`;
    return { code: 'InvalidRequest', detail };
  }
  if (outcome.kind === 'refused') {
    return { code: 'InvalidRequest', detail: `The authority refused the device: ${outcome.reason}.` };
  }
  if (outcome.kind === 'unclear') return { code: 'InvalidRequest', detail: outcome.detail };
  const detail = `The device could not be registered: ${outcome.reason}. Its key is kept: send the same request again.`;
  return { code: 'Unavailable', detail, retryAfterSeconds: 30 };
}

const AGAIN =
  ' To replace its certificate although the authority is not known to refuse it, send Again: true (--again on the command line) with a fresh activation key.';
