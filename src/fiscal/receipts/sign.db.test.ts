import { expect, test } from 'vitest';
import { invoice } from '../../../test/support/receipts/receipts.ts';
import { serviceOfFile } from '../../../test/support/service.ts';
import { errorsOf } from '../../../test/support/shop.ts';
import { SignedReceipt } from '../../contract/fiscal/receipt.ts';
import { ANSWER_FIELDS, OPTIONAL_FIELDS, ReceiptBody } from '../../contract/fiscal/receipt-body.ts';
import { issueToken } from '../../platform/tokens/issue-token.ts';

const LINE = { Type: 'Sale', Name: 'Thing', HsCode: '12345678', Quantity: 1, LineTotal: 115.5, TaxPercent: 15.5 };

const service = await serviceOfFile();

test('a receipt is answered with its echo and its seal', async () => {
  const { taxpayerId, token } = await service.addTaxpayer();
  const deviceId = await service.addDevice(taxpayerId);
  const answer = await service.sign(token, invoice(deviceId, 'A-1'));
  expect(answer.statusCode, answer.body).toBe(200);
  expect(answer.json()).toMatchObject({ Reference: 'A-1', FiscalDayNumber: 1, FiscalDayCounter: 1, GlobalCounter: 1 });
});

test('what a program with one class for request and answer sends is taken, and answered with every field', async () => {
  const { taxpayerId, token } = await service.addTaxpayer();
  const deviceId = await service.addDevice(taxpayerId);
  const nothing = Object.fromEntries(
    OPTIONAL_FIELDS.map((field) => [field, Object(ReceiptBody.properties[field]).type.includes('integer') ? 0 : '']),
  );
  const seal = { DeviceSignature: null, DeviceHash: '', GlobalCounter: 0, FiscalDayNumber: 0, Remarks: [], Sku: null };
  const receipt = invoice(deviceId, 'DTO-1', { ...nothing, ...seal, Date: '2026-11-15 12:00' });
  const first = await service.sign(token, receipt);
  expect(first.statusCode, first.body).toBe(200);
  const answer = first.json<Record<string, unknown>>();
  expect(Object.keys(answer).toSorted()).toEqual(Object.keys(SignedReceipt.properties).toSorted());
  expect(answer).toMatchObject({
    Date: '2026-11-15 12:00:00',
    BuyerTIN: null,
    Notes: null,
    OriginalGlobalCounter: null,
  });
  expect(answer).toMatchObject({ ReceiptPrintForm: 'Receipt48', DateAdvanced: null });
  const second = await service.sign(token, invoice(deviceId, 'DTO-2', { Date: '2026-11-15T11:59:58+0200' }));
  expect(second.json()).toMatchObject({ Date: '2026-11-15T12:00:01+0200', DateAdvanced: 3 });
  // Sent back as it was answered, it is the same; so is what is read.
  const { DateAdvanced: _advanced, ...sent } = second.json();
  const unsealed = Object.fromEntries(
    Object.keys(SignedReceipt.properties)
      .filter((name) => ANSWER_FIELDS.includes(name))
      .map((name) => [name, null]),
  );
  const replay = await service.sign(token, { ...sent, ...unsealed, Date: '2026-11-15T11:59:58+0200' });
  expect([replay.statusCode, replay.headers['idempotent-replay']]).toEqual([200, 'true']);
  expect(replay.json()).toEqual(second.json());
  expect((await service.get(token, '/api/receipt/DTO-2')).json()).toEqual(second.json());
});

test('a cashier that is too long is refused, also where the token has another', async () => {
  const { taxpayerId } = await service.addTaxpayer();
  const deviceId = await service.addDevice(taxpayerId);
  const rudo = await issueToken(service.pool, { taxpayerId, name: 'Till', scopes: ['sign'], defaultCashier: 'Rudo' });
  const refused = await service.sign(rudo.token, invoice(deviceId, 'C-1', { Cashier: 'x'.repeat(21) }));
  expect(refused.json()).toMatchObject({ status: 400, errors: [{ Field: 'Cashier', Code: 'TooLong' }] });
  const signed = await service.sign(rudo.token, invoice(deviceId, 'C-1', { Cashier: 'x'.repeat(20) }));
  expect(signed.json()).toMatchObject({ Cashier: 'Rudo' });
});

