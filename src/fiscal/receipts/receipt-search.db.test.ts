import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestService, type TestService } from '../../../test/support/service.ts';
import { openShop, plainNote, plainReceipt, type Shop } from '../../../test/support/shop.ts';
import { issueToken } from '../../platform/tokens/issue-token.ts';

let service: TestService;
let shop: Shop;
let operator: string;
let codes: string[];

const admin = (path: string) => service.get(operator, `/api/admin${path}`);
const search = async (query: string): Promise<string[]> => {
  const answer = await admin(`/receipts?${query}`);
  if (answer.statusCode !== 200) throw new Error(answer.body);
  return answer.json().Receipts.map((found: { Receipt: { Reference: string } }) => found.Receipt.Reference);
};

beforeAll(async () => {
  service = await createTestService();
  shop = await openShop(service);
  operator = (await issueToken(service.pool, { name: 'operator', scopes: ['admin'] })).token;
  const buyers = [
    {},
    { BuyerName: 'Mukumbi 100% Ltd', BuyerTIN: '2000000017', BuyerVAT: '220000017' },
    { BuyerName: 'mukumbi Brothers', BuyerTIN: '2000000018' },
  ];
  codes = [];
  for (const [index, buyer] of buyers.entries()) {
    const amount = ['9999999999999999.99', '20.00', '30.00'][index] ?? '';
    const answer = await service.sign(shop.token, plainReceipt(shop.deviceId, `S-${index + 1}`, amount, buyer));
    codes.push(answer.json().VerificationCode);
  }
  await service.sign(shop.token, plainNote(shop.deviceId, 'S-4', 'S-2', '-5.00'));
});
afterAll(() => service.close());

const setState = (globalCounter: number, state: string, error: string | null) =>
  service.pool.query(
    `insert into submissions (taxpayer_id, device_id, global_counter, state, failed_at, error, attempts, remarks)
     values ($1, $2, $3, $4, case when $5::text is null then null else now() end, $5, 1,
             '[{"code":"RCPT043","colour":"Yellow","words":"Mandatory buyer data fields are not provided"}]')
     on conflict (taxpayer_id, device_id, global_counter) do update set state = excluded.state`,
    [shop.taxpayerId, shop.deviceId, globalCounter, state, error],
  );

describe('a receipt is found', () => {
  test('by its verification code, as printed or plain', async () => {
    expect(await search(`VerificationCode=${codes[1]}`)).toEqual(['S-2']);
    expect(await search(`VerificationCode=${codes[2]?.replaceAll('-', '').toLowerCase()}`)).toEqual(['S-3']);
    expect(await search('VerificationCode=0000-0000-0000-0000')).toEqual([]);
  });

  test("by its buyer's TIN, and by how the name begins, whatever the case", async () => {
    expect(await search('Buyer=2000000018')).toEqual(['S-3']);
    expect(await search('Buyer=MUKUMBI')).toEqual(['S-3', 'S-2']);
    expect(await search('Buyer=mukumbi%20100%25')).toEqual(['S-2']);
    expect(await search('Buyer=brothers')).toEqual([]);
    expect(await search('Buyer=%25%25')).toEqual([]);
  });

  test('by its exact amount, also within a time', async () => {
    expect(await search('Amount=9999999999999999.99')).toEqual(['S-1']);
    expect(await search('Amount=20')).toEqual(['S-2']);
    expect(await search('Amount=-5.00&SealedFrom=2026-11-15T00:00:00Z')).toEqual(['S-4']);
    expect(await search('Amount=20&SealedFrom=2026-11-16T00:00:00Z')).toEqual([]);
    expect(await search('Amount=20.01')).toEqual([]);
  });

  test('by its state, also when the page is full', async () => {
    await setState(1, 'Submitted', null);
    await setState(2, 'Refused', 'no');
    await setState(3, 'Undeliverable', 'never');
    expect(await search('State=Submitted')).toEqual(['S-1']);
    expect(await search('State=Refused')).toEqual(['S-2']);
    expect(await search('State=Undeliverable')).toEqual(['S-3']);
    expect(await search('State=Pending')).toEqual(['S-4']);
    expect(await search(`State=Pending&TaxpayerId=${shop.taxpayerId}&Limit=1`)).toEqual(['S-4']);
    expect(await search('State=Refused&Buyer=Muku')).toEqual(['S-2']);
  });

  test('by how its reference begins, of whichever taxpayer', async () => {
    const other = await openShop(service);
    await service.sign(other.token, plainReceipt(other.deviceId, 'S-9', '1.00', { Date: '2026-11-15T12:00:00' }));
    expect((await search('ReferenceStarts=S-')).toSorted()).toEqual(['S-1', 'S-2', 'S-3', 'S-4', 'S-9']);
    expect(await search(`ReferenceStarts=S-&TaxpayerId=${other.taxpayerId}`)).toEqual(['S-9']);
    expect(await search('ReferenceStarts=S-&State=Refused')).toEqual(['S-2']);
  });
});

describe('one receipt', () => {
  test('comes with its neighbours, its notes and what the authority said', async () => {
    const answer = await admin(`/devices/${shop.deviceId}/receipts/2`);
    const detail = answer.json();
    expect(detail).toMatchObject({
      TaxpayerName: 'Test shop',
      Zone: 'Africa/Harare',
      State: 'Refused',
      Previous: { Reference: 'S-1' },
      Next: { Reference: 'S-3' },
      Notes: [{ Reference: 'S-4', Type: 'CreditNote', TotalAmount: -5 }],
      Submission: { Attempts: 1, Remarks: [{ Code: 'RCPT043', Colour: 'Yellow' }] },
      FailedAttempts: [],
      Lane: null,
      Receipt: { Reference: 'S-2' },
    });
    expect(answer.body).toMatch(/"Previous":\{[^}]*"TotalAmount":9999999999999999\.99/);
    const { DeviceHash } = (await admin(`/devices/${shop.deviceId}/receipts/1`)).json().Receipt;
    expect(detail.PreviousHash).toBe(DeviceHash);
  });

  test('of the first there is none before, and every digit of its amount is there', async () => {
    const answer = await admin(`/devices/${shop.deviceId}/receipts/1`);
    expect(answer.json()).toMatchObject({ Previous: null, PreviousHash: null, Notes: [] });
    expect(answer.body).toContain('"TotalAmount":9999999999999999.99');
  });

  test.each(['/devices/1/receipts/1', '/devices/0/receipts/1'])('%s is not there', async (path) => {
    expect([400, 404]).toContain((await admin(path)).statusCode);
    expect((await admin(`/devices/${shop.deviceId}/receipts/99`)).statusCode).toBe(404);
  });
});
