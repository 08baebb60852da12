import type { Vendor } from '../../contract/billpay/vendor.ts';
import type { Queryable, Transaction } from '../../platform/database/database.ts';
import { instantText } from '../../platform/database/instant-text.ts';
import { insert, update } from '../../platform/database/rows.ts';

export type VendorSecret = 'callbackToken' | 'webhookSecret' | 'fiscalToken';

const SECRET_COLUMNS: Readonly<Record<VendorSecret, string>> = {
  callbackToken: 'callback_token_encrypted',
  webhookSecret: 'webhook_secret_encrypted',
  fiscalToken: 'fiscal_token_encrypted',
};

export async function findEncryptedSecret(
  db: Queryable,
  vendorId: string,
  which: VendorSecret,
): Promise<Buffer | undefined> {
  const { rows } = await db.query<{ secret: Buffer | null }>({
    name: `find-vendor-secret-${which}`,
    text: `select ${SECRET_COLUMNS[which]} as secret from vendors where vendor_id = $1`,
    values: [vendorId],
  });
  return rows[0]?.secret ?? undefined;
}

/** What an operator sees of a vendor: of its secrets only whether they are there. */
const VENDOR = `vendor_id as "VendorId", vendor_code as "Code", name as "Name", suspended_at is not null as "Suspended",
  ${instantText('suspended_at')} as "SuspendedAt", callback_url as "CallbackUrl",
  callback_token_encrypted is not null as "HasCallbackToken", fiscal_token_encrypted is not null as "HasFiscalToken",
  fiscal_device_id as "FiscalDeviceId", ${instantText('created_at')} as "CreatedAt"`;

export async function listVendors(db: Queryable, after: string | undefined, limit: number): Promise<Vendor[]> {
  const { rows } = await db.query<Vendor>(
    `select ${VENDOR} from vendors where ($1::uuid is null or vendor_id > $1) order by vendor_id limit $2`,
    [after, limit],
  );
  return rows;
}

export async function findVendor(db: Queryable, vendorId: string): Promise<Vendor | undefined> {
  const { rows } = await db.query<Vendor>(`select ${VENDOR} from vendors where vendor_id = $1`, [vendorId]);
  return rows[0];
}

export async function findVendorByCode(db: Queryable, vendorCode: string): Promise<Vendor | undefined> {
  const { rows } = await db.query<Vendor>(`select ${VENDOR} from vendors where vendor_code = $1`, [vendorCode]);
  return rows[0];
}

/** Against other changes of it only: payments, invoices and alerts of the vendor are written meanwhile. */
export async function lockVendor(tx: Transaction, vendorId: string): Promise<Vendor | undefined> {
  const { rows } = await tx.query<Vendor>(`select ${VENDOR} from vendors where vendor_id = $1 for no key update`, [
    vendorId,
  ]);
  return rows[0];
}

export interface NewVendorRow {
  readonly vendorId: string;
  readonly vendorCode: string;
  readonly name: string;
  readonly webhookSecretEncrypted: Buffer;
  readonly createdAt: Date;
}

export async function insertVendor(tx: Transaction, vendor: NewVendorRow): Promise<void> {
  const { vendorId, vendorCode, name, webhookSecretEncrypted, createdAt } = vendor;
  await insert(tx, 'vendors', { vendorId, vendorCode, name, webhookSecretEncrypted, createdAt });
  await insert(tx, 'event_counters', { tenantId: vendorId });
}

export function updateVendor(tx: Transaction, { VendorId: vendorId, ...vendor }: Vendor): Promise<void> {
  const { Name: name, SuspendedAt: suspendedAt, CallbackUrl: callbackUrl, FiscalDeviceId: fiscalDeviceId } = vendor;
  return update(tx, 'vendors', { vendorId }, { name, suspendedAt, callbackUrl, fiscalDeviceId });
}

export async function updateVendorSecret(
  tx: Transaction,
  vendorId: string,
  which: VendorSecret,
  encrypted: Buffer | null,
): Promise<void> {
  await tx.query(`update vendors set ${SECRET_COLUMNS[which]} = $2 where vendor_id = $1`, [vendorId, encrypted]);
}
