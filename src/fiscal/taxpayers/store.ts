import type { Taxpayer } from '../../contract/fiscal/taxpayer.ts';
import type { Queryable, Transaction } from '../../platform/database/database.ts';
import { instantText } from '../../platform/database/instant-text.ts';
import { insert, update } from '../../platform/database/rows.ts';

export interface NewTaxpayer {
  readonly taxpayerId: string;
  readonly name: string;
  readonly tin: string;
  readonly vatNumber: string | undefined;
  readonly currencies?: readonly string[] | undefined;
  readonly defaultHsCodes?: NonNullable<Taxpayer['DefaultHsCodes']> | undefined;
  readonly notesTakeBuyer?: boolean | undefined;
  readonly originalDevices?: readonly number[] | undefined;
  readonly timeZone?: string | undefined;
}

export async function insertTaxpayer(db: Queryable, taxpayer: NewTaxpayer): Promise<void> {
  const { taxpayerId, name, tin, vatNumber, currencies, defaultHsCodes, notesTakeBuyer = false } = taxpayer;
  const { originalDevices, timeZone } = taxpayer;
  const defaults = { ...hsColumns(defaultHsCodes), notesTakeBuyer, originalDevices, timeZone };
  await insert(db, 'taxpayers', { taxpayerId, name, tin, vatNumber, currencies, ...defaults });
  await insert(db, 'event_counters', { tenantId: taxpayerId });
}

const TAXPAYER = `taxpayer_id as "TaxpayerId", name as "Name", tin as "TIN", vat_number as "VatNumber", currencies as "Currencies",
  case when num_nulls(default_hs_taxed, default_hs_zero_rated, default_hs_exempt) = 0
    then json_build_object('Taxed', default_hs_taxed, 'ZeroRated', default_hs_zero_rated, 'Exempt', default_hs_exempt) end as hs,
  notes_take_buyer as "NotesTakeBuyer", original_devices as "OriginalDevices", time_zone as "TimeZone",
  suspended_at is not null as "Suspended", ${instantText('suspended_at')} as "SuspendedAt", ${instantText('created_at')} as "CreatedAt"`;

type TaxpayerRow = Omit<Taxpayer, 'DefaultHsCodes'> & { readonly hs: string | null };

function taxpayerOfRow({ hs, ...taxpayer }: TaxpayerRow): Taxpayer {
  return { ...taxpayer, DefaultHsCodes: hs === null ? null : (JSON.parse(hs) as Taxpayer['DefaultHsCodes']) };
}

/** Newest first: ids are ordered by time, so the last id of a page is the cursor of the next. */
export async function listTaxpayers(
  db: Queryable,
  filter: { readonly practiceId: string | undefined; readonly before: string | undefined },
  limit: number,
): Promise<Taxpayer[]> {
  const { rows } = await db.query<TaxpayerRow>(
    `select ${TAXPAYER} from taxpayers
      where ($1::uuid is null or taxpayer_id < $1)
        and ($2::uuid is null or taxpayer_id in (select taxpayer_id from practice_taxpayers where practice_id = $2))
      order by taxpayer_id desc limit $3`,
    [filter.before, filter.practiceId, limit],
  );
  return rows.map(taxpayerOfRow);
}

export async function findTaxpayer(db: Queryable, taxpayerId: string): Promise<Taxpayer | undefined> {
  const { rows } = await db.query<TaxpayerRow>(`select ${TAXPAYER} from taxpayers where taxpayer_id = $1`, [
    taxpayerId,
  ]);
  return rows.map(taxpayerOfRow)[0];
}

export async function lockTaxpayer(tx: Transaction, taxpayerId: string): Promise<Taxpayer | undefined> {
  const { rows } = await tx.query<TaxpayerRow>(
    `select ${TAXPAYER} from taxpayers where taxpayer_id = $1 for no key update`,
    [taxpayerId],
  );
  return rows.map(taxpayerOfRow)[0];
}

export function updateTaxpayer(tx: Transaction, { TaxpayerId: taxpayerId, ...taxpayer }: Taxpayer): Promise<void> {
  const { Name: name, TIN: tin, VatNumber: vatNumber, Currencies: currencies, DefaultHsCodes } = taxpayer;
  const { NotesTakeBuyer: notesTakeBuyer, OriginalDevices: originalDevices, TimeZone: timeZone } = taxpayer;
  const defaults = { ...hsColumns(DefaultHsCodes), notesTakeBuyer, originalDevices, timeZone };
  const change = { name, tin, vatNumber, currencies, suspendedAt: taxpayer.SuspendedAt, ...defaults };
  return update(tx, 'taxpayers', { taxpayerId }, change);
}

const hsColumns = (codes: Taxpayer['DefaultHsCodes'] | undefined) => ({
  defaultHsTaxed: codes?.Taxed,
  defaultHsZeroRated: codes?.ZeroRated,
  defaultHsExempt: codes?.Exempt,
});

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
