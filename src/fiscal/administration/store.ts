import type { Queryable, Transaction } from '../../platform/database.ts';
import type { Scope } from '../taxpayers/caller.ts';

/** What an operator sees and changes of taxpayers, tokens and devices. Every statement of it is here. */
export interface TaxpayerRecord {
  readonly taxpayerId: string;
  readonly name: string;
  readonly tin: string;
  readonly vatNumber: string | null;
  readonly currencies: readonly string[] | null;
  readonly defaultHsTaxed: string | null;
  readonly defaultHsZeroRated: string | null;
  readonly defaultHsExempt: string | null;
  readonly suspendedAt: Date | null;
  readonly createdAt: Date;
}

const TAXPAYER = `taxpayer_id as "taxpayerId", name, tin, vat_number as "vatNumber", currencies,
  default_hs_taxed as "defaultHsTaxed", default_hs_zero_rated as "defaultHsZeroRated",
  default_hs_exempt as "defaultHsExempt", suspended_at as "suspendedAt", created_at as "createdAt"`;

/** Newest first: ids are ordered by time, so the last id of a page is the cursor of the next. */
export async function listTaxpayers(
  db: Queryable,
  before: string | undefined,
  limit: number,
): Promise<TaxpayerRecord[]> {
  const { rows } = await db.query<TaxpayerRecord>(
    `select ${TAXPAYER} from taxpayers where $1::uuid is null or taxpayer_id < $1 order by taxpayer_id desc limit $2`,
    [before, limit],
  );
  return rows;
}

export async function findTaxpayer(db: Queryable, taxpayerId: string): Promise<TaxpayerRecord | undefined> {
  const { rows } = await db.query<TaxpayerRecord>(`select ${TAXPAYER} from taxpayers where taxpayer_id = $1`, [
    taxpayerId,
  ]);
  return rows[0];
}

export async function lockTaxpayer(tx: Transaction, taxpayerId: string): Promise<TaxpayerRecord | undefined> {
  const { rows } = await tx.query<TaxpayerRecord>(
    `select ${TAXPAYER} from taxpayers where taxpayer_id = $1 for no key update`,
    [taxpayerId],
  );
  return rows[0];
}

export async function updateTaxpayer(tx: Transaction, taxpayer: TaxpayerRecord): Promise<void> {
  await tx.query(
    `update taxpayers
        set name = $2, tin = $3, vat_number = $4, currencies = $5, default_hs_taxed = $6, default_hs_zero_rated = $7,
            default_hs_exempt = $8, suspended_at = $9
      where taxpayer_id = $1`,
    [
      taxpayer.taxpayerId,
      taxpayer.name,
      taxpayer.tin,
      taxpayer.vatNumber,
      taxpayer.currencies,
      taxpayer.defaultHsTaxed,
      taxpayer.defaultHsZeroRated,
      taxpayer.defaultHsExempt,
      taxpayer.suspendedAt,
    ],
  );
}

export interface TokenRecord {
  readonly tokenId: string;
  readonly taxpayerId: string | null;
  readonly displayPrefix: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly defaultCashier: string | null;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly createdAt: Date;
}

const TOKEN = `token_id as "tokenId", taxpayer_id as "taxpayerId", display_prefix as "displayPrefix", name, scopes,
  default_cashier as "defaultCashier", expires_at as "expiresAt", revoked_at as "revokedAt", created_at as "createdAt"`;

/** The tokens of a taxpayer, or (null) those of the operators. */
export async function listTokens(
  db: Queryable,
  taxpayerId: string | null,
  before: string | undefined,
  limit: number,
): Promise<TokenRecord[]> {
  const { rows } = await db.query<TokenRecord>(
    `select ${TOKEN} from tokens
      where taxpayer_id is not distinct from $1::uuid and ($2::uuid is null or token_id < $2)
      order by token_id desc limit $3`,
    [taxpayerId, before, limit],
  );
  return rows;
}

export async function lockToken(
  tx: Transaction,
  taxpayerId: string | null,
  tokenId: string,
): Promise<TokenRecord | undefined> {
  const { rows } = await tx.query<TokenRecord>(
    `select ${TOKEN} from tokens where taxpayer_id is not distinct from $1::uuid and token_id = $2 for update`,
    [taxpayerId, tokenId],
  );
  return rows[0];
}

export async function revokeToken(tx: Transaction, tokenId: string, at: Date): Promise<void> {
  await tx.query('update tokens set revoked_at = $2 where token_id = $1 and revoked_at is null', [tokenId, at]);
}

export async function countOperatorTokens(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    'select count(*)::integer as count from tokens where taxpayer_id is null and revoked_at is null',
  );
  return rows[0]?.count ?? 0;
}

export interface DeviceKeyRecord {
  readonly taxpayerId: string;
  readonly deviceId: number;
}

export interface DeviceFilter {
  readonly taxpayerId: string | undefined;
  /** Only those that are stopped, or only the others. */
  readonly isStopped: boolean | undefined;
  readonly after: number | undefined;
}

/** The ids of devices, in order; what they look like is read with `findDevices`. */
export async function listDevices(
  db: Queryable,
  { taxpayerId, isStopped, after }: DeviceFilter,
  limit: number,
): Promise<number[]> {
  const { rows } = await db.query<{ device_id: number }>(
    `select d.device_id from devices d left join device_lanes l using (taxpayer_id, device_id)
      where ($1::uuid is null or d.taxpayer_id = $1) and ($2::integer is null or d.device_id > $2)
        and ($3::boolean is null or (l.stopped_reason is not null) = $3)
      order by d.device_id limit $4`,
    [taxpayerId, after, isStopped, limit],
  );
  return rows.map((row) => row.device_id);
}

export async function findDeviceOwner(db: Queryable, deviceId: number): Promise<string | undefined> {
  const { rows } = await db.query<{ taxpayer_id: string }>('select taxpayer_id from devices where device_id = $1', [
    deviceId,
  ]);
  return rows[0]?.taxpayer_id;
}

export interface DeviceSettings {
  readonly zone: string;
  readonly maintenanceStartMinute: number;
  readonly datePolicy: 'advance' | 'strict';
  readonly advanceLimitSeconds: number;
  readonly futureLimitSeconds: number;
  readonly blockedReason: string | null;
}

/** The caller holds the head's lock; the new revision tells every instance that what it has cached is old. */
export async function updateDeviceSettings(
  tx: Transaction,
  device: DeviceKeyRecord,
  settings: DeviceSettings,
): Promise<void> {
  await tx.query(
    `update devices
        set zone = $3, maintenance_start_minute = $4, date_policy = $5, advance_limit_seconds = $6,
            future_limit_seconds = $7, blocked_reason = $8
      where taxpayer_id = $1 and device_id = $2`,
    [
      device.taxpayerId,
      device.deviceId,
      settings.zone,
      settings.maintenanceStartMinute,
      settings.datePolicy,
      settings.advanceLimitSeconds,
      settings.futureLimitSeconds,
      settings.blockedReason,
    ],
  );
  await tx.query('update device_heads set revision = revision + 1 where taxpayer_id = $1 and device_id = $2', [
    device.taxpayerId,
    device.deviceId,
  ]);
}
