import type { Queryable, Transaction } from '../../platform/database/database.ts';
import { upsert } from '../../platform/database/rows.ts';
import type { ReceiptKey } from '../core/keys.ts';
import type { OriginalFacts, SellerFacts } from './core/printed-document.ts';
import { type StoredSeller, sellerFacts } from './core/seller.ts';

export interface Logo {
  readonly png: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** As the authority has the seller on file, or as entered here where it never said. */
const SELLER = `coalesce(c.taxpayer_name, t.name) as "taxpayerName", coalesce(c.taxpayer_tin, t.tin) as tin,
  case when c.taxpayer_tin is null then t.vat_number else c.vat_number end as "vatNumber",
  c.branch_name as "branchName", c.branch_address as "branchAddress", c.branch_contacts as "branchContacts"`;

export interface ReceiptFacts {
  readonly seller: SellerFacts;
  /** Of a note; reference and day are known only of what was sealed here. */
  readonly original: (Omit<OriginalFacts, 'reference'> & { readonly reference: string | undefined }) | undefined;
}

/** Seller and original as they were when the receipt was sealed: what is printed again says the same. */
export async function findReceiptFacts(db: Queryable, key: ReceiptKey): Promise<ReceiptFacts | undefined> {
  const { rows } = await db.query<StoredSeller & { original: string | null }>(
    `select ${SELLER}, case when r.original_global_counter is not null then json_strip_nulls(json_build_object('deviceId', r.original_device_id,
              'globalCounter', r.original_global_counter, 'reference', o.reference, 'date', o.signed_date,
              'fiscalDayNumber', o.fiscal_day_number, 'serialNumber', coalesce(oc.serial_number, od.serial_number))) end as original
       from receipts r
       join device_configurations c using (taxpayer_id, device_id, configuration_version)
       join taxpayers t using (taxpayer_id)
       left join receipts o on o.taxpayer_id = r.taxpayer_id and o.device_id = r.original_device_id
                           and o.global_counter = r.original_global_counter
       left join device_configurations oc on oc.taxpayer_id = o.taxpayer_id and oc.device_id = o.device_id
                                         and oc.configuration_version = o.configuration_version
       left join devices od on od.taxpayer_id = r.taxpayer_id and od.device_id = r.original_device_id
      where r.taxpayer_id = $1 and r.device_id = $2 and r.global_counter = $3`,
    [key.taxpayerId, key.deviceId, key.globalCounter],
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  const original = row.original === null ? undefined : (JSON.parse(row.original) as ReceiptFacts['original']);
  return { seller: sellerFacts(row), original };
}

/** Of a device, as it is now. */
export async function findSeller(db: Queryable, key: Omit<ReceiptKey, 'globalCounter'>): Promise<StoredSeller> {
  const { rows } = await db.query<StoredSeller>(
    `select ${SELLER}
       from device_heads h
       join device_configurations c using (taxpayer_id, device_id, configuration_version)
       join taxpayers t using (taxpayer_id)
      where h.taxpayer_id = $1 and h.device_id = $2`,
    [key.taxpayerId, key.deviceId],
  );
  if (rows[0] === undefined) throw new Error(`device ${key.deviceId} has no configuration`);
  return rows[0];
}

/** 0 when there is no such receipt. */
export async function findBodyBytes(db: Queryable, taxpayerId: string, reference: string): Promise<number> {
  const { rows } = await db.query<{ bytes: number }>({
    name: 'find-body-bytes',
    text: 'select octet_length(body) as bytes from receipts where taxpayer_id = $1 and reference = $2',
    values: [taxpayerId, reference],
  });
  return rows[0]?.bytes ?? 0;
}

export interface PrintSettings {
  readonly logo: Logo | undefined;
  readonly footer: string | undefined;
  readonly hasFiscalNoteTitles: boolean;
}

type SettingsRow = { -readonly [K in keyof Logo]: Logo[K] | null } & {
  readonly footer: string | null;
  readonly hasFiscalNoteTitles: boolean;
};

export async function findPrintSettings(db: Queryable, taxpayerId: string): Promise<PrintSettings> {
  const { rows } = await db.query<SettingsRow>(
    `select logo as png, logo_width as width, logo_height as height, footer, fiscal_note_titles as "hasFiscalNoteTitles"
       from print_settings where taxpayer_id = $1`,
    [taxpayerId],
  );
  const { png, width, height, footer, hasFiscalNoteTitles = false } = rows[0] ?? {};
  return {
    logo: png && width && height ? { png, width, height } : undefined,
    footer: footer ?? undefined,
    hasFiscalNoteTitles,
  };
}

export function savePrintSettings(tx: Transaction, taxpayerId: string, settings: PrintSettings): Promise<void> {
  const { logo, footer, hasFiscalNoteTitles: fiscalNoteTitles } = settings;
  const picture = { logo: logo && Buffer.from(logo.png), logoWidth: logo?.width, logoHeight: logo?.height };
  return upsert(tx, 'print_settings', { taxpayerId }, { ...picture, footer, fiscalNoteTitles });
}
