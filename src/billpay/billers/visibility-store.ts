import type { Queryable, Transaction } from '../../platform/database/database.ts';
import { upsert } from '../../platform/database/rows.ts';

/** Those of the codes that exist and that this vendor may see. To the vendor the others do not exist. */
export async function findVisible(
  db: Queryable,
  vendorId: string,
  codes: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await db.query<{ billerCode: string }>({
    name: 'find-visible-billers',
    text: 'select biller_code as "billerCode" from vendor_billers where vendor_id = $1 and biller_code = any($2) and is_visible',
    values: [vendorId, codes],
  });
  return new Set(rows.map(({ billerCode }) => billerCode));
}

/** The codes a vendor sees, in order. */
export async function listVisible(db: Queryable, vendorId: string): Promise<string[]> {
  const { rows } = await db.query<{ billerCode: string }>(
    'select biller_code as "billerCode" from vendor_billers where vendor_id = $1 and is_visible order by biller_code collate "C"',
    [vendorId],
  );
  return rows.map(({ billerCode }) => billerCode);
}

/** The vendors that see the biller now. */
export async function findViewers(db: Queryable, billerCode: string): Promise<string[]> {
  const { rows } = await db.query<{ vendorId: string }>(
    'select vendor_id as "vendorId" from vendor_billers where biller_code = $1 and is_visible order by vendor_id',
    [billerCode],
  );
  return rows.map(({ vendorId }) => vendorId);
}

/** `withdrawn` is what the vendor is shown from now on, where it does not see the biller any more. */
export async function writeVisibility(
  tx: Transaction,
  vendorId: string,
  billerCode: string,
  withdrawn: string | undefined,
  changedAt: Date,
): Promise<void> {
  const row = { isVisible: withdrawn === undefined, withdrawnConfiguration: withdrawn, changedAt };
  await upsert(tx, 'vendor_billers', { vendorId, billerCode }, row);
}

export interface BillerFilter {
  readonly vendorId: string;
  readonly codes: readonly string[] | undefined;
  /** Inclusive. With it, billers that were withdrawn since are listed too. */
  readonly changedSince: Date | undefined;
}

/** What a vendor is shown, and the last change of all it may know of, seen in the same moment. */
export async function listForVendor(
  db: Queryable,
  filter: BillerFilter,
): Promise<{ readonly configurations: readonly string[]; readonly asOf: Date | undefined }> {
  const { rows } = await db.query<{ configuration: string | null; asOf: Date | null }>({
    name: 'list-billers-for-vendor',
    text: `with known as (
             select biller_code, is_visible,
                    case when is_visible then b.configuration else v.withdrawn_configuration end as configuration,
                    case when is_visible then greatest(b.changed_at, v.changed_at) else v.changed_at end as changed_at
               from vendor_billers v join billers b using (biller_code) where v.vendor_id = $1)
           select k.configuration, newest."asOf"
             from (select max(changed_at) as "asOf" from known) newest
             left join known k on ($2::text[] is null or k.biller_code = any($2))
                              and (case when $3::timestamptz is null then k.is_visible else k.changed_at >= $3 end)
            order by k.biller_code collate "C"`,
    values: [filter.vendorId, filter.codes, filter.changedSince],
  });
  return {
    configurations: rows.flatMap((row) => (row.configuration === null ? [] : [row.configuration])),
    asOf: rows[0]?.asOf ?? undefined,
  };
}
