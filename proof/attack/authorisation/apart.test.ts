import { afterAll, beforeAll, expect, test } from 'vitest';
import { addBiller, addVendor, changeVisibility } from '../../../src/billpay/index.ts';
import type { Tenant } from '../../../src/console/index.ts';
import { insertLink } from '../../../src/console/people/mailed-link-store.ts';
import { OPERATIONS } from '../../../src/contract/index.ts';
import { peopleAccess } from '../../../src/contract/shared/access.ts';
import { TENANT_ROLES } from '../../../src/contract/shared/values.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { recordAudit } from '../../../src/platform/database/audit.ts';
import { inTransaction } from '../../../src/platform/database/database.ts';
import { issueToken } from '../../../src/platform/tokens/issue-token.ts';
import { BILLER } from '../../../test/support/billpay/billpay.ts';
import { addOperator } from '../../../test/support/local-shop.ts';
import { cookieOf, makePerson, withCookie } from '../../../test/support/people.ts';
import { invoice } from '../../../test/support/receipts/receipts.ts';
import { createTestService, type TestService } from '../../../test/support/service.ts';

/** One of every tenant, with a row of everything, in each of which its word stands. */
interface World {
  readonly word: string;
  readonly tenants: readonly Tenant[];
  /** What addresses name, by the parameter. */
  readonly there: Readonly<Record<string, string>>;
}

let service: TestService;
let worlds: readonly [World, World];

beforeAll(async () => {
  service = await createTestService();
  const operator = await addOperator(service.pool);
  worlds = [await makeWorld('Abacus', operator), await makeWorld('Zeppelin', operator)];
});
afterAll(() => service.close());

async function makeWorld(word: string, operator: string): Promise<World> {
  const { pool, masterKeys, now } = service;
  const one = async (text: string, values: readonly unknown[]) => {
    const { rows } = await pool.query<{ id: string }>(text, [...values]);
    return String(rows[0]?.id);
  };
  const { taxpayerId, token } = await service.addTaxpayer({ name: word });
  const device = await service.addDevice(taxpayerId, { serialNumber: word });
  expect((await service.sign(token, invoice(device, word))).statusCode).toBe(200);
  const [vendorId, practiceId, deliveryId] = [newId(), newId(), newId()];
  const billerCode = word;
  await inTransaction(pool, async (tx) => {
    await addVendor(tx, masterKeys, { vendorId, vendorCode: word, name: word }, now);
    await addBiller(tx, { ...BILLER, Code: billerCode, Name: word, AllowFeed: true }, now);
    await changeVisibility(tx, vendorId, billerCode, true, now);
    await recordAudit(tx, { actor: word, action: 'test', taxpayerId, subject: word });
  });
  const app = await issueToken(pool, { vendorId, name: word, scopes: ['pay', 'read'] });
  const paid = await service.post(app.token, '/api/payment/pay', {
    VendorReference: word,
    BillerCode: billerCode,
    MemberNumber: word,
    Currency: 'USD',
    Amount: 5,
  });
  expect(paid.statusCode).toBe(200);
  const billPayReference: string = paid.json().BillPayReference;
  await pool.query('insert into practices (practice_id, name) values ($1, $2)', [practiceId, word]);
  await pool.query('insert into practice_taxpayers (practice_id, taxpayer_id) values ($1, $2)', [
    practiceId,
    taxpayerId,
  ]);
  await pool.query('insert into print_settings (taxpayer_id, footer) values ($1, $2)', [taxpayerId, word]);
  await pool.query(
    `insert into payment_invoices (vendor_id, payment_id, kind, invoice_reference, state, next_attempt_at, created_at)
     select vendor_id, payment_id, 'Invoice', $2, 'Waiting', now(), now() from payments where bill_pay_reference = $1`,
    [billPayReference, word],
  );
  await pool.query(
    `insert into webhook_deliveries (vendor_id, delivery_id, biller_codes, state, is_gathering, next_attempt_at, created_at)
     values ($1, $2, array[$3], 'Delivered', false, now(), now())`,
    [vendorId, deliveryId, billerCode],
  );
  const alertId = await one(
    "insert into alerts (taxpayer_id, device_id, kind, message) values ($1, $2, 'DeviceStopped', $3) returning alert_id as id",
    [taxpayerId, device, word],
  );
  const tenants: readonly Tenant[] = [
    { kind: 'taxpayer', id: taxpayerId },
    { kind: 'vendor', id: vendorId },
    { kind: 'biller', id: billerCode },
    { kind: 'practice', id: practiceId },
  ];
  await issueToken(pool, { taxpayerId, name: word, scopes: ['read'] });
  await issueToken(pool, { billerCode, name: word, scopes: ['figures'] });
  const endpointIds: Record<string, string> = {};
  for (const [kind, owner] of [
    ['taxpayer', { TaxpayerId: taxpayerId }],
    ['vendor', { VendorId: vendorId }],
    ['biller', { VendorId: vendorId, BillerCode: billerCode }],
  ] as const) {
    const body = { ...owner, Address: `https://${word.toLowerCase()}.example.com/`, Description: word };
    endpointIds[kind] = (await service.post(operator, '/api/admin/endpoints', body)).json().EndpointId;
  }
  for (const tenant of tenants) {
    for (const role of TENANT_ROLES) await makePerson(pool, emailOf(word, tenant, role), role, { tenant });
    const invitation = { tenant, role: 'viewer', name: word, membershipExpiresAt: null, invitedBy: word } as const;
    const link = {
      email: `${word}@example.com`.toLowerCase(),
      createdAt: now,
      expiresAt: new Date('2100-01-01'),
      invitation,
    };
    await inTransaction(pool, (tx) => insertLink(tx, link));
  }
  return {
    word,
    tenants,
    there: {
      taxpayerId,
      vendorId,
      billerCode,
      practiceId,
      alertId,
      billPayReference,
      deliveryId,
      reference: word,
      authorityDeviceId: String(device),
      globalCounter: '1',
      fiscalDayNumber: '1',
      month: '2026-11',
      'endpointId taxpayer': endpointIds['taxpayer'] ?? '',
      'endpointId vendor': endpointIds['vendor'] ?? '',
      'endpointId biller': endpointIds['biller'] ?? '',
    },
  };
}

