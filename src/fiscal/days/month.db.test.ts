import { Big } from 'big.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AuthorityBench } from '../../../test/support/authority/authority.ts';
import type { DayReport } from '../../contract/fiscal/day.ts';
import type { SalesMonth } from '../../contract/fiscal/month.ts';

type Plain<Value> = Value extends readonly (infer Item)[]
  ? Plain<Item>[]
  : Value extends string | number | boolean | null
    ? Value
    : Value extends { readonly scale: number }
      ? number
      : { [Key in keyof Value]: Plain<Value[Key]> };

let bench: AuthorityBench;
beforeAll(async () => {
  // Half past eleven in the evening of 31 October in Harare.
  bench = await AuthorityBench.start({ now: new Date('2026-10-31T21:30:00Z') });
});
afterAll(() => bench.end());

const TAXES = [
  { taxID: 1, taxPercent: 15.5, taxName: 'Standard', validFrom: '2020-01-01T00:00:00' },
  { taxID: 2, taxPercent: 0, taxName: 'Zero', validFrom: '2020-01-01T00:00:00' },
  { taxID: 3, taxName: 'Exempt', validFrom: '2020-01-01T00:00:00' },
];

let count = 0;
/** Completed by the service; a note takes a part of the original. */
async function sell(
  deviceId: number,
  more: { cashier?: string; currency?: string; percent?: number | null; credits?: string } = {},
) {
  count += 1;
  const { cashier, currency = 'USD', percent = 15.5, credits } = more;
  const price = credits === undefined ? (1010 + count) / 100 : -1.01;
  const line = { Type: 'Sale', Name: 'Tea', HsCode: '09021000', UnitPrice: price, Quantity: 1, TaxPercent: percent };
  const draft = {
    AuthorityDeviceId: deviceId,
    Type: credits === undefined ? 'FiscalInvoice' : 'CreditNote',
    Reference: `M-${count}`,
    Date: bench.now.toISOString(),
    Currency: currency,
    Cashier: cashier,
    ReceiptLinesTaxInclusive: count % 2 === 0,
    ReceiptLines: [line],
    Payments: [{ Type: count % 3 === 0 ? 'Card' : 'Cash' }],
    ...(credits === undefined ? {} : { OriginalReference: credits, Notes: 'Returned' }),
  };
  const complete = await bench.instance().call(bench.shop.token, 'POST', '/api/receipt/calculate', draft);
  expect(complete.statusCode, complete.body).toBe(200);
  const answer = await bench.sign(complete.json<object>());
  expect(answer.statusCode, answer.body).toBe(200);
  await bench.advance(2);
  return draft.Reference;
}

async function closeDay(deviceId: number, nextDay: number) {
  await bench.requestDay(deviceId, 'close', { ThenOpen: true });
  await bench.untilDay(deviceId, 'Opened', nextDay);
}

const month = async (name: string) =>
  (await bench.admin('GET', `/api/admin/taxpayers/${bench.shop.taxpayerId}/months/${name}`)).json<Plain<SalesMonth>>();
const zReport = async (deviceId: number, day: number) =>
  (await bench.admin('GET', `/api/admin/devices/${deviceId}/days/${day}/report`)).json<Plain<DayReport>>();

/** Every amount by its place, added up. */
function figures(currencies: Plain<SalesMonth>['Currencies']): Record<string, string> {
  const sums = new Map<string, Big>();
  const add = (name: string, value: number) => sums.set(name, (sums.get(name) ?? new Big(0)).plus(value));
  for (const one of currencies) {
    for (const list of ['NetSales', 'Taxes', 'GrossSales'] as const) {
      for (const tax of one[list]) add(`${one.Currency} ${list} ${tax.TaxId} ${tax.TaxPercent}`, tax.Amount);
    }
    for (const total of ['TotalNet', 'TotalTax', 'TotalGross'] as const) add(`${one.Currency} ${total}`, one[total]);
    for (const { Type, Quantity, Amount } of one.Documents) {
      add(`${one.Currency} ${Type}`, Amount);
      add(`${one.Currency} ${Type} quantity`, Quantity);
    }
    for (const { MoneyType, Amount } of one.Balances) add(`${one.Currency} ${MoneyType}`, Amount);
  }
  return Object.fromEntries([...sums].filter(([, sum]) => !sum.eq(0)).map(([name, sum]) => [name, sum.toFixed(2)]));
}

