/** Reads everything that is checked: the run's files, the tables, the simulator's books and the APIs. */
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import type {
  Attempt,
  BookedDay,
  BookedReceipt,
  EndpointLog,
  EventRow,
  Events,
  Evidence,
  Intent,
  ReceiptRow,
  Replay,
  ToldEvent,
  Webhook,
} from './evidence.ts';
import { readEvents } from './requests.ts';

export interface Places {
  readonly ledgerFile: string;
  readonly callbacksFile: string;
  readonly eventsFile: string;
  readonly endpoints: readonly (Pick<EndpointLog, 'name' | 'secret' | 'after'> & { readonly endpointId: string })[];
  readonly database: { readonly host: string; readonly port: number; readonly user: string; readonly database: string };
  readonly controlUrl: string;
  readonly serviceUrls: readonly string[];
  readonly adminToken: string;
  readonly token: string;
  readonly vendorToken: string;
  readonly webhookSecret: string;
  readonly deviceIds: readonly number[];
}

const PUSH_PATIENCE_MS = 60_000;

export function readLedger(file: string): { intents: Intent[]; attempts: Attempt[] } {
  const entries = readLines<{ kind: string }>(file);
  return {
    intents: entries.filter(({ kind }) => kind === 'intent') as unknown as Intent[],
    attempts: entries.filter(({ kind }) => kind === 'attempt') as unknown as Attempt[],
  };
}

export async function gather(places: Places, replays: readonly Replay[]): Promise<Evidence> {
  const client = new Client({ ...places.database, ssl: false });
  await client.connect();
  try {
    const rows: Rows = async <T>(text: string) => (await client.query(text)).rows as T[];
    // Alerts are announced at any time: what comes after these numbers is left out.
    const [last, vendorLast] = [await lastOf(rows, TAXPAYERS), await lastOf(rows, VENDORS)];
    const told = await readEvents(places.serviceUrls, places.token);
    const vendorTold = await readEvents(places.serviceUrls, places.vendorToken);
    const alerts = JSON.parse(JSON.stringify(await rows<ToldEvent>(ALERT_EVENTS))) as ToldEvent[];
    return {
      ...readLedger(places.ledgerFile),
      receipts: await rows<ReceiptRow>(RECEIPTS),
      heads: await rows(HEADS),
      keys: await rows(KEYS),
      payments: await rows(PAYMENTS),
      invoices: await rows(INVOICES),
      taxpayerEvents: upTo(last, await rows(EVENTS), told),
      vendorEvents: upTo(vendorLast, await rows(VENDOR_EVENTS), vendorTold),
      endpoints: await readEndpoints(places, rows, { taxpayer: told, vendor: vendorTold, installation: alerts }),
      deliveries: await rows(
        'select delivery_id as "deliveryId", biller_codes as "billerCodes", state from webhook_deliveries',
      ),
      webhooks: readLines<Webhook>(places.callbacksFile),
      webhookSecret: places.webhookSecret,
      auditedNames: (await rows<{ name: string }>(AUDITED)).map(({ name }) => name),
      ...(await readBooks(places)),
      replays,
    };
  } finally {
    await client.end();
  }
}

function readLines<T>(file: string): T[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T);
}

type Rows = <T>(text: string) => Promise<T[]>;

interface EndpointRow {
  readonly id: string;
  readonly cursor: number;
  readonly setAside: readonly number[];
}

function upTo(last: number, rows: readonly EventRow[], told: readonly ToldEvent[]): Events {
  const numbers = told.map((event) => event.Number).filter((number) => number <= last);
  return { rows: rows.filter(({ number }) => number <= last), told: numbers, last };
}

/** Waits until each has been sent all of its events. What it never gets is found by the check. */
async function readEndpoints(
  { endpoints, eventsFile }: Places,
  rows: Rows,
  told: Readonly<Record<string, readonly ToldEvent[]>>,
): Promise<EndpointLog[]> {
  const deadline = Date.now() + PUSH_PATIENCE_MS;
  const find = async () => new Map((await rows<EndpointRow>(ENDPOINTS)).map((row) => [row.id, row]));
  const isTold = (found: Awaited<ReturnType<typeof find>>) =>
    endpoints.every(
      ({ name, endpointId }) => (found.get(endpointId)?.cursor ?? 0) >= (told[name]?.at(-1)?.Number ?? 0),
    );
  let found = await find();
  for (; !isTold(found) && Date.now() < deadline; found = await find()) await delay(100);
  const requests = readLines<Webhook & { readonly path: string }>(eventsFile);
  return endpoints.map((endpoint) => {
    const { name, endpointId } = endpoint;
    const events = told[name] ?? [];
    const isOfItself = ({ Data }: ToldEvent) => (Data as { readonly EndpointId?: string }).EndpointId === endpointId;
    return {
      ...endpoint,
      events,
      untold: events.filter(isOfItself).map((event) => event.Number),
      requests: requests.filter(({ path }) => path === `/${name}`),
      setAside: found.get(endpointId)?.setAside ?? [],
    };
  });
}

