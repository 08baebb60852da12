import { afterAll, beforeAll, expect, test } from 'vitest';
import { invoice } from '../../../test/support/receipts/receipts.ts';
import { createTestService, NOON, type TestService } from '../../../test/support/service.ts';
import { errorsOf, openShop, plainNote, plainReceipt, type Shop } from '../../../test/support/shop.ts';

let service: TestService;
let shop: Shop;
let second: number;
const COUNT = 330;

beforeAll(async () => {
  service = await createTestService();
  shop = await openShop(service);
  second = await service.addDevice(shop.taxpayerId);
  // The clock moves one millisecond per hundred: most receipts share theirs with a hundred others.
  for (let from = 0; from < COUNT; from += 110) {
    service.now = new Date(NOON.getTime() + from / 110);
    await Promise.all(
      Array.from({ length: 110 }, (_, index) =>
        service.sign(shop.token, invoice(index % 2 === 0 ? shop.deviceId : second, `L-${from + index}`)),
      ),
    );
  }
  service.now = new Date(NOON.getTime() + 60_000);
  const other = { Date: '2026-11-15T12:03:00' };
  await service.sign(
    shop.token,
    plainReceipt(shop.deviceId, 'Z-1', '5', { Currency: 'ZWG', Date: '2026-11-15T12:02:50' }),
  );
  await service.sign(shop.token, plainNote(shop.deviceId, 'Z-2', 'Z-1', '-5', { Currency: 'ZWG', ...other }));
  const stranger = await openShop(service);
  await service.sign(stranger.token, invoice(stranger.deviceId, 'STRANGER'));
});
afterAll(() => service.close());

interface Page {
  readonly Receipts: {
    readonly Reference: string;
    readonly AuthorityDeviceId: number;
    readonly GlobalCounter: number;
  }[];
  readonly NextCursor: string | null;
}

async function page(query: string): Promise<Page> {
  const answer = await service.get(shop.token, `/api/receipt?${query}`);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json<Page>();
}

async function all(query: string, from: string | null = ''): Promise<string[]> {
  const found: string[] = [];
  for (let cursor = from; cursor !== null; ) {
    const { Receipts, NextCursor }: Page = await page(cursor === '' ? query : `${query}&Cursor=${cursor}`);
    found.push(...Receipts.map((receipt) => receipt.Reference));
    cursor = NextCursor;
  }
  return found;
}

test.each([1, 7, 50, 110, 166, 200])('pages of %i give each receipt exactly once, newest first', async (limit) => {
  const found = await all(`Limit=${limit}`);
  expect(found).toHaveLength(COUNT + 2);
  expect(new Set(found).size).toBe(COUNT + 2);
  expect(found.slice(0, 2)).toEqual(['Z-2', 'Z-1']);
  expect(found).not.toContain('STRANGER');
});

test('receipts that are sealed while somebody pages neither repeat nor hide older ones', async () => {
  const first = await page('Limit=100');
  const old = (await all('Limit=200')).slice(100);
  service.now = new Date(service.now.getTime() + 1000);
  await service.sign(shop.token, plainReceipt(shop.deviceId, 'LATER', '1', { Date: '2026-11-15T12:03:01' }));
  expect(await all('Limit=100', first.NextCursor)).toEqual(old);
});

test('without a limit a page has fifty', async () => {
  expect((await page('')).Receipts).toHaveLength(50);
});

test('each filter gives what it says, and all of them together', async () => {
  const onSecond = await all(`AuthorityDeviceId=${second}&Limit=200`);
  expect(onSecond).toHaveLength(COUNT / 2);
  expect(await all('Type=CreditNote')).toEqual(['Z-2']);
  expect(await all('Currency=ZWG')).toEqual(['Z-2', 'Z-1']);
  expect(await all('Currency=ZIG')).toEqual(['Z-2', 'Z-1']);
  expect(await all('FiscalDayNumber=2')).toEqual([]);
  const at = (milliseconds: number) => new Date(NOON.getTime() + milliseconds).toISOString();
  expect(await all(`SealedFrom=${at(1)}&SealedTo=${at(2)}&Limit=200`)).toHaveLength(110);
  expect(await all(`SealedFrom=${at(60_000)}&SealedTo=${at(60_001)}`)).toEqual(['Z-2', 'Z-1']);
  expect(await all('SealedFrom=2026-11-15T12:01:00%2B02:00&SealedTo=2026-11-15T12:01:00.500%2B02:00')).toHaveLength(2);
  expect(
    await all(
      `AuthorityDeviceId=${shop.deviceId}&FiscalDayNumber=1&Type=FiscalInvoice&Currency=ZWG&SealedFrom=${at(0)}`,
    ),
  ).toEqual(['Z-1']);
});

