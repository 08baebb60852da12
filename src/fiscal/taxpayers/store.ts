import type { Queryable, Transaction } from '../../platform/database/database.ts';
import { insert, update } from '../../platform/database/rows.ts';

export interface NewTaxpayer {
  readonly taxpayerId: string;
  readonly name: string;
  readonly tin: string;
  readonly vatNumber: string | undefined;
  readonly currencies?: readonly string[] | undefined;
  readonly defaultHsCodes?: { readonly Taxed: string; readonly ZeroRated: string; readonly Exempt: string } | undefined;
  readonly notesTakeBuyer?: boolean | undefined;
  readonly originalDevices?: readonly number[] | undefined;
  readonly timeZone?: string | undefined;
}

export async function insertTaxpayer(db: Queryable, taxpayer: NewTaxpayer): Promise<void> {
  const { taxpayerId, name, tin, vatNumber, currencies, defaultHsCodes, notesTakeBuyer = false } = taxpayer;
  const { originalDevices, timeZone } = taxpayer;
  const { Taxed: defaultHsTaxed, ZeroRated: defaultHsZeroRated, Exempt: defaultHsExempt } = defaultHsCodes ?? {};
  const defaults = { defaultHsTaxed, defaultHsZeroRated, defaultHsExempt, notesTakeBuyer, originalDevices, timeZone };
  await insert(db, 'taxpayers', { taxpayerId, name, tin, vatNumber, currencies, ...defaults });
  await insert(db, 'event_counters', { tenantId: taxpayerId });
}

export interface TaxpayerRecord {
  readonly taxpayerId: string;
  readonly name: string;
  readonly tin: string;
  readonly vatNumber: string | null;
  readonly currencies: readonly string[] | null;
  readonly defaultHsTaxed: string | null;
  readonly defaultHsZeroRated: string | null;
  readonly defaultHsExempt: string | null;
  readonly notesTakeBuyer: boolean;
  readonly originalDevices: readonly number[] | null;
  readonly timeZone: string | null;
  readonly suspendedAt: Date | null;
  readonly createdAt: Date;
}

const TAXPAYER = `taxpayer_id as "taxpayerId", name, tin, vat_number as "vatNumber", currencies,
  default_hs_taxed as "defaultHsTaxed", default_hs_zero_rated as "defaultHsZeroRated",
  default_hs_exempt as "defaultHsExempt", notes_take_buyer as "notesTakeBuyer", original_devices as "originalDevices", time_zone as "timeZone", suspended_at as "suspendedAt", created_at as "createdAt"`;

/** Newest first: ids are ordered by time, so the last id of a page is the cursor of the next. */
export async function listTaxpayers(
  db: Queryable,
  filter: { readonly practiceId: string | undefined; readonly before: string | undefined },
  limit: number,
): Promise<TaxpayerRecord[]> {
  const { rows } = await db.query<TaxpayerRecord>(
    `select ${TAXPAYER} from taxpayers
      where ($1::uuid is null or taxpayer_id < $1)
        and ($2::uuid is null or taxpayer_id in (select taxpayer_id from practice_taxpayers where practice_id = $2))
      order by taxpayer_id desc limit $3`,
    [filter.before, filter.practiceId, limit],
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

export function updateTaxpayer(tx: Transaction, taxpayer: TaxpayerRecord): Promise<void> {
  const { taxpayerId, createdAt: _createdAt, ...change } = taxpayer;
  return update(tx, 'taxpayers', { taxpayerId }, change);
}

export async function findTaxpayerNames(
  db: Queryable,
  taxpayerIds: readonly string[],
): Promise<{ readonly taxpayerId: string; readonly name: string }[]> {
  const { rows } = await db.query<{ taxpayerId: string; name: string }>(
    'select taxpayer_id as "taxpayerId", name from taxpayers where taxpayer_id = any($1)',
    [taxpayerIds],
  );
  return rows;
}
