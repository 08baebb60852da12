import type { Demo } from '../../src/demo/demo.ts';
import { openEmbedded } from '../support/process.ts';
import { callApi } from './console.ts';

/** An outage of the demo's device that lasted for a day, was not reported and is over; answers the number of its alert. */
export async function haveOutage(dataDir: string): Promise<string> {
  const pool = await openEmbedded(dataDir);
  try {
    const { rows } = await pool.query<{ alert_id: string }>(
      `with alert as (
         insert into alerts (taxpayer_id, device_id, kind, message, since, raised_at, cleared_at, announced_at, solved_announced_at)
         select taxpayer_id, device_id, 'DeviceStopped', 'Device 1001 has been out of use.', now() - interval '26 hours',
                now() - interval '26 hours', now() - interval '2 hours', now(), now()
           from devices where device_id = 1001 returning *)
       insert into outages (taxpayer_id, device_id, alert_id, code, problem, began_at, ended_at)
       select taxpayer_id, device_id, alert_id, 'DeviceOnHold', 'DEV01: the device is blocked', since, cleared_at from alert
       returning alert_id`,
    );
    return String(rows[0]?.alert_id);
  } finally {
    await pool.end();
  }
}

/** Pages of an endpoint that nobody answers at, and of an outage. */
export async function endpointPages(demo: Demo, dataDir: string) {
  const add = (Address: string, more: object) =>
    callApi<{ EndpointId: string }>(demo, '/api/admin/endpoints', {
      token: demo.operator.token ?? '',
      body: { Address, ...more },
    });
  const { EndpointId } = await add('http://127.0.0.1:9/a/rather/long/address/that/has/to/be/broken/into/lines', {
    TaxpayerId: demo.taxpayer.id,
    Description: 'Bookkeeping',
  });
  await callApi(demo, `/api/admin/endpoints/${EndpointId}/test`, { token: demo.operator.token ?? '' });
  return [
    { name: 'endpoint', path: `/endpoints/${EndpointId}`, shows: 'connect' },
    { name: 'outage', path: `/alerts/${await haveOutage(dataDir)}`, shows: 'REPORT: FISCAL DEVICE OUT OF USE' },
  ];
}