test('the states of submission are filters too, several at a time', async () => {
  await service.pool.query(
    `insert into submissions (taxpayer_id, device_id, global_counter, state, failed_at, error, remarks, worst_colour)
     select taxpayer_id, device_id, global_counter,
            case reference when 'L-1' then 'Refused' when 'L-2' then 'Undeliverable' else 'Submitted' end,
            case when reference in ('L-1', 'L-2') then now() end, case when reference in ('L-1', 'L-2') then 'no' end,
            case reference when 'L-4' then '[{"code":"RCPT020","colour":"Red","words":"a \\"signature\\""}]'::jsonb else '[]' end,
            case reference when 'L-4' then 'Red' end
       from receipts where taxpayer_id = $1 and reference in ('L-1', 'L-2', 'L-3', 'L-4')`,
    [shop.taxpayerId],
  );
  const sorted = async (query: string) => (await all(query)).toSorted();
  expect(await sorted('SubmissionState=Submitted')).toEqual(['L-3', 'L-4']);
  expect(await sorted('SubmissionState=Refused')).toEqual(['L-1']);
  expect(await sorted('SubmissionState=Undeliverable,Refused,Refused&Limit=1')).toEqual(['L-1', 'L-2']);
  expect(await sorted('RemarkColour=Red')).toEqual(['L-4']);
  expect(await sorted('RemarkColour=Red&SubmissionState=Pending')).toEqual([]);
  const everything = await all('Limit=200');
  const notThere = await all('SubmissionState=Pending,Refused,Undeliverable&Limit=50');
  expect(notThere).toEqual(everything.filter((reference) => reference !== 'L-3' && reference !== 'L-4'));
  expect((await service.get(shop.token, '/api/receipt/L-4')).json()).toMatchObject({
    SubmissionFailed: null,
    SubmissionError: null,
    SubmissionState: 'Submitted',
    Remarks: [{ Code: 'RCPT020', Colour: 'Red', Message: 'a "signature"' }],
  });
});

test('references are found by how they begin, letter by letter, and only those of the taxpayer', async () => {
  for (const reference of ['P_1', 'PX1', 'P%1'])
    await service.sign(shop.token, plainReceipt(shop.deviceId, reference, '1'));
  expect(await all('ReferenceStarts=P_')).toEqual(['P_1']);
  expect(await all('ReferenceStarts=P%25')).toEqual(['P%1']);
  expect(await all('ReferenceStarts=p')).toEqual([]);
  expect(await all('ReferenceStarts=STRANGE')).toEqual([]);
  const found = await all('ReferenceStarts=L-3&Limit=7');
  expect(found).toHaveLength(1 + 10 + 30);
  expect(new Set(found).size).toBe(41);
  expect(await all(`ReferenceStarts=L-30&AuthorityDeviceId=${second}`)).toEqual([
    'L-309',
    'L-307',
    'L-305',
    'L-303',
    'L-301',
  ]);
});

test('filters hold over pages', async () => {
  const found = await all(`AuthorityDeviceId=${second}&Limit=20`);
  expect(new Set(found).size).toBe(COUNT / 2);
});

test('the receipts of the list are the receipts of the single reads', async () => {
  const listed = await service.get(shop.token, '/api/receipt?Type=CreditNote');
  const single = await service.get(shop.token, '/api/receipt/Z-2');
  expect(listed.body).toBe(`{"Receipts":[${single.body}],"NextCursor":null}`);
});

const cursorOf = (text: string) => `Cursor=${Buffer.from(text).toString('base64url')}`;

test.each([
  ['a limit of 0', 'Limit=0', 'Limit Malformed'],
  ['a limit of 201', 'Limit=201', 'Limit Malformed'],
  ['a limit that is no number', 'Limit=ten', 'Limit WrongType'],
  ['a device that is no number', 'AuthorityDeviceId=abc', 'AuthorityDeviceId WrongType'],
  ['an unknown type', 'Type=Invoice', 'Type NotOneOf'],
  ['a currency in lower case', 'Currency=usd', 'Currency Malformed'],
  ['an unknown state', 'SubmissionState=Pending,Lost', 'SubmissionState NotOneOf'],
  ['a colour that keeps no day open', 'RemarkColour=Yellow', 'RemarkColour NotOneOf'],
  ['an unknown filter', 'Refernce=1', 'Refernce UnknownField'],
  ['a date that does not exist', 'SealedFrom=2026-02-31T12:00:00Z', 'SealedFrom Malformed'],
  ['a date without a zone', 'SealedFrom=2026-11-15T12:00:00', 'SealedFrom Malformed'],
  ['a date that is none', 'SealedTo=yesterday', 'SealedTo Malformed'],
  ['a cursor that is none', 'Cursor=abc', 'Cursor Malformed'],
  ['a cursor of an impossible date', cursorOf('2026-02-30T10:00:00.000000Z|1|1'), 'Cursor Malformed'],
  ['a cursor of the year 0', cursorOf('0000-01-01T10:00:00.000000Z|1|1'), 'Cursor Malformed'],
  ['a cursor of hour 25', cursorOf('2026-02-01T25:00:00.000000Z|1|1'), 'Cursor Malformed'],
  ['a cursor with a number too large', cursorOf('2026-02-01T10:00:00.000000Z|2147483648|1'), 'Cursor Malformed'],
  ['a cursor with SQL in it', cursorOf("2026-02-01T10:00:00.000000Z|1|1' or 1=1"), 'Cursor Malformed'],
])('the query is refused at its field: %s', async (_name, query, error) => {
  const answer = await service.get(shop.token, `/api/receipt?${query}`);
  expect([answer.statusCode, errorsOf(answer)], answer.body).toEqual([400, [error]]);
});
