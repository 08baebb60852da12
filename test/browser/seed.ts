import { setTimeout as delay } from 'node:timers/promises';
import type { Demo } from '../../src/demo/demo.ts';
import { AuthorityBooks } from '../support/authority/books.ts';
import { openEmbedded } from '../support/process.ts';
import { callApi } from './console.ts';

/** A shop in the middle of its day, for pictures: several devices, buyers, notes, a remark, and something to decide. */
export async function seedShop(demo: Demo, dataDir: string): Promise<void> {
  const admin = demo.operator.token ?? '';
  const books = new AuthorityBooks(demo.simulator.controlUrl);
  const register = (TaxpayerId: string, deviceId: number, SerialNumber: string) =>
    callApi(demo, '/api/admin/devices', {
      token: admin,
      body: {
        TaxpayerId,
        AuthorityDeviceId: deviceId,
        SerialNumber,
        ActivationKey: `DEMO${deviceId}`,
        // In UTC the window is two hours earlier, and while it lasts no day opens.
        MaintenanceStart: new Date().getUTCHours() < 3 ? '14:00' : '02:00',
      },
    });
  await register(demo.taxpayer.id, 1002, 'SN-1002');
  const tuckshop = await callApi<{ TaxpayerId: string }>(demo, '/api/admin/taxpayers', {
    token: admin,
    body: { Name: 'Msasa Tuckshop', TIN: '2000000002', Currencies: ['USD', 'ZWG'] },
  });
  await register(tuckshop.TaxpayerId, 1003, 'SN-1003');
  await callApi(demo, '/api/admin/people', {
    token: admin,
    body: { Email: 'tendai@demo.example', Name: 'Tendai Moyo', Role: 'operator' },
  });
  await untilOpen(demo, 1002);
  const sell = (reference: string, deviceId: number, lines: readonly Line[], fields: object = {}) =>
    callApi(demo, '/api/receipt/sign', {
      token: demo.taxpayer.token,
      body: receiptOf(reference, deviceId, lines, fields),
    });
  for (let number = 141; number <= 158; number += 1) {
    const goods = GOODS.slice(number % 3, (number % 3) + 1 + (number % 3));
    await sell(`INV-000${number}`, number % 4 === 0 ? 1002 : 1001, goods, BUYERS[number % BUYERS.length]);
  }
  await sell('CN-000012', 1001, GOODS.slice(0, 1).map(returned), {
    Type: 'CreditNote',
    OriginalReference: 'INV-000141',
    Notes: 'Wrong size',
  });
  await books.control('POST', '/faults', { kind: 'remark', count: 1, code: 'RCPT043', colour: 'Yellow' });
  await sell('INV-000159', 1001, GOODS.slice(1, 3), BUYERS[1]);
  // First no answer, then a refusal.
  const submitting = { operation: 'SubmitReceipt', deviceId: 1002, count: 1 };
  await books.control('POST', '/faults', { kind: 'error-500', ...submitting });
  await books.control('POST', '/faults', { kind: 'refuse', code: 'RCPT02', every: 2, ...submitting });
  await sell('INV-000160', 1002, GOODS.slice(0, 2));
  await sell('INV-000161', 1002, GOODS.slice(2, 4));
  await delay(1500);
  await drawAnHour(dataDir);
}

async function untilOpen(demo: Demo, deviceId: number): Promise<void> {
  for (let look = 0; look < 200; look += 1) {
    const device = await callApi<{ FiscalDay: { State: string } }>(demo, `/api/admin/devices/${deviceId}`, {
      method: 'GET',
      token: demo.operator.token ?? '',
    });
    if (device.FiscalDay.State === 'Opened') return;
    await delay(50);
  }
  throw new Error(`the day of device ${deviceId} does not open`);
}

/** The hour before: a picture of a picture, since nobody waits an hour for it. */
async function drawAnHour(dataDir: string): Promise<void> {
  const pool = await openEmbedded(dataDir);
  try {
    for (const [currency, share] of [
      ['USD', 1],
      ['ZWG', 0.35],
    ] as const) {
      await pool.query(
        `insert into receipt_minutes (minute, currency, receipts, total)
         select m, $1, n, n * 17.35 from (
           select m, greatest(1, round((14 + 9 * sin(extract(epoch from m) / 700) + 5 * sin(extract(epoch from m) / 113)) * $2))::integer as n
             from generate_series(date_trunc('minute', now()) - interval '59 minutes',
                                  date_trunc('minute', now()) - interval '1 minute', interval '1 minute') m) minutes
         on conflict do nothing`,
        [currency, share],
      );
    }
  } finally {
    await pool.end();
  }
}

interface Line {
  readonly name: string;
  readonly hs: string;
  readonly cents: number;
  readonly tax: 15.5 | 0;
}

const GOODS: readonly Line[] = [
  { name: 'Ground coffee 250 g', hs: '0901', cents: 350, tax: 15.5 },
  { name: 'White bread', hs: '19059010', cents: 100, tax: 0 },
  { name: 'Electric kettle 1.7 l', hs: '8516', cents: 2499, tax: 15.5 },
  { name: 'Maize meal 10 kg', hs: '11022000', cents: 680, tax: 0 },
  { name: 'School shoes', hs: '6403', cents: 3250, tax: 15.5 },
];
const BUYERS: readonly object[] = [
  {},
  { BuyerName: 'Chitungwiza Hardware (Pvt) Ltd', BuyerTIN: '2000000044', BuyerVAT: '220000044' },
  {},
  { BuyerName: 'Rutendo Clinic', BuyerTIN: '2000000071' },
  {},
];

const returned = (line: Line): Line => ({ ...line, cents: -line.cents });

function receiptOf(reference: string, deviceId: number, lines: readonly Line[], fields: object): object {
  const total = lines.reduce((sum, line) => sum + line.cents, 0);
  const percents = [...new Set(lines.map((line) => line.tax))];
  return {
    AuthorityDeviceId: deviceId,
    Type: 'FiscalInvoice',
    Currency: 'USD',
    Reference: reference,
    Date: new Date().toISOString(),
    ReceiptLinesTaxInclusive: true,
    TotalAmount: total / 100,
    ReceiptLines: lines.map((line) => ({
      Type: 'Sale',
      Name: line.name,
      HsCode: line.hs,
      UnitPrice: line.cents / 100,
      Quantity: 1,
      LineTotal: line.cents / 100,
      TaxPercent: line.tax,
    })),
    Taxes: percents.map((tax) => {
      const cents = lines.filter((line) => line.tax === tax).reduce((sum, line) => sum + line.cents, 0);
      const net = Math.round((cents * 100) / (100 + tax));
      return { TaxPercent: tax, SalesAmountWithTax: cents / 100, TaxAmount: (cents - net) / 100 };
    }),
    Payments: [{ Type: 'Cash', Amount: total / 100 }],
    Cashier: 'Rudo',
    ...fields,
  };
}
