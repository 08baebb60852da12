import { afterAll, beforeAll, expect, test } from 'vitest';
import { AuthorityProcesses } from '../support/authority/processes.ts';
import { tillseal } from '../support/command-line.ts';
import { until } from '../support/process.ts';
import { nowInvoice, post } from '../support/receipts/load.ts';

/** As some managed services do, the server refuses to say where its log is, and the service's role is no superuser. */
let world: AuthorityProcesses;
let role: string;
beforeAll(async () => {
  world = await AuthorityProcesses.start();
  const { pathname, username: user } = new URL(world.database.url);
  role = `role_${pathname.slice(1)}`;
  await world.pool.query(`create role ${role} login in role ${user}`);
  await world.pool.query(`revoke execute on function pg_current_wal_lsn() from public, ${user}`);
});
afterAll(async () => {
  await world.pool.query(`drop role ${role}`);
  await world.end();
});

test('a server that does not say its timeline is worked with, and doctor tells what that means', async () => {
  const url = world.database.url.replace(/\/\/[^@]*@/, `//${role}@`);
  const service = world.startService({ DATABASE_URL: url });
  const address = await service.ready;
  await world.addDevice(address, 1102);
  const signed = await post({ url: address, token: world.shop.token }, nowInvoice(1102, 'managed-1'));
  expect(signed.status).toBe(200);
  await until(async () => (await world.backlog()) === 0, 'it is submitted');
  const environment = { ...world.environment, DATABASE_URL: url, ALLOW_UNSAFE_DATABASE: 'true' };
  const doctor = await tillseal(['doctor', '--json'], { environment });
  expect(doctor.stdout).toContain('it does not say on which timeline it is');
  expect(await service.stop()).toBe(0);
});
