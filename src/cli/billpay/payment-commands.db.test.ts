import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestBillpay, type TestBillpay } from '../../../test/support/billpay/billpay.ts';
import { tillseal } from '../../../test/support/command-line.ts';

let billpay: TestBillpay;
let environment: Record<string, string>;
let code: string;
beforeAll(async () => {
  billpay = await createTestBillpay();
  environment = { TILLSEAL_URL: await billpay.listen(), TILLSEAL_OPERATOR_TOKEN: billpay.operatorToken };
  code = await billpay.addBiller({ Connector: 'Test' });
});
afterAll(() => billpay.close());

const run = (...words: string[]) => tillseal(words, { environment });
const pay = async (VendorReference: string, MemberNumber: string) => {
  const body = { VendorReference, BillerCode: code, MemberNumber, Currency: 'USD', Amount: 12.5 };
  return (await billpay.send('POST', '/api/payment/pay', body)).json<{ BillPayReference: string }>().BillPayReference;
};

test('an operator finds a flagged payment, settles it and takes it back', async () => {
  const reference = await pay('V-1', 'PFF-77');
  const listed = await run('payment', 'list', '--status', 'Flagged');
  expect([listed.code, listed.stderr]).toEqual([0, '']);
  expect(listed.stdout).toMatch(new RegExp(`^${reference} .* V-1 .* PFF-77 +12.50 +0.00 +USD +Flagged$`, 'm'));
  const settled = await run('payment', 'settle', reference, '--as', 'Paid', '--reason', 'Confirmed by telephone');
  expect(settled.stdout).toMatch(/^Status +Paid$/m);
  expect(settled.stdout).toMatch(/Flagged +Paid +settled by hand: Confirmed by telephone$/m);
  const reversed = await run('payment', 'reverse', reference, '--reason', 'Paid twice');
  expect(reversed.stdout).toMatch(/^Status +Reversed$/m);
  expect((await run('payment', 'show', reference)).stdout).toBe(reversed.stdout);
  const json = await run('payment', 'show', reference, '--json');
  expect(JSON.parse(json.stdout)).toMatchObject({ Status: 'Reversed', Amount: 12.5 });
});

test('what cannot be done is said in a sentence, with an exit code', async () => {
  const reference = await pay('V-2', 'PF-1');
  const refused = await run('payment', 'reverse', reference, '--reason', 'x');
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('this one is Failed')]);
  const wrong = await run('payment', 'settle', reference, '--as', 'Maybe', '--reason', 'x');
  expect(wrong.stderr).toContain('--as must be Paid or Failed');
  const unknown = await run('payment', 'show', 'P-NONE');
  expect(unknown.stderr).toContain('There is no payment with this reference.');
  expect(unknown.code).not.toBe(0);
});
