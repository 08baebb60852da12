import { expect, test } from 'vitest';
import { creditNote, invoice } from '../../../test/support/receipts/receipts.ts';
import { NOON, serviceOfFile } from '../../../test/support/service.ts';
import { addToken, codeOf, openShop } from '../../../test/support/shop.ts';

const service = await serviceOfFile();
const shop = await openShop(service);

test.each([
  ['plain', 'INV-1'],
  ['slashes', 'A/B//C/'],
  ['spaces', 'till 4 no 17'],
  ['letters of every kind', 'Façtura-№ 收据 🧾'],
  ['dots', '...'],
  ['a path upwards', '../../etc/passwd'],
  ['percent signs', '100%25'],
  ['a plus', 'a+b'],
  ['question mark, hash and ampersand', 'a?b#c&d=e'],
  ['quotes and backslash', `'";\\--`],
  ['the word sign', 'sign'],
  ['fifty letters of three bytes', '据'.repeat(50)],
])('a receipt is read back by a reference with %s', async (_name, reference) => {
  const sealed = await service.sign(shop.token, invoice(shop.deviceId, reference));
  expect(sealed.statusCode, sealed.body).toBe(200);
  const read = await service.get(shop.token, `/api/receipt/${encodeURIComponent(reference)}`);
  expect([read.statusCode, read.body]).toEqual([200, sealed.body]);
  expect(read.headers['content-type']).toBe('application/json; charset=utf-8');
});

test.each([
  ['another reference', '/api/receipt/unknown'],
  ['another case', '/api/receipt/inv-1'],
  ['a zero character', '/api/receipt/INV-1%00'],
  ['nothing', '/api/receipt/'],
])('%s is 404', async (_name, path) => {
  const answer = await service.get(shop.token, path);
  expect([answer.statusCode, codeOf(answer)]).toEqual([404, 'NotFound']);
});

test('what the authority answered shows on the receipt: both fields null once it has it', async () => {
  const { GlobalCounter } = (await service.sign(shop.token, invoice(shop.deviceId, 'S-1'))).json<{
    GlobalCounter: number;
  }>();
  const read = async () =>
    (await service.get(shop.token, '/api/receipt/S-1')).json<{ SubmissionFailed: unknown; SubmissionError: unknown }>();
  expect(await read()).toMatchObject({
    SubmissionFailed: NOON.toISOString(),
    SubmissionError: expect.stringContaining('Not submitted'),
  });
  await service.pool.query(
    `insert into submissions (taxpayer_id, device_id, global_counter, state, failed_at, error)
     values ($1, $2, $3, 'Refused', '2026-11-15T11:00:00Z', 'RCPT02')`,
    [shop.taxpayerId, shop.deviceId, GlobalCounter],
  );
  expect(await read()).toMatchObject({ SubmissionFailed: '2026-11-15T11:00:00.000Z', SubmissionError: 'RCPT02' });
  await service.pool.query(
    "update submissions set state = 'Submitted', failed_at = null, error = null where global_counter = $1",
    [GlobalCounter],
  );
  expect(await read()).toMatchObject({ SubmissionFailed: null, SubmissionError: null });
});

test('a token that may only sign cannot read, and one that may only read cannot sign', async () => {
  const signs = await addToken(service, { taxpayerId: shop.taxpayerId, scopes: ['sign'] });
  const reads = await addToken(service, { taxpayerId: shop.taxpayerId, scopes: ['read'] });
  for (const path of ['/api/receipt/INV-1', '/api/receipt', `/api/device/${shop.deviceId}`]) {
    expect((await service.get(signs, path)).statusCode).toBe(403);
    expect((await service.get(reads, path)).statusCode).toBe(200);
  }
  expect((await service.sign(reads, invoice(shop.deviceId, 'R-1'))).statusCode).toBe(403);
  expect((await service.sign(signs, invoice(shop.deviceId, 'R-1'))).statusCode).toBe(200);
});

