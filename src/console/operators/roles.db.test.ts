import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDocumentedApp, type DocumentedApp } from '../../../test/support/documented-app.ts';
import { cookieOf, type Method, makeOperator, withCookie } from '../../../test/support/operators.ts';
import { createTestService, type TestService } from '../../../test/support/service.ts';
import { includesRole, ROLES, type Role } from './core/role.ts';

/** Every route of the operators' API and the least role that may use it. A route that is missing here fails the test. */
const NEEDED: Readonly<Record<string, Role | 'anybody'>> = {
  'POST /api/admin/session': 'anybody',
  'GET /api/admin/session': 'anybody',
  'DELETE /api/admin/session': 'viewer',
  'POST /api/admin/session/password': 'viewer',
  'GET /api/admin/operators': 'admin',
  'POST /api/admin/operators': 'admin',
  'PATCH /api/admin/operators/{operatorId}': 'admin',
  'POST /api/admin/operators/{operatorId}/password': 'admin',
  'DELETE /api/admin/operators/{operatorId}': 'admin',
  'GET /api/admin/overview': 'viewer',
  'GET /api/admin/live': 'viewer',
  'GET /api/admin/taxpayers': 'viewer',
  'POST /api/admin/taxpayers': 'admin',
  'GET /api/admin/taxpayers/{taxpayerId}': 'viewer',
  'PATCH /api/admin/taxpayers/{taxpayerId}': 'admin',
  'GET /api/admin/taxpayers/{taxpayerId}/tokens': 'admin',
  'POST /api/admin/taxpayers/{taxpayerId}/tokens': 'admin',
  'DELETE /api/admin/taxpayers/{taxpayerId}/tokens/{tokenId}': 'admin',
  'GET /api/admin/tokens': 'admin',
  'POST /api/admin/tokens': 'admin',
  'DELETE /api/admin/tokens/{tokenId}': 'admin',
  'GET /api/admin/devices': 'viewer',
  'POST /api/admin/devices': 'operator',
  'GET /api/admin/devices/{authorityDeviceId}': 'viewer',
  'PATCH /api/admin/devices/{authorityDeviceId}': 'operator',
  'POST /api/admin/devices/{authorityDeviceId}/day': 'operator',
  'POST /api/admin/devices/{authorityDeviceId}/resume': 'operator',
  'POST /api/admin/devices/{authorityDeviceId}/receipts/{globalCounter}/decision': 'operator',
  'GET /api/admin/devices/{authorityDeviceId}/days': 'viewer',
  'GET /api/admin/devices/{authorityDeviceId}/days/{fiscalDayNumber}/report': 'viewer',
  'POST /api/admin/devices/{authorityDeviceId}/verify': 'operator',
  'GET /api/admin/devices/{authorityDeviceId}/export': 'operator',
  'GET /api/admin/alerts': 'viewer',
  'POST /api/admin/alerts/{alertId}/acknowledge': 'operator',
  'GET /api/admin/audit': 'viewer',
  'GET /api/admin/receipts': 'viewer',
  'GET /api/admin/devices/{authorityDeviceId}/receipts/{globalCounter}': 'viewer',
  'GET /api/admin/webhook-deliveries': 'viewer',
  'GET /api/admin/webhook-deliveries/{deliveryId}': 'viewer',
  'POST /api/admin/webhook-deliveries/{deliveryId}/resend': 'operator',
  'GET /api/admin/vendors': 'viewer',
  'POST /api/admin/vendors': 'admin',
  'GET /api/admin/vendors/{vendorId}': 'viewer',
  'PATCH /api/admin/vendors/{vendorId}': 'admin',
  'POST /api/admin/vendors/{vendorId}/webhook-secret': 'admin',
  'GET /api/admin/vendors/{vendorId}/tokens': 'admin',
  'POST /api/admin/vendors/{vendorId}/tokens': 'admin',
  'DELETE /api/admin/vendors/{vendorId}/tokens/{tokenId}': 'admin',
  'GET /api/admin/vendors/{vendorId}/billers': 'viewer',
  'PUT /api/admin/vendors/{vendorId}/billers/{billerCode}': 'operator',
  'DELETE /api/admin/vendors/{vendorId}/billers/{billerCode}': 'operator',
  'GET /api/admin/billers': 'viewer',
  'POST /api/admin/billers': 'operator',
  'GET /api/admin/billers/{billerCode}': 'viewer',
  'PUT /api/admin/billers/{billerCode}': 'operator',
  'GET /api/admin/billers/{billerCode}/vendors': 'viewer',
  'GET /api/admin/billers/{billerCode}/target': 'viewer',
  'GET /api/admin/billers/{billerCode}/feed': 'viewer',
  'GET /api/admin/payments': 'viewer',
  'GET /api/admin/payments/{billPayReference}': 'viewer',
  'POST /api/admin/payments/{billPayReference}/settle': 'operator',
  'POST /api/admin/payments/{billPayReference}/reverse': 'operator',
  'GET /api/admin/invoices': 'viewer',
  'GET /api/admin/invoices/{reference}': 'viewer',
  'POST /api/admin/invoices/{reference}/retry': 'operator',
  'GET /api/admin/devices/{authorityDeviceId}/receipts/{globalCounter}/print': 'viewer',
  'GET /api/admin/taxpayers/{taxpayerId}/printing': 'viewer',
  'PATCH /api/admin/taxpayers/{taxpayerId}/printing': 'admin',
  'POST /api/admin/keys/rotate-master': 'admin',
};

