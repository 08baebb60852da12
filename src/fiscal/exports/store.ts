import type { Queryable } from '../../platform/database/database.ts';
import { type DayRow, listDays } from '../days/store.ts';

/** Rows of everything that proves a device's history. */
export interface ExportKey {
  readonly taxpayerId: string;
  readonly deviceId: number;
}

const PAGE = 200;

export interface ReceiptRow {
  readonly globalCounter: number;
  readonly fiscalDayNumber: number;
  readonly fiscalDayCounter: number;
  readonly reference: string;
  readonly type: string;
  readonly currency: string;
  readonly total: string;
  readonly signedDate: string;
  readonly sealedAt: Date;
  readonly previousHash: Buffer | null;
  readonly hash: Buffer;
  readonly signature: Buffer;
  readonly keyVersion: number;
  readonly configurationVersion: number;
  readonly taxes: string;
  readonly originalDeviceId: number | null;
  readonly originalGlobalCounter: number | null;
  readonly body: string;
  /** Null where the configuration is gone: the proof will say so. */
  readonly qrUrl: string | null;
  readonly state: string | null;
  readonly settledAt: Date | null;
  readonly authorityReceiptId: bigint | null;
  readonly serverDate: string | null;
  readonly serverDateText: string | null;
  readonly serverHash: Buffer | null;
  readonly serverSignature: Buffer | null;
  readonly thumbprint: string | null;
  readonly remarks: string | null;
  readonly isWithoutBuyer: boolean | null;
  readonly error: string | null;
}

/** In the order of their numbers, some hundred at a time: none is held longer than it takes to hand it on. */
export async function* receiptsBetween(
  db: Queryable,
  key: ExportKey,
  after: number,
  through: number,
): AsyncGenerator<ReceiptRow> {
  for (let last = after; ; ) {
    const { rows } = await db.query<ReceiptRow>({
      name: 'export-receipts',
      text: `select r.global_counter as "globalCounter", r.fiscal_day_number as "fiscalDayNumber",
                    r.fiscal_day_counter as "fiscalDayCounter", r.reference, r.type, r.currency, r.total,
                    r.signed_date as "signedDate", r.sealed_at as "sealedAt", r.previous_hash as "previousHash", r.hash,
                    r.signature, r.key_version as "keyVersion", r.configuration_version as "configurationVersion", r.taxes,
                    r.original_device_id as "originalDeviceId", r.original_global_counter as "originalGlobalCounter",
                    r.body, c.qr_url as "qrUrl", s.state, s.settled_at as "settledAt",
                    s.authority_receipt_id as "authorityReceiptId", s.server_date as "serverDate", s.server_date_text as "serverDateText",
                    s.server_hash as "serverHash", s.server_signature as "serverSignature",
                    s.server_certificate_thumbprint as "thumbprint", s.remarks, s.without_buyer as "isWithoutBuyer", s.error
               from receipts r
               left join device_configurations c using (taxpayer_id, device_id, configuration_version)
               left join submissions s using (taxpayer_id, device_id, global_counter)
              where r.taxpayer_id = $1 and r.device_id = $2 and r.global_counter > $3 and r.global_counter <= $4
              order by r.global_counter limit ${PAGE}`,
      values: [key.taxpayerId, key.deviceId, last, through],
    });
    yield* rows;
    if (rows.length < PAGE) return;
    last = rows.at(-1)?.globalCounter ?? last;
  }
}

/** Days from and through these numbers, oldest first. `newest` stands for its own row, which may change meanwhile. */
export async function* daysBetween(
  db: Queryable,
  key: ExportKey,
  from: number,
  through: number,
  newest: DayRow | undefined,
): AsyncGenerator<DayRow> {
  for (let next = from; next <= through; next += PAGE) {
    const days = await listDays(db, key.taxpayerId, key.deviceId, Math.min(next + PAGE, through + 1), PAGE);
    for (const day of days.toReversed()) {
      if (day.fiscalDayNumber >= next) yield day.fiscalDayNumber === newest?.fiscalDayNumber ? newest : day;
    }
  }
}

