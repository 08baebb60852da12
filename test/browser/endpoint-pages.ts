import type { Demo } from '../../src/demo/demo.ts';
import { openEmbedded } from '../support/process.ts';
import { callApi } from './console.ts';

/** An outage of the demo's device that lasted for a day, was not reported and is over; answers its number. */
export async function haveOutage(dataDir: string): Promise<string> {
  const pool = await openEmbedded(dataDir);
  try {
    const { rows } = await pool.query<{ outage_id: string }>(
      `insert into outages (taxpayer_id, device_id, code, problem, began_at, told_at, ended_at)
       select taxpayer_id, device_id, 'DeviceOnHold', 'DEV01: the device is blocked', now() - interval '26 hours',
              now() - interval '26 hours', now() - interval '2 hours'
         from devices where device_id = 1001 returning outage_id`,
    );
    return String(rows[0]?.outage_id);
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
    { name: 'outage', path: `/outages/${await haveOutage(dataDir)}`, shows: 'REPORT: FISCAL DEVICE OUT OF USE' },
  ];
}