test("another taxpayer's receipts and devices answer exactly as those that do not exist", async () => {
  const stranger = await openShop(service);
  const strip = (answer: { body: string; statusCode: number }) => [
    answer.statusCode,
    answer.body
      .replace(/"requestId":"[^"]+"/, '')
      .replaceAll(String(shop.deviceId), 'ID')
      .replaceAll('999999', 'ID'),
  ];
  await service.sign(shop.token, invoice(shop.deviceId, 'MINE'));
  const pairs = [
    ['/api/receipt/MINE', '/api/receipt/NOBODYS'],
    [`/api/device/${shop.deviceId}`, '/api/device/999999'],
    [`/api/receipt?AuthorityDeviceId=${shop.deviceId}`, '/api/receipt?AuthorityDeviceId=999999'],
  ];
  for (const [theirs = '', nobodys = ''] of pairs) {
    expect(strip(await service.get(stranger.token, theirs))).toEqual(strip(await service.get(stranger.token, nobodys)));
  }
  const signOn = (deviceId: number, reference: string) => service.sign(stranger.token, invoice(deviceId, reference));
  expect(strip(await signOn(shop.deviceId, 'X'))).toEqual(strip(await signOn(999_999, 'X')));
  const note = (original: string) => service.sign(stranger.token, creditNote(stranger.deviceId, 'N', original));
  expect(strip(await note('MINE'))).toEqual(
    strip(await note('NONE')).map((part) => (typeof part === 'string' ? part.replaceAll('NONE', 'MINE') : part)),
  );
  const numbers = { OriginalFiscalDayNumber: 1, OriginalGlobalCounter: 1, OriginalAuthorityDeviceId: shop.deviceId };
  // The numbers of a stranger's receipt are as good as those of any receipt elsewhere: nothing is learnt from the answer.
  expect((await service.sign(stranger.token, creditNote(stranger.deviceId, 'N2', 'E', numbers))).statusCode).toBe(200);
});

test('a device shows its state, day, head, next window and the taxes of today', async () => {
  const { token, deviceId } = await openShop(service);
  await service.sign(token, invoice(deviceId, 'G-1'));
  const answer = await service.get(token, `/api/device/${deviceId}`);
  expect(answer.json()).toMatchObject({
    AuthorityDeviceId: deviceId,
    State: 'Active',
    Zone: 'Africa/Harare',
    FiscalDay: {
      State: 'Opened',
      Number: 1,
      OpenedAt: '2026-11-15T09:00:00.000Z',
      EndsAt: '2026-11-16T09:00:00.000Z',
      ReceiptCount: 1,
    },
    GlobalCounter: 1,
    LastReceiptDate: '2026-11-15T12:00:00',
    NextMaintenanceWindow: { Start: '2026-11-16T00:00:00.000Z', End: '2026-11-16T02:00:00.000Z' },
    CertificateValidTill: null,
    ConnectedAt: null,
  });
  const percents = answer
    .json<{ ApplicableTaxes: { TaxPercent: number | null }[] }>()
    .ApplicableTaxes.map((tax) => tax.TaxPercent);
  expect(percents).toEqual([null, 0, 15.5]);
});

test.each(['0', '-1', '1e3', '01', '2147483648', '99999999999', 'abc', '1001.0', '%20'])(
  'what is no device id is 404: %s',
  async (id) => {
    expect((await service.get(shop.token, `/api/device/${id}`)).statusCode).toBe(404);
  },
);

test('GET on the address that signs says which method it takes, unless there is a receipt of that name', async () => {
  const other = await openShop(service);
  const answer = await service.get(other.token, '/api/receipt/sign');
  expect(answer.json()).toMatchObject({ Code: 'MethodNotAllowed', detail: 'This address takes POST, not GET.' });
  expect([answer.statusCode, answer.headers['allow']]).toEqual([405, 'POST']);
});