export interface LastReceipt {
  readonly globalCounter: number;
  /** Undefined where only the number is known: the history before it is the authority's. */
  readonly date: string | undefined;
}

/** The last receipt of the days before (or through) this one. */
export async function findLastReceipt(
  db: Queryable,
  key: ExportKey,
  throughDay: number,
): Promise<LastReceipt | undefined> {
  const { rows } = await db.query<{ globalCounter: number; date: string }>(
    `select global_counter as "globalCounter", signed_date as date from receipts
      where taxpayer_id = $1 and device_id = $2 and fiscal_day_number <= $3
      order by fiscal_day_number desc, fiscal_day_counter desc limit 1`,
    [key.taxpayerId, key.deviceId, throughDay],
  );
  return rows[0] && { ...rows[0], date: rows[0].date.replace(' ', 'T') };
}

/** A device that was registered with a history begins after the number the authority gave; all others at 1. */
export async function findFirstCounter(db: Queryable, key: ExportKey): Promise<number> {
  const { rows } = await db.query<{ first: number | null; isRegistered: boolean }>(
    `select d.registered_at is not null as "isRegistered",
            (select min(r.global_counter) from receipts r
              where r.taxpayer_id = d.taxpayer_id and r.device_id = d.device_id) as first
       from devices d where d.taxpayer_id = $1 and d.device_id = $2`,
    [key.taxpayerId, key.deviceId],
  );
  return rows[0]?.isRegistered === true ? (rows[0].first ?? 1) : 1;
}

/** The first day opened on or after a date, and the last one opened on or before it. */
export async function findDayByDate(
  db: Queryable,
  key: ExportKey,
  date: string,
  side: 'from' | 'to',
): Promise<number | undefined> {
  const { rows } = await db.query<{ number: number }>(
    side === 'from'
      ? `select fiscal_day_number as number from fiscal_days
          where taxpayer_id = $1 and device_id = $2 and opened_wall >= $3::date order by fiscal_day_number limit 1`
      : `select fiscal_day_number as number from fiscal_days
          where taxpayer_id = $1 and device_id = $2 and opened_wall < $3::date + 1 order by fiscal_day_number desc limit 1`,
    [key.taxpayerId, key.deviceId, date],
  );
  return rows[0]?.number;
}

/** In the names of the format. */
export interface ExportFacts {
  readonly owner: { readonly TaxpayerName: string; readonly TIN: string; readonly VatNumber: string | null };
  readonly keys: readonly object[];
  readonly configurations: readonly { readonly taxes: string }[];
  readonly authorityCertificates: readonly object[];
}

export async function readExportFacts(db: Queryable, { taxpayerId, deviceId }: ExportKey): Promise<ExportFacts> {
  const values = [taxpayerId, deviceId];
  const [taxpayer, keys, configurations, certificates] = await Promise.all([
    db.query<ExportFacts['owner']>(
      `select name as "TaxpayerName", tin as "TIN", vat_number as "VatNumber" from taxpayers where taxpayer_id = $1`,
      [taxpayerId],
    ),
    db.query(
      `select key_version as "Version", algorithm as "Algorithm", public_key_pem as "PublicKey", certificate_pem as "Certificate"
         from device_keys where taxpayer_id = $1 and device_id = $2 order by key_version`,
      values,
    ),
    db.query<ExportFacts['configurations'][number]>(
      `select configuration_version as "Version", serial_number as "SerialNumber", qr_url as "QrUrl", taxes
         from device_configurations where taxpayer_id = $1 and device_id = $2 order by configuration_version`,
      values,
    ),
    db.query(
      `select thumbprint as "Thumbprint", certificate_pem as "Certificate"
         from authority_certificates order by received_at, thumbprint`,
    ),
  ]);
  const [owner] = taxpayer.rows;
  if (owner === undefined) throw new Error(`taxpayer ${taxpayerId} is not there`);
  return { owner, keys: keys.rows, configurations: configurations.rows, authorityCertificates: certificates.rows };
}
