import type { FastifyInstance } from 'fastify';
import * as contract from '../../contract/fiscal/device.ts';
import { Refused } from '../../kernel/refusal.ts';
import { seconds } from '../../platform/clock.ts';
import type { Administration } from '../../platform/http/administration.ts';
import { route } from '../../platform/http/route.ts';
import type { DeviceWork } from '../devices/device-work-routes.ts';
import { presentDevices } from '../devices/present-device.ts';
import { findDevice } from '../devices/store.ts';
import { registerForOperator } from './register-for-operator.ts';
import type { RegistrationContext } from './register-with-authority.ts';

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
