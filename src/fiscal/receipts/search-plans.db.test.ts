import { afterAll, beforeAll, expect, test } from 'vitest';
import { planOf } from '../../../test/support/query-plan.ts';
import { createTestService, NOON, type TestService } from '../../../test/support/service.ts';
import { openShop, plainReceipt, type Shop } from '../../../test/support/shop.ts';
import { type ReceiptSearch, searchReceipts, searchStatement } from './search-store.ts';

let service: TestService;
let shop: Shop;
const COUNT = 14_000;
const SUBMITTED = 13_900;

/**
 * One receipt and copies of it. Ten share each moment; a third has a buyer with many receipts, the others one of 8,700
 * buyers named alike, and the oldest a buyer who has long gone.
 */
beforeAll(async () => {
  service = await createTestService();
  shop = await openShop(service);
  await service.sign(shop.token, plainReceipt(shop.deviceId, 'R-1', '1.00'));
  const { rows } = await service.pool.query<{ name: string }>(
    "select column_name as name from information_schema.columns where table_name = 'receipts'",
  );
  const changed: Readonly<Record<string, string>> = {
    global_counter: 'n',
    fiscal_day_counter: 'n',
    reference: `'R-' || n`,
    total: 'case when n % 50 = 0 then 5 else (n % 997) end',
    sealed_at: `sealed_at + (n / 10) * interval '1 second'`,
    previous_hash: 'sha256(n::text::bytea)',
    signature: `sha256(n::text::bytea)`,
    event_number: '-n',
    buyer_name: `case when n <= 1000 then 'departed ltd' when n % 3 = 0 then 'delta ltd' else 'buyer ' || n end`,
    buyer_tin: `case when n % 3 = 0 then '2000000001' end`,
  };
  const columns = rows.map(({ name }) => name);
  await service.pool.query(
    `insert into receipts (${columns.join(', ')}) select ${columns.map((name) => changed[name] ?? name).join(', ')}
       from receipts cross join generate_series(2, ${COUNT}) n`,
  );
  await service.pool.query(
    `update device_heads set global_counter = ${COUNT}, fiscal_day_counter = ${COUNT} where device_id = ${shop.deviceId}`,
  );
  // Without it each check of a foreign key would read them all.
  await service.pool.query('analyze receipts');
  await service.pool.query(
    `insert into device_lanes (taxpayer_id, device_id, submitted_through) values ($1, $2, ${SUBMITTED})`,
    [shop.taxpayerId, shop.deviceId],
  );
  await service.pool.query(
    `insert into submissions (taxpayer_id, device_id, global_counter, state, failed_at, error, worst_colour)
     select taxpayer_id, device_id, global_counter, s, case when s <> 'Submitted' then now() end, case when s <> 'Submitted' then 'no' end,
            case when global_counter % 500 = 3 then 'Red' when global_counter % 50 = 4 then 'Yellow' end
       from (select *, case when global_counter % 500 = 1 then 'Refused' when global_counter % 500 = 2 then 'Undeliverable' else 'Submitted' end s
               from receipts where global_counter <= ${SUBMITTED}) r`,
  );
  await service.pool.query('vacuum analyze');
});
afterAll(() => service.close());

const ANY: ReceiptSearch = {
  taxpayerId: undefined,
  reference: undefined,
  referenceStarts: undefined,
  states: [],
  remarkColour: undefined,
  deviceId: undefined,
  type: undefined,
  currency: undefined,
  fiscalDayNumber: undefined,
  sealedFrom: undefined,
  sealedTo: undefined,
  before: undefined,
  total: undefined,
  buyer: undefined,
  verificationCode: undefined,
};
const MIDDLE = new Date(NOON.getTime() + 700_000);
const LATER = new Date(MIDDLE.getTime() + 60_000);

