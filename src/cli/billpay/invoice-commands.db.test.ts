import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createInvoicing,
  INVOICED,
  type Invoicing,
  type PaidPayment,
} from '../../../test/support/billpay/invoicing.ts';
import { tillseal } from '../../../test/support/command-line.ts';
import { decimal } from '../../kernel/decimal.ts';

let world: Invoicing;
let url: string;
let rejected: PaidPayment;

beforeAll(async () => {
  world = await createInvoicing();
  rejected = await world.pay(await world.billpay.addBiller({ ...INVOICED, InvoiceTaxPercent: decimal('15') }), {
    fee: '2.31',
  });
  url = await world.billpay.listen();
  await world.untilInvoice(rejected.reference, ({ state }) => state === 'Rejected');
});
afterAll(() => world.close());

const invoice = (...words: string[]) =>
  tillseal(['invoice', ...words, '--url', url, '--token', world.billpay.operatorToken]);

test('invoices are listed, shown with what is wrong with them, and tried again', async () => {
  const [list, show, foreign] = await Promise.all([
    invoice('list', '--state', 'Rejected'),
    invoice('show', rejected.reference),
    invoice('list', '--vendor', 'nobody'),
  ]);
  expect(list.stdout).toMatch(new RegExp(`${rejected.reference} .* Rejected +117\\.81 +USD`));
  expect(show.stdout).toMatch(/^Total +117\.81 USD$/m);
  expect(show.stdout).toMatch(/ReceiptLines\[0\]\.TaxPercent +RCPT025/);
  expect(foreign).toMatchObject({ code: 2, stderr: expect.stringContaining('tillseal vendor list') });
  const retried = await invoice('retry', rejected.reference);
  expect(retried.code, retried.stderr).toBe(0);
  expect(retried.stdout).toMatch(/^State +Waiting$/m);
  await world.untilInvoice(rejected.reference, ({ attempts }) => attempts === 2);
});
