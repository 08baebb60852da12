import { afterAll, beforeAll, expect, test } from 'vitest';
import { addBiller, changeVisibility } from '../../../src/billpay/index.ts';
import { ZERO } from '../../../src/kernel/decimal.ts';
import { inTransaction } from '../../../src/platform/database/database.ts';
import { BILLER } from '../../../test/support/billpay/billpay.ts';
import { makePerson } from '../../../test/support/people.ts';
import { invoice } from '../../../test/support/receipts/receipts.ts';
import { type AttackedService, attackedService } from './attacked-service.ts';

let attacked: AttackedService;
let deviceId: number;
let endpointId: string;
let lists: string[];

beforeAll(async () => {
  attacked = await attackedService();
  const { service, shop, vendorId } = attacked;
  deviceId = await service.addDevice(shop.taxpayerId);
  await service.addDevice(shop.taxpayerId);
  await service.addTaxpayer();
  for (const name of ['INV-1', 'INV-2', 'INV-3']) await service.sign(shop.token, invoice(deviceId, name));
  for (const name of ['one', 'two']) await makePerson(service.pool, `${name}@example.com`, 'viewer');
  await inTransaction(service.pool, async (tx) => {
    for (const code of ['PLAIN', 'OTHER']) {
      const mustInvoice = {
        VendorMustInvoicePayments: true,
        InvoiceHsCode: '27160000',
        InvoiceTaxPercent: ZERO,
        InvoiceTaxInclusive: true,
      };
      await addBiller(tx, { ...BILLER, ...mustInvoice, Code: code, AllowFeed: true }, service.now);
      await changeVisibility(tx, vendorId, code, true, service.now);
    }
  });
  for (const Code of ['SECOND', 'THIRD']) await change('/api/admin/vendors', { Code, Name: Code });
  for (const Name of ['a', 'b']) {
    await change('/api/admin/tokens', { Name });
    await change('/api/admin/tokens', { TaxpayerId: shop.taxpayerId, Name, Scopes: ['read'] });
    await change('/api/admin/tokens', { VendorId: vendorId, Name, Scopes: ['read'] });
    const payment = { VendorReference: Name, BillerCode: 'PLAIN', MemberNumber: '1', Currency: 'USD', Amount: 5 };
    await change('/api/payment/pay', payment);
  }
  // A name that leads inside: nothing is sent, and that is an attempt, too.
  const endpoint = { TaxpayerId: shop.taxpayerId, Address: 'https://localhost:1/' };
  for (const Description of ['one', 'two']) await change('/api/admin/endpoints', { ...endpoint, Description });
  const { rows } = await service.pool.query<{ id: string }>('select endpoint_id as id from endpoints limit 1');
  endpointId = rows[0]?.id ?? '';
  for (let time = 0; time < 2; time += 1) await change(`/api/admin/endpoints/${endpointId}/test`);
  lists = await listsOf();
});
afterAll(() => attacked.close());

const url = () => `http://127.0.0.1:${attacked.port}`;
const authorization = (path: string) => {
  const name = `GET ${path.split('?', 1)[0]}`;
  const route =
    attacked.routes.find((one) => one.name === name) ?? attacked.routes.find(({ scope }) => scope === 'admin');
  if (path.startsWith('/api/payment'))
    return `Bearer ${attacked.tokenFor({ ...attacked.routes[0], scope: 'pay' } as never)}`;
  if (path.startsWith('/api/endpoints')) return `Bearer ${attacked.shop.token}`;
  return `Bearer ${route === undefined ? attacked.operator : attacked.tokenFor(route)}`;
};

async function change(path: string, body?: object): Promise<void> {
  const type = body === undefined ? undefined : { 'content-type': 'application/json' };
  const headers = { authorization: authorization(path), ...type };
  const answer = await fetch(url() + path, { method: 'POST', headers, ...(body && { body: JSON.stringify(body) }) });
  expect(answer.status, `${path}: ${await answer.text()}`).toBeLessThan(300);
}

interface Read {
  readonly items: readonly unknown[];
  readonly next: string | null;
}

async function read(path: string, query: string): Promise<Read> {
  const answer = await fetch(`${url()}${path}?${query}`, { headers: { authorization: authorization(path) } });
  const { NextCursor: next, ...rest } = (await answer.json()) as { NextCursor: string | null };
  return { items: Object.values(rest).find(Array.isArray) as unknown[], next };
}

/** Every operation whose answer has a NextCursor: one that is added is tried, too. */
async function listsOf(): Promise<string[]> {
  const text = await (await fetch(`${url()}/openapi.json`)).text();
  const document = JSON.parse(text) as {
    paths: Record<
      string,
      Record<string, { responses: Record<string, { content?: Record<string, { schema: { $ref?: string } }> }> }>
    >;
    components: { schemas: Record<string, { properties?: object }> };
  };
  const found = Object.entries(document.paths).filter(([, { get }]) => {
    const name = get?.responses['200']?.content?.['application/json']?.schema.$ref?.split('/').at(-1) ?? '';
    return 'NextCursor' in (document.components.schemas[name]?.properties ?? {});
  });
  return found.map(([path]) =>
    path
      .replace('{taxpayerId}', attacked.shop.taxpayerId)
      .replace('{vendorId}', attacked.vendorId)
      .replace('{authorityDeviceId}', String(deviceId))
      .replace('{endpointId}', endpointId)
      .replace('{billerCode}', 'PLAIN'),
  );
}

test('a page that is exactly full is the last one when nothing follows, in every list', async () => {
  let full = 0;
  for (const path of lists) {
    const all = await read(path, 'Limit=200');
    expect(all.next, path).toBeNull();
    if (all.items.length === 0) continue;
    expect(await read(path, `Limit=${all.items.length}`), path).toEqual(all);
    if (all.items.length === 1) continue;
    const first = await read(path, `Limit=${all.items.length - 1}`);
    expect(first.items, path).toEqual(all.items.slice(0, -1));
    expect(first.next, path).not.toBeNull();
    const rest = await read(path, `Limit=1&Cursor=${first.next}`);
    expect(rest, path).toEqual({ items: all.items.slice(-1), next: null });
    full += 1;
  }
  expect(lists.length).toBeGreaterThanOrEqual(16);
  // The others have nothing in them here; they are cut by the same function.
  expect(full).toBeGreaterThanOrEqual(13);
});