/** Each form in which the console asks, the index it stands on, and the same question asked plainly. */
const FORMS: readonly [string, () => Partial<ReceiptSearch>, string, string][] = [
  ['everything', () => ({}), 'receipts_newest', 'true'],
  ['a reference', () => ({ reference: 'R-77' }), 'receipts_reference_once', `reference = 'R-77'`],
  [
    'a beginning of few references',
    () => ({ referenceStarts: 'R-77' }),
    'receipts_reference_once',
    `reference like 'R-77%'`,
  ],
  [
    'a beginning of few references of a taxpayer',
    () => ({ referenceStarts: 'R-77', taxpayerId: shop.taxpayerId }),
    'receipts_reference_once',
    `reference like 'R-77%'`,
  ],
  ['a beginning of new references', () => ({ referenceStarts: 'R-13' }), 'receipts_newest', `reference like 'R-13%'`],
  [
    'a beginning of old references',
    () => ({ referenceStarts: 'R-2' }),
    'receipts_reference_once',
    `reference like 'R-2%'`,
  ],
  [
    'a beginning of references in a time, in a state',
    () => ({ referenceStarts: 'R-7', states: ['Submitted'], sealedFrom: MIDDLE, sealedTo: LATER }),
    'receipts_newest',
    `reference like 'R-7%' and state = 'Submitted' and sealed_at >= '${MIDDLE.toISOString()}' and sealed_at < '${LATER.toISOString()}'`,
  ],
  [
    'a beginning of refused references',
    () => ({ referenceStarts: 'R-5', states: ['Refused'] }),
    'submissions_to_look_at',
    `reference like 'R-5%' and state = 'Refused'`,
  ],
  [
    'a verification code',
    () => ({ verificationCode: '682ac7166f8d2070' }),
    'receipts_by_verification_code',
    `left(md5(signature), 16) = '682ac7166f8d2070'`,
  ],
  ['a TIN', () => ({ buyer: '2000000001' }), 'receipts_by_buyer_tin', `buyer_tin = '2000000001'`],
  ['a name of few receipts', () => ({ buyer: 'Departed' }), 'receipts_by_buyer_name', `buyer_name like 'departed%'`],
  ['a name of many receipts', () => ({ buyer: 'de' }), 'receipts_by_buyer_name', `buyer_name like 'de%'`],
  ['names of many buyers', () => ({ buyer: 'bu' }), 'receipts_newest', `buyer_name like 'bu%'`],
  ['a common amount', () => ({ total: '5' }), 'receipts_by_amount', 'total = 5'],
  ['a rare amount', () => ({ total: '77.00' }), 'receipts_by_amount', 'total = 77'],
  [
    'an amount in a time',
    () => ({ total: '5', sealedFrom: MIDDLE, sealedTo: LATER }),
    'receipts_by_amount',
    `total = 5 and sealed_at >= '${MIDDLE.toISOString()}' and sealed_at < '${LATER.toISOString()}'`,
  ],
  [
    'an amount a state has',
    () => ({ total: '77', states: ['Submitted'] }),
    'receipts_by_amount',
    `total = 77 and state = 'Submitted'`,
  ],
  [
    'an amount a buyer paid',
    () => ({ total: '77', buyer: 'de' }),
    'receipts_by_amount',
    `total = 77 and buyer_name like 'de%'`,
  ],
  [
    'a time',
    () => ({ sealedFrom: MIDDLE, sealedTo: LATER }),
    'receipts_newest',
    `sealed_at >= '${MIDDLE.toISOString()}' and sealed_at < '${LATER.toISOString()}'`,
  ],
  ['a taxpayer', () => ({ taxpayerId: shop.taxpayerId }), 'receipts', 'true'],
  ['a device', () => ({ deviceId: shop.deviceId }), 'receipts_pkey', 'true'],
  ['what is submitted', () => ({ states: ['Submitted'] }), 'receipts_newest', `state = 'Submitted'`],
  ['what waits', () => ({ states: ['Pending'] }), 'receipts_pkey', 'state is null'],
  ['what was refused', () => ({ states: ['Refused'] }), 'submissions_to_look_at', `state = 'Refused'`],
  [
    'what of a taxpayer the authority does not have',
    () => ({ taxpayerId: shop.taxpayerId, states: ['Pending', 'Refused', 'Undeliverable'] }),
    'submissions_to_look_at',
    `state is distinct from 'Submitted'`,
  ],
  [
    'what of a taxpayer waits',
    () => ({ taxpayerId: shop.taxpayerId, states: ['Pending'] }),
    'receipts_pkey',
    'state is null',
  ],
  ['what was marked red', () => ({ remarkColour: 'Red' }), 'submissions_to_look_at', `worst_colour = 'Red'`],
  [
    'what of a taxpayer was marked red',
    () => ({ taxpayerId: shop.taxpayerId, states: ['Submitted'], remarkColour: 'Red' }),
    'submissions_to_look_at',
    `worst_colour = 'Red'`,
  ],
  ['what was given up', () => ({ states: ['Undeliverable'] }), 'submissions_to_look_at', `state = 'Undeliverable'`],
];

test.each(FORMS)('%s is found by an index', async (_name, asked, index) => {
  const statement = await searchStatement(service.pool, { ...ANY, ...asked() }, 50);
  const { indexes, readWhole } = await planOf(service.pool, statement);
  expect(readWhole).not.toContain('receipts');
  expect(readWhole).not.toContain('submissions');
  expect(indexes.join(' ')).toContain(index);
});

test.each(FORMS)('the pages of %s join without a gap and without a repeat', async (_name, asked, _index, plainly) => {
  const { rows } = await service.pool.query<{ reference: string }>(
    `select reference from receipts left join submissions using (taxpayer_id, device_id, global_counter)
      where ${plainly} order by sealed_at desc, device_id desc, global_counter desc limit 600`,
  );
  expect(rows.length).toBeGreaterThan(0);
  const found: string[] = [];
  for (let before: ReceiptSearch['before'], isMore = true; isMore && found.length < rows.length; ) {
    const { receipts, last } = await searchReceipts(service.pool, { ...ANY, ...asked(), before }, 61);
    found.push(...receipts.map(({ sealed }) => sealed.reference));
    isMore = receipts.length > 0;
    before = last;
  }
  expect(found.slice(0, 600)).toEqual(rows.map((row) => row.reference));
});
