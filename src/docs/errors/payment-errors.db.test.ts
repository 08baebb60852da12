import { afterAll, beforeAll, expect, test } from 'vitest';
import { BILLER, createTestBillpay, type TestBillpay } from '../../../test/support/billpay/billpay.ts';
import { paymentExamples } from '../../contract/billpay/payment-examples.ts';
import { decimal } from '../../kernel/decimal.ts';
import type { ErrorEntry } from './entry.ts';
import { BILL_PAYMENT_ERRORS } from './payment-errors.ts';

const product = (code: string, name: string, price: string | undefined, isEnabled = true) => ({
  Code: code,
  Name: name,
  Enabled: isEnabled,
  Prices: price === undefined ? [] : [{ Currency: 'USD', Price: decimal(price) }],
});

const WATER = {
  ...BILLER,
  Code: 'HARARE-WATER',
  Name: 'Harare Water',
  Fees: [{ Currency: 'USD', Fixed: decimal('0.25'), Percent: decimal('1') }],
  MemberNumberRegex: '[0-9]{8}',
  Products: [
    product('KL5', 'Water, 5 kilolitres', '5'),
    product('KL10', 'Water, 10 kilolitres', '9.5', false),
    product('DEPOSIT', 'Deposit', undefined),
  ],
};

let billpay: TestBillpay;
beforeAll(async () => {
  billpay = await createTestBillpay();
  await billpay.addBiller(WATER);
  await billpay.addBiller({ Code: 'TEST', Connector: 'Test' });
});
afterAll(() => billpay.close());

const pay = (body: object) => billpay.send('POST', '/api/payment/pay', body);

test.each(Object.entries<ErrorEntry>(BILL_PAYMENT_ERRORS).filter(([, { example }]) => example.kind === 'field'))(
  'the example of %s is what the service answers',
  async (code, { example }) => {
    if (example.kind !== 'field') throw new Error(`${code} is about a field`);
    if (example.given !== undefined) await billpay.changeBiller({ ...WATER, Enabled: false });
    const answer = await pay(changed(example.sent));
    if (example.given !== undefined) await billpay.changeBiller(WATER);
    expect(answer.statusCode).toBe(400);
    const item = { Field: example.field, Code: code, Message: example.message };
    expect(answer.json<{ errors: object[] }>().errors).toContainEqual(item);
  },
);

test('the example of the reference is paid, and one that is only authorised is not reversed', async () => {
  expect((await pay(paymentExamples.products)).json()).toMatchObject({ Status: 'Paid', Fee: 0.35, TotalAmount: 10.35 });
  const authorised = { ...paymentExamples.products, VendorReference: 'V-2' };
  await billpay.send('POST', '/api/payment/auth', authorised);
  const answer = await billpay.send('POST', '/api/payment/reverse', { VendorReference: 'V-2' });
  const { example } = BILL_PAYMENT_ERRORS.NotReversible;
  expect(answer.statusCode).toBe(409);
  expect(answer.json()).toMatchObject({ Code: 'NotReversible', detail: example.detail });
});

/** The example payment with the fields that the entry changes. */
function changed(sent: Readonly<Record<string, unknown>>): object {
  const body = { ...structuredClone(paymentExamples.products), VendorReference: 'V-WRONG' };
  for (const [path, value] of Object.entries(sent)) {
    const names = path.split(/[.[\]]+/).filter((name) => name !== '');
    const last = names.pop() ?? '';
    const holder = names.reduce<object>((node, name) => Reflect.get(node, name) as object, body);
    if (value === undefined) Reflect.deleteProperty(holder, last);
    else Reflect.set(holder, last, value);
  }
  return body;
}
