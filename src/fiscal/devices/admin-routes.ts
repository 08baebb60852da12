import type { FastifyInstance } from 'fastify';
import * as contract from '../../contract/fiscal/device.ts';
import { refused } from '../../kernel/refusal.ts';
import { seconds } from '../../platform/clock.ts';
import type { Administration } from '../../platform/http/administration.ts';
import { DEFAULT_PAGE, nextCursor, readPage } from '../../platform/http/page.ts';
import { route } from '../../platform/http/route.ts';
import { changeDevice, checkZone } from './change-device.ts';
import { type DeviceWork, deviceWorkRoutes } from './device-work-routes.ts';
import { NO_DEVICE, presentDevices } from './present-device.ts';
import { findDevices, listDevices } from './store.ts';

export function deviceAdminRoutes(app: FastifyInstance, context: Administration & DeviceWork): void {
  const { pool, clock, guard, audited } = context;

  route(app, guard, contract.listDevices, async ({ query }) => {
    const filter = { taxpayerId: query.TaxpayerId, isStopped: query.IsStopped, after: query.Cursor };
    const ids = await readPage(query.Limit ?? DEFAULT_PAGE, (limit) => listDevices(pool, filter, limit));
    const devices = await findDevices(pool, ids.rows);
    return {
      Devices: await presentDevices(pool, devices, seconds(clock())),
      NextCursor: nextCursor(ids, String),
    };
  });

  route(app, guard, contract.getManagedDevice, async ({ params: { authorityDeviceId } }) => {
    const [device] = await presentDevices(pool, await findDevices(pool, [authorityDeviceId]), seconds(clock()));
    return device ?? refused(NO_DEVICE);
  });

  route(app, guard, contract.changeDevice, async ({ request, params, body }) => {
    const refusal = checkZone(body.Zone);
    if (refusal !== undefined) return refused(refusal);
    return audited(request, (tx, actor) => changeDevice(tx, params.authorityDeviceId, body, { actor, now: clock() }));
  });

  deviceWorkRoutes(app, context);
}