const VALUES: Readonly<Record<string, string>> = {
  authorityDeviceId: '9',
  globalCounter: '9',
  fiscalDayNumber: '9',
  alertId: '9',
};
const SOME_ID = '00000000-0000-7000-8000-000000000000';

let service: TestService;
let documented: DocumentedApp;
const cookies = new Map<Role, string>();

beforeAll(async () => {
  service = await createTestService();
  documented = await createDocumentedApp(service);
  for (const role of ROLES) {
    await makeOperator(service.pool, `${role}@example.com`, role);
    cookies.set(role, await cookieOf(documented.app, `${role}@example.com`));
  }
});
afterAll(async () => {
  await documented.close();
  await service.close();
});

function statusOf(cookie: string, route: string): Promise<number> {
  const [method, pattern] = route.split(' ') as [Method, string];
  const url = pattern.replaceAll(/\{(\w+)\}/g, (_all, name: string) => VALUES[name] ?? SOME_ID);
  // A body that no route accepts: nothing is changed, and who is let in is told so.
  const body = method === 'POST' || method === 'PATCH' ? { Nothing: true } : undefined;
  return withCookie(documented.app, cookie, method, url, body).then((answer) => answer.statusCode);
}

test('every route of the operators has its least role in the table, and no other is in it', () => {
  const routes = documented.routes.filter((route) => route.includes(' /api/admin/'));
  expect(routes.toSorted()).toEqual(Object.keys(NEEDED).toSorted());
});

const changing = Object.entries(NEEDED).filter(([route]) => route !== 'DELETE /api/admin/session');

test.each(changing)('%s takes %s', async (route, needed) => {
  if (needed === 'anybody') return;
  expect(await statusOf('', route), 'without a session').toBe(401);
  if (route === 'GET /api/admin/live') return; // whoever is let in stays
  for (const role of ROLES) {
    const status = await statusOf(cookies.get(role) ?? '', route);
    if (includesRole(role, needed)) expect([401, 403, 500], `${role} got ${status}`).not.toContain(status);
    else expect(status, role).toBe(403);
  }
});

test('a viewer changes nothing: all that is open to it reads, or is about its own session', () => {
  const open = Object.entries(NEEDED).filter(([route, needed]) => needed === 'viewer' && !route.startsWith('GET '));
  expect(open.map(([route]) => route)).toEqual(['DELETE /api/admin/session', 'POST /api/admin/session/password']);
});