const emailOf = (word: string, { kind }: Tenant, role: string) => `${role}.${kind}.${word}@example.com`.toLowerCase();

/** The address with what it names in that world; undefined where it names what is not there. */
function addressIn({ there }: World, path: string, { kind }: Tenant): string {
  return path.replaceAll(/:(\w+)/g, (_all, name: string) => {
    const value = there[name] ?? there[`${name} ${kind}`];
    if (value === undefined) throw new Error(`no world has a ${name}: give it one`);
    return value;
  });
}

const readBy = (kind: Tenant['kind']) =>
  OPERATIONS.filter(({ method, access }) => method === 'GET' && peopleAccess(access)?.[kind] !== undefined);

/** Says nothing of whose it is: rules, sums, attempts that there were none of, and documents that are compressed. */
const WITHOUT_A_WORD = ['/sign-in', '/target', '/attempts', '/print', '/report', '/days', '/export', '/months/'];

test.each(['taxpayer', 'vendor', 'biller', 'practice'] as const)(
  "nothing of another %s is in any answer to one's people, and what is another's is not there",
  async (kind) => {
    for (const [own, other] of [worlds, worlds.toReversed() as [World, World]] as const) {
      const tenant = own.tenants.find((one) => one.kind === kind);
      if (tenant === undefined) throw new Error(`there is no ${kind}`);
      const foreign = new RegExp(
        [other.word, ...Object.values(other.there).filter((value) => value.length > 10)].join('|'),
        'i',
      );
      for (const role of TENANT_ROLES) {
        const cookie = await cookieOf(service.app, emailOf(own.word, tenant, role));
        const ask = (path: string) => withCookie(service.app, cookie, 'GET', path);
        for (const { path } of readBy(kind)) {
          const answer = await ask(addressIn(own, path, tenant));
          expect([200, ...(role === 'owner' ? [] : [403])], `${role}: ${path}`).toContain(answer.statusCode);
          expect(answer.body, `${role}: ${path}`).not.toMatch(foreign);
          const hasWord = new RegExp(`${own.word}|${tenant.id}`, 'i').test(answer.body);
          const isTold = answer.statusCode === 200 && !WITHOUT_A_WORD.some((part) => path.includes(part));
          if (isTold) expect(hasWord, `${role}: ${path} shows what is theirs`).toBe(true);
          if (!path.includes(':')) continue;
          const theirs = await ask(addressIn(other, path, tenant));
          expect([404, ...(role === 'owner' ? [] : [403])], `${role}: ${path}`).toContain(theirs.statusCode);
          expect(theirs.body.replaceAll(other.word, ''), `${role}: ${path}`).not.toMatch(foreign);
        }
      }
    }
  },
);

test("a practice that acts for its taxpayer is told nothing of another's", async () => {
  const [own, other] = worlds;
  const practice = own.tenants.find(({ kind }) => kind === 'practice');
  const taxpayer = own.tenants.find(({ kind }) => kind === 'taxpayer');
  if (practice === undefined || taxpayer === undefined) throw new Error('there is none');
  const cookie = await cookieOf(service.app, emailOf(own.word, practice, 'owner'));
  const act = (TaxpayerId = '') => withCookie(service.app, cookie, 'PATCH', '/api/admin/session', { TaxpayerId });
  expect((await act(other.there['taxpayerId'])).statusCode).toBe(404);
  expect((await act(own.there['taxpayerId'])).statusCode).toBe(200);
  for (const { path } of readBy('taxpayer')) {
    const answer = await withCookie(service.app, cookie, 'GET', addressIn(own, path, taxpayer));
    expect([answer.statusCode, answer.body.includes(other.word)], path).toEqual([200, false]);
  }
});
