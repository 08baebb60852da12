import { expect } from 'vitest';
import { insertLink } from '../../../src/console/people/mailed-link-store.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { recordAudit } from '../../../src/platform/database/audit.ts';
import { inTransaction } from '../../../src/platform/database/database.ts';
import { issueToken } from '../../../src/platform/tokens/issue-token.ts';
import { invoice } from '../../../test/support/receipts/receipts.ts';
import type { AttackedService } from '../attacked-service.ts';
import { type Tenants, tenantOf } from '../world/tenants.ts';

/** What addresses name, by the parameter, and by it and the tenant's kind where each has one of its own. */
export type There = Readonly<Record<string, string>>;

/** Gives the tenants a row of everything, in each of which their word stands. */
export async function makeEverything(attacked: AttackedService, tenants: Tenants, word: string): Promise<There> {
  const { pool, now, service, operator } = attacked;
  const { taxpayerId, vendorId, billerCode, practiceId, till, app } = tenants;
  const one = async (text: string, values: readonly unknown[]) => {
    const { rows } = await pool.query<{ id: string }>(text, [...values]);
    return String(rows[0]?.id);
  };
  const device = await service.addDevice(taxpayerId, { serialNumber: word });
  const reference = word.toUpperCase();
  for (const name of [reference, `${reference}-2`, `${reference}-3`])
    expect((await service.sign(till, invoice(device, name))).statusCode).toBe(200);
  await inTransaction(pool, (tx) => recordAudit(tx, { actor: word, action: 'test', taxpayerId, subject: word }));
  const payment = { BillerCode: billerCode, MemberNumber: word, Currency: 'USD', Amount: 5 };
  const paid = await service.post(app, '/api/payment/pay', { ...payment, VendorReference: reference });
  expect(paid.statusCode).toBe(200);
  const billPayReference: string = paid.json().BillPayReference;
  await pool.query('insert into print_settings (taxpayer_id, footer) values ($1, $2)', [taxpayerId, word]);
  await pool.query(
    `insert into payment_invoices (vendor_id, payment_id, kind, invoice_reference, state, next_attempt_at, created_at)
     select vendor_id, payment_id, 'Invoice', $2, 'Waiting', $3, $3 from payments where bill_pay_reference = $1`,
    [billPayReference, reference, now],
  );
  const deliveryId = await one(
    `insert into webhook_deliveries (vendor_id, delivery_id, biller_codes, state, is_gathering, next_attempt_at, created_at)
     values ($1, $2, array[$3], 'Delivered', false, $4, $4) returning delivery_id as id`,
    [vendorId, newId(), billerCode, now],
  );
  const alertId = await one(
    `with alert as (
       insert into alerts (taxpayer_id, device_id, kind, message) values ($1, $2, 'DeviceStopped', $3) returning alert_id)
     insert into outages (taxpayer_id, device_id, alert_id, code, problem, began_at)
     select $1, $2, alert_id, $3, $3, $4 from alert returning alert_id as id`,
    [taxpayerId, device, word, now],
  );
  await issueToken(pool, { taxpayerId, name: word, scopes: ['read'] });
  await issueToken(pool, { billerCode, name: word, scopes: ['figures'] });
  const endpoints: Record<string, string> = {};
  for (const [kind, owner] of [
    ['taxpayer', { TaxpayerId: taxpayerId }],
    ['vendor', { VendorId: vendorId }],
    ['biller', { VendorId: vendorId, BillerCode: billerCode }],
  ] as const) {
    const body = { ...owner, Address: `https://${word.toLowerCase()}.example.com/`, Description: word };
    endpoints[`endpointId ${kind}`] = (await service.post(operator, '/api/admin/endpoints', body)).json().EndpointId;
  }
  for (const kind of ['taxpayer', 'vendor', 'biller', 'practice'] as const) {
    const tenant = tenantOf(tenants, kind);
    const invitation = { tenant, role: 'viewer', name: word, membershipExpiresAt: null, invitedBy: word } as const;
    const email = `${word}@example.com`.toLowerCase();
    await inTransaction(pool, (tx) =>
      insertLink(tx, { email, createdAt: now, expiresAt: new Date('2100-01-01'), invitation }),
    );
  }
  return {
    taxpayerId,
    vendorId,
    billerCode,
    practiceId,
    alertId,
    billPayReference,
    deliveryId,
    reference,
    authorityDeviceId: String(device),
    globalCounter: '1',
    fiscalDayNumber: '1',
    month: '2026-11',
    ...endpoints,
  };
}
