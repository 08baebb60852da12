import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestBillpay, type TestBillpay } from '../../../test/support/billpay/billpay.ts';
import { billerExample } from '../../contract/billpay/biller.ts';
import { BILLER_ERRORS } from './biller-errors.ts';
import type { ErrorEntry } from './entry.ts';

let billpay: TestBillpay;
const biller = { ...billerExample, Connector: 'Offline' };
beforeAll(async () => {
  billpay = await createTestBillpay({ webhookAllowsPrivate: false });
  expect((await billpay.admin('POST', '/billers', biller)).statusCode).toBe(201);
});
afterAll(() => billpay.close());

test.each(Object.entries<ErrorEntry>(BILLER_ERRORS))(
  'the example of %s is what the service answers',
  async (code, entry) => {
    const { example } = entry;
    if (example.kind !== 'field') throw new Error(`${code} is about a field`);
    const body = structuredClone(example.on === 'vendor' ? { Code: 'V', Name: 'V' } : biller);
    for (const [path, value] of Object.entries(example.sent)) {
      const names = path.split(/[.[\]]+/).filter((name) => name !== '');
      const last = names.pop() ?? '';
      Reflect.set(
        names.reduce<object>((node, name) => Reflect.get(node, name) as object, body),
        last,
        value,
      );
    }
    const answer =
      example.on === 'vendor'
        ? await billpay.admin('POST', '/vendors', body)
        : await billpay.admin('PUT', `/billers/${billerExample.Code}`, body);
    expect(answer.statusCode).toBe(400);
    expect(answer.json().errors).toContainEqual({ Field: example.field, Code: code, Message: example.message });
  },
);
