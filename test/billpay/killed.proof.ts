/**
 * Instances of the service are killed again and again while bills are paid, invoiced and taken back. Each has all the roles, so a
 * kill hits the payment, the job, the signing and the submission alike.
 */
import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { answerOf } from '../support/ask.ts';
import { AuthorityProcesses } from '../support/authority/processes.ts';
import { Payers, type Vendor } from '../support/billpay/payers.ts';
import type { ServiceProcess } from '../support/process.ts';

const KILLS = 20;
const MAX_LIFE_MS = 700;
/** Side by side on one database: what one was killed with, the other finds. */
const INSTANCES = 2;
const PAYERS = 4;
const DEVICE = 41_001;

let world: AuthorityProcesses;
beforeAll(async () => {
  world = await AuthorityProcesses.start();
});
afterAll(() => world.end());

/** A vendor whose bills are invoiced by the shop's device. */
async function addVendor(url: string): Promise<Omit<Vendor, 'url'>> {
  const asker = { url, token: world.operator };
  const admin = (method: string, path: string, body?: object) =>
    answerOf<{ VendorId: string; Token: string }>(asker, method, `/api/admin/${path}`, body);
  await admin('POST', 'billers', {
    Code: 'CITY',
    Name: 'City of Harare',
    Enabled: true,
    Currencies: ['USD'],
    Fees: [{ Currency: 'USD', Fixed: 0.25, Percent: 1 }],
    Products: [],
    VendorMustInvoicePayments: true,
    InvoiceHsCode: '99001000',
    InvoiceTaxPercent: 15.5,
    InvoiceTaxInclusive: true,
    AllowFeed: false,
    Connector: 'Offline',
  });
  const { VendorId } = await admin('POST', 'vendors', {
    Code: 'SHOP',
    Name: 'Shop',
    FiscalToken: world.shop.token,
    FiscalDeviceId: DEVICE,
  });
  await admin('PUT', `vendors/${VendorId}/billers/CITY`);
  const { Token } = await admin('POST', 'tokens', { VendorId, Name: 'app', Scopes: ['pay', 'read'] });
  return { token: Token, billerCode: 'CITY' };
}

interface StoredPayment {
  readonly reference: string;
  readonly status: string;
  readonly invoice: string | null;
  readonly note: string | null;
}

/** Every payment that was ever paid, with the invoice and the credit note that are sealed for it. */
async function storedPayments(): Promise<StoredPayment[]> {
  const { rows } = await world.pool.query<StoredPayment>(
    `select p.vendor_reference as reference, p.status, i.invoice_reference as invoice, n.invoice_reference as note
       from payments p
       left join payment_invoices i on i.payment_id = p.payment_id and i.kind = 'Invoice' and i.state = 'Sealed'
       left join payment_invoices n on n.payment_id = p.payment_id and n.kind = 'CreditNote' and n.state = 'Sealed'
      where p.paid_at is not null order by p.payment_id`,
  );
  return rows;
}

async function unsealed(): Promise<number> {
  const { rows } = await world.pool.query<{ count: number }>(
    `select count(*)::integer as count from payment_invoices where state <> 'Sealed'`,
  );
  return rows[0]?.count ?? 0;
}

test('kill -9 at 20 random moments from payment to invoice: each paid payment has one invoice at the authority', {
  timeout: 300_000,
}, async () => {
  const first = world.startService();
  await world.addDevice(await first.ready, DEVICE);
  const vendor = await addVendor(await first.ready);
  const paid: string[] = [];
  const reversed: string[] = [];
  const refusals: string[] = [];
  let unanswered = 0;
  /** One life of an instance: others pay through it until it is killed; then another takes its place. */
  const killOnce = async (service: ServiceProcess, name: string): Promise<ServiceProcess> => {
    const payers = new Payers({ ...vendor, url: await service.ready }, PAYERS, name);
    await world.until(() => payers.paid.length > 0, 'somebody has paid');
    // The moment is what is random here; nothing is waited for.
    await delay(randomInt(MAX_LIFE_MS));
    await service.kill();
    await payers.stop();
    paid.push(...payers.paid.map(({ VendorReference }) => VendorReference));
    reversed.push(...payers.reversed.map(({ VendorReference }) => VendorReference));
    refusals.push(...payers.refusals);
    unanswered += payers.unanswered;
    return world.startService();
  };
  const killAgain = async (start: ServiceProcess, name: string): Promise<void> => {
    let service = start;
    for (let kill = 1; kill <= KILLS / INSTANCES; kill += 1) service = await killOnce(service, `${name}${kill}`);
    await service.ready;
  };
  await Promise.all([killAgain(first, 'A'), killAgain(world.startService(), 'B')]);
  await world.until(async () => (await unsealed()) === 0, 'everything is sealed');
  await world.until(async () => (await world.backlog()) === 0, 'everything is submitted');

  const stored = await storedPayments();
  process.stdout.write(
    `${KILLS} kills: ${paid.length} paid, ${reversed.length} reversed, ${unanswered} cut off; ${stored.length} in the table\n`,
  );
  expect(refusals).toEqual([]);
  expect(paid.length).toBeGreaterThan(KILLS);
  const byReference = new Map(stored.map((payment) => [payment.reference, payment]));
  expect(byReference.size).toBe(stored.length);
  expect(paid.filter((reference) => !byReference.has(reference))).toEqual([]);
  expect(reversed.filter((reference) => byReference.get(reference)?.status !== 'Reversed')).toEqual([]);
  expect(stored.filter(({ invoice }) => invoice === null)).toEqual([]);
  expect(stored.filter(({ status, note }) => (status === 'Reversed') !== (note !== null))).toEqual([]);

  const booked = await world.books.receipts(DEVICE);
  const wanted = stored.flatMap(({ invoice, note }) => [invoice, note]).filter((reference) => reference !== null);
  expect(booked.map(({ invoiceNo }) => invoiceNo).toSorted()).toEqual(wanted.toSorted());
  expect(booked.filter(({ colour }) => colour === 'Red' || colour === 'Grey')).toEqual([]);
});