const noon = (form: string) => ({ Date: form.replace('NOON', '12:00') });
test.each<[string, object, number, string]>([
  ['a date with a space', noon('2026-11-15 NOON:00'), 200, '"Date":"2026-11-15 12:00:00"'],
  ['a date without seconds', noon('2026-11-15TNOON'), 200, '"Date":"2026-11-15T12:00:00"'],
  ['an offset without a colon', noon('2026-11-15TNOON:00+0200'), 200, '"Date":"2026-11-15T12:00:00+0200"'],
  ['seven digits of a second', noon('2026-11-15TNOON:00.1234567'), 200, '"Date":"2026-11-15T12:00:00"'],
  ['a date of its own kind', { Date: '/Date(1794816000000)/' }, 400, 'Date must'],
  ['a fraction for a percentage', { ReceiptLines: [{ ...LINE, TaxPercent: 0.155 }] }, 400, 'send 15.5'],
  ['another rate', { ReceiptLines: [{ ...LINE, TaxPercent: 15 }] }, 400, '15.5'],
  ['a currency in small letters', { Currency: 'usd' }, 400, 'did you mean USD?'],
  ['ZIG', { Currency: 'ZIG' }, 200, '"Currency":"ZWG"'],
  ['an address of six parts', { BuyerAddress: '1, A, B, C, D, E' }, 200, '"NotSent":["BuyerAddress"]'],
  ['a word for a number', { AuthorityDeviceId: '1001' }, 400, 'must come without quotes: AuthorityDeviceId'],
  ['a field that is not known', { Sku: 'A-1' }, 400, 'Sku'],
  ['a field that is not known, without a value', { Sku: '' }, 200, '"NotSent":null'],
  ['a reference of 96 characters', { Reference: 'x'.repeat(96) }, 400, '50 characters'],
])('first contact: %s', async (name, changes, status, words) => {
  const { taxpayerId, token } = await service.addTaxpayer();
  const deviceId = await service.addDevice(taxpayerId);
  const answer = await service.sign(token, invoice(deviceId, name, changes));
  expect([answer.statusCode, answer.body]).toEqual([status, expect.stringContaining(words)]);
});

test('a wrong rate is told first and alone, not with the sums that are wrong because of it', async () => {
  const { taxpayerId, token } = await service.addTaxpayer();
  const deviceId = await service.addDevice(taxpayerId);
  const line = { ...LINE, TaxPercent: 15 };
  const receipt = invoice(deviceId, 'A-2', {
    Cashier: 'x'.repeat(21),
    ReceiptLines: [line],
    Taxes: [{ TaxPercent: 15, SalesAmountWithTax: 115.5, TaxAmount: 15.5 }],
  });
  const { errors } = (await service.sign(token, receipt)).json<{ errors: { Field: string; Code: string }[] }>();
  expect(errors.map(({ Field, Code }) => `${Field} ${Code}`)).toEqual([
    'ReceiptLines[0].TaxPercent RCPT025',
    'Taxes[0].TaxPercent RCPT025',
    'Cashier TooLong',
  ]);
});

test('an unknown device is answered with your own devices, and never with those of somebody else', async () => {
  const { taxpayerId, token } = await service.addTaxpayer();
  const message = async () => {
    const answer = await service.sign(token, invoice(4711, 'A-3'));
    return answer.json<{ errors: { Message: string }[] }>().errors[0]?.Message;
  };
  expect(await message()).toBe('there is no device 4711: no device is registered for you yet');
  const [first, second] = [await service.addDevice(taxpayerId), await service.addDevice(taxpayerId)];
  expect(await message()).toBe(`there is no device 4711: use one of your registered devices: ${first}, ${second}`);
});

test('an unknown device is not the fault of the sale, unless something else is wrong with it, too', async () => {
  const { token } = await service.addTaxpayer();
  const waits = await service.sign(token, invoice(4711, 'U-1'));
  expect([waits.statusCode, waits.headers['retry-after'], waits.json()]).toMatchObject([400, '300', { Then: 'Again' }]);
  expect(waits.json<{ detail: string }>().detail).toContain('There is no device 4711 for you. Nothing was signed');
  const wrong = await service.sign(token, invoice(4711, 'U-1', { TotalAmount: 1 }));
  expect([wrong.statusCode, wrong.headers['retry-after'], wrong.json()]).toMatchObject([
    400,
    undefined,
    { Then: 'SetAside' },
  ]);
  expect(errorsOf(wrong)).toEqual(expect.arrayContaining(['AuthorityDeviceId DeviceUnknown', 'TotalAmount RCPT019']));
});

test('events are asked for in the letters of all other lists, and in small ones as before', async () => {
  const { taxpayerId, token } = await service.addTaxpayer();
  const deviceId = await service.addDevice(taxpayerId);
  for (const reference of ['E-1', 'E-2', 'E-3']) await service.sign(token, invoice(deviceId, reference));
  const asked = await service.get(token, '/api/events?After=1&Limit=1&Wait=0');
  expect(asked.json()).toMatchObject({ Events: [{ Number: 2, Type: 'receipt.signed' }], LastNumber: 2 });
  expect((await service.get(token, '/api/events?after=1&limit=1&wait=0')).body).toBe(asked.body);
});