test('a month is the sum of the Z reports of the days that were opened in it; open days stand apart', async () => {
  const [first = 0, second = 0] = await bench.addDevices(2, { atAuthority: { taxes: TAXES } });
  const october = await sell(first, { cashier: 'Rudo' });
  await sell(second, { cashier: 'Tendai' });
  // Past midnight: still the day that was opened in October.
  await bench.moveTo('2026-10-31T22:15:00Z');
  await sell(first, { cashier: 'Rudo', currency: 'ZWG' });
  for (const device of [first, second]) await closeDay(device, 2);

  await sell(first, { cashier: 'Rudo', credits: october });
  await sell(first, { cashier: 'Rudo', percent: 0 });
  await sell(first, { percent: null, currency: 'ZWG' });
  await sell(second, { cashier: 'Tendai' });
  await bench.books.changeDevice(first, { taxes: [{ ...TAXES[0], taxPercent: 16 }, ...TAXES.slice(1)] });
  for (const device of [first, second]) await closeDay(device, 3);
  await sell(first, { cashier: 'Tendai', percent: 16 });
  await closeDay(first, 4);
  await sell(first, { cashier: 'Rudo', percent: 16 });

  const days = {
    '2026-10': [
      [first, 1],
      [second, 1],
    ],
    '2026-11': [
      [first, 2],
      [first, 3],
      [second, 2],
    ],
  } as const;
  for (const [name, closed] of Object.entries(days)) {
    const found = await month(name);
    const reports = await Promise.all(closed.map(([device, day]) => zReport(device, day)));
    expect(reports.map(({ Kind, Opened }) => [Kind, Opened.slice(0, 7)])).toEqual(closed.map(() => ['Z', name]));
    expect(figures(found.Currencies)).toEqual(figures(reports.flatMap(({ Currencies }) => Currencies)));
    expect(found.Days).toBe(closed.length);
    for (const device of found.Devices) {
      const own = reports.filter(({ AuthorityDeviceId }) => AuthorityDeviceId === device.AuthorityDeviceId);
      expect(figures(device.Currencies)).toEqual(figures(own.flatMap(({ Currencies }) => Currencies)));
    }
  }

  const november = await month('2026-11');
  expect(
    november.Cashiers.map(({ Cashier, Currency, TotalDocuments }) => [Cashier, Currency, TotalDocuments.Quantity]),
  ).toEqual([
    [null, 'ZWG', 1],
    ['Rudo', 'USD', 2],
    ['Tendai', 'USD', 2],
  ]);
  expect(november.OpenDays).toMatchObject([
    { AuthorityDeviceId: second, FiscalDayNumber: 3, Sales: [] },
    { AuthorityDeviceId: first, FiscalDayNumber: 4, Sales: [{ Currency: 'USD', TotalDocuments: { Quantity: 1 } }] },
  ]);
  expect((await month('2026-09')).Currencies).toEqual([]);

  const url = `/api/admin/taxpayers/${bench.shop.taxpayerId}/months/2026-11`;
  const csv = (await bench.admin('GET', `${url}?format=csv`)).body.split('\r\n').map((line) => line.split(','));
  const taxLines = csv.filter(([part, , , , currency]) => part === 'Tax' && currency === 'USD');
  const gross = taxLines.reduce((sum, line) => sum.plus(line[9] ?? 0), new Big(0));
  expect(gross.toFixed(2)).toBe(figures(november.Currencies)['USD TotalGross']);
  const pdf = await bench.admin('GET', `${url}?format=pdf`);
  expect([pdf.headers['content-type'], pdf.rawPayload.subarray(0, 5).toString()]).toEqual(['application/pdf', '%PDF-']);
});