async function lastOf(rows: Rows, whose: string): Promise<number> {
  const found = await rows<{ last: number }>(
    `select coalesce(max(last_number), 0)::float8 as last from event_counters where ${whose}`,
  );
  return found[0]?.last ?? 0;
}

type Book = Pick<Evidence, 'booked' | 'bookedDays' | 'issued'>;

async function readBooks({ controlUrl, deviceIds }: Places): Promise<Book> {
  const get = async <T>(path: string): Promise<T> => (await (await fetch(`${controlUrl}${path}`)).json()) as T;
  const booked: BookedReceipt[] = [];
  const bookedDays: BookedDay[] = [];
  const issued: Evidence['issued'][number][] = [];
  for (const deviceId of deviceIds) {
    const receipts = await get<Record<string, string & number>[]>(`/devices/${deviceId}/receipts`);
    for (const one of receipts) {
      booked.push({
        deviceId,
        receiptId: one['receiptID'] ?? 0,
        originalId: one['originalReceiptID'] ?? null,
        type: one['receiptType'] ?? '',
        // A JSON number of at most 2 decimals and far fewer than 15 digits: its text is exact.
        total: String(one['receiptTotal']),
        globalCounter: one['receiptGlobalNo'] ?? 0,
        dayNumber: one['fiscalDayNo'] ?? 0,
        dayCounter: one['receiptCounter'] ?? 0,
        reference: one['invoiceNo'] ?? '',
        hash: one['hash'] ?? '',
        colour: one['colour'] ?? null,
      });
    }
    const days = await get<{ fiscalDayNo: number; fiscalDayStatus: string }[]>(`/devices/${deviceId}/days`);
    for (const day of days) bookedDays.push({ deviceId, dayNumber: day.fiscalDayNo, status: day.fiscalDayStatus });
    const device = await get<{ certificates: { pem: string }[] }>(`/devices/${deviceId}`);
    for (const { pem } of device.certificates) issued.push({ deviceId, pem });
  }
  return { booked, bookedDays, issued };
}

const RECEIPTS = `
  select device_id as "deviceId", global_counter as "globalCounter", fiscal_day_number as "dayNumber",
         fiscal_day_counter as "dayCounter", reference, type, currency, total::text as total,
         to_char(signed_date, 'YYYY-MM-DD"T"HH24:MI:SS') as date, encode(previous_hash, 'base64') as "previousHash",
         encode(hash, 'base64') as hash, replace(encode(signature, 'base64'), e'\\n', '') as signature,
         key_version as "keyVersion", taxes, original_device_id || '/' || original_global_counter as original, event_number::float8 as "eventNumber",
         (select s.state from submissions s where s.device_id = r.device_id and s.global_counter = r.global_counter limit 1)
           as submission
    from receipts r`;
const HEADS = `
  select device_id as "deviceId", global_counter as "globalCounter", fiscal_day_number as "dayNumber",
         fiscal_day_counter as "dayCounter", encode(last_hash, 'base64') as "lastHash", day_state as "dayState"
    from device_heads`;
const KEYS = `
  select device_id as "deviceId", key_version as "keyVersion", public_key_pem as "publicKeyPem",
         certificate_pem as "certificatePem"
    from device_keys`;
const PAYMENTS = `
  select vendor_reference as "vendorReference", bill_pay_reference as "billPayReference", status, amount::text as amount,
         fee::text as fee, currency
    from payments where paid_at is not null`;
const INVOICES = `
  select p.vendor_reference as "vendorReference", i.kind, i.invoice_reference as reference, i.state
    from payment_invoices i join payments p using (vendor_id, payment_id)`;
const TAXPAYERS = 'tenant_id in (select taxpayer_id from taxpayers)';
const VENDORS = 'tenant_id in (select vendor_id from vendors)';
const EVENTS = `
  select number::float8 as number, type, coalesce(data ->> 'Reference', '') as subject from events where ${TAXPAYERS}
  union all
  select event_number::float8, 'receipt.signed', reference from receipts`;
const VENDOR_EVENTS = `
  select number::float8 as number, type, coalesce(data ->> 'BillPayReference', '') as subject from events where ${VENDORS}`;
const AUDITED = `select after ->> 'Name' as name from audit_log where action = 'biller.changed'`;
const ALERT_EVENTS = `
  select number::float8 as "Number", type as "Type", at as "At", data as "Data" from events
   where not (${TAXPAYERS} or ${VENDORS}) order by number`;
const ENDPOINTS = `
  select endpoint_id as id, cursor::float8 as cursor,
         array(select number::float8 from endpoint_set_aside a where a.endpoint_id = e.endpoint_id) as "setAside"
    from endpoints e`;
