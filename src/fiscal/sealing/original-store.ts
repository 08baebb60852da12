import type { NumberHere, Original, UncountedNote } from '../../fdms/index.ts';
import { decimal, ZERO } from '../../kernel/decimal.ts';
import { parseWall } from '../../kernel/zone.ts';
import type { Queryable, Transaction } from '../../platform/database/database.ts';
import type { ReferenceKey } from '../sealed/store.ts';
import { taxesOfText } from '../sealed/stored-taxes.ts';

type OriginalRow = Omit<Original, 'total' | 'wallSeconds' | 'taxes' | 'notesTotal' | 'uncounted'> & {
  readonly taxpayerId: string;
  readonly total: string;
  readonly signedDate: string;
  readonly taxes: string;
  readonly notesTotal: string | null;
  readonly uncounted: string | null;
};

/**
 * Where a note stands at the authority; unknown where that has it and its answer, with the remarks, was lost. On its own, so that
 * it is looked up by its key whatever the tables hold.
 */
const STANDING = `(select case when s.worst_colour in ('Red', 'Grey') then s.worst_colour
                               when s.state = 'Submitted' and s.authority_receipt_id is null then 'Unknown'
                               else s.state end
    from submissions s
   where s.taxpayer_id = n.taxpayer_id and s.device_id = n.device_id and s.global_counter = n.global_counter)`;

/**
 * The originals of notes, locked so that two notes cannot both take the last cent. What earlier notes took is summed by a
 * second statement: it starts after the lock was acquired, and so sees what the previous holder committed.
 *
 * A credit note counts as long as the authority may have it or get it; a debit note only once the authority has it and found
 * nothing wrong with it. A note that was sealed before the receipt is none of it: it named the number as one of another system,
 * before the device was registered here. So whatever order notes of several devices arrive in, none arrives before what allows it: the newest
 * of those that are there was sealed when all of them counted, and what they needed was there before it.
 */
export async function lockOriginals(tx: Transaction, keys: readonly ReferenceKey[]): Promise<FoundOriginal[]> {
  await tx.query({
    name: 'lock-originals',
    text: `select 1 from receipts r
            where (r.taxpayer_id, r.reference) in (select * from unnest($1::uuid[], $2::text[]))
            order by r.taxpayer_id, r.reference
              for no key update`,
    values: valuesOf(keys),
  });
  return readOriginals(tx, keys);
}

export interface FoundOriginal {
  readonly taxpayerId: string;
  readonly original: Original;
}

const valuesOf = (keys: readonly ReferenceKey[]) => [
  keys.map((key) => key.taxpayerId),
  keys.map((key) => key.reference),
];

/** As they are at this moment. */
export async function readOriginals(db: Queryable, keys: readonly ReferenceKey[]): Promise<FoundOriginal[]> {
  const { rows } = await db.query<OriginalRow>({
    name: 'read-originals',
    text: `select r.taxpayer_id as "taxpayerId", r.reference, r.device_id as "deviceId", r.fiscal_day_number as "fiscalDayNumber",
                  r.global_counter as "globalCounter", r.type, r.currency, r.total, r.signed_date as "signedDate", r.taxes,
                  coalesce(s.state, 'Pending') as "submissionState", notes.total as "notesTotal", notes.uncounted
             from receipts r left join submissions s using (taxpayer_id, device_id, global_counter),
                  lateral (
                    select sum(c.total) filter (where c.counts) as total,
                           jsonb_agg(jsonb_build_object('reference', c.reference, 'total', c.total::text, 'standing', c.standing)
                                     order by c.reference)
                             filter (where c.type = 'DebitNote' and not c.counts) as uncounted
                      from (select n.*, case n.type when 'DebitNote' then n.standing = 'Submitted'
                                                    else n.standing <> 'Undeliverable' end as counts
                              from (select n.reference, n.type, n.total, coalesce(${STANDING}, 'Pending') as standing
                                      from receipts n
                                     where n.original_device_id = r.device_id
                                       and n.original_global_counter = r.global_counter
                                       and n.taxpayer_id is not distinct from r.taxpayer_id
                                       and (n.event_number < r.event_number) is not true
                                    offset 0) n) c) notes
            where (r.taxpayer_id, r.reference) in (select * from unnest($1::uuid[], $2::text[]))`,
    values: valuesOf(keys),
  });
  return rows.map((row) => ({ taxpayerId: row.taxpayerId, original: originalOfRow(row) }));
}

/**
 * What is known here of a number that a note gives for a receipt of another system. Undefined when the device is none that this
 * taxpayer has registered here: a device of another taxpayer answers as one that does not exist.
 */
export async function findNumberHere(
  db: Queryable,
  taxpayerId: string,
  deviceId: number,
  globalCounter: number,
): Promise<NumberHere | 'unlisted' | undefined> {
  const { rows } = await db.query<{ registeredCounter: number | null; reference: string | null; isListed: boolean }>({
    name: 'find-number-here',
    text: `select d.registered_counter as "registeredCounter",
                  d.device_id is not null or coalesce($2 = any (t.original_devices), true) as "isListed",
                  (select r.reference from receipts r
                    where r.taxpayer_id = $1 and r.device_id = $2 and r.global_counter = $3) as reference
             from taxpayers t left join devices d on d.taxpayer_id = t.taxpayer_id and d.device_id = $2
            where t.taxpayer_id = $1`,
    values: [taxpayerId, deviceId, globalCounter],
  });
  const { registeredCounter = null, reference, isListed = true } = rows[0] ?? {};
  if (registeredCounter !== null) return { registeredCounter, sealedAs: reference ?? undefined };
  return isListed ? undefined : 'unlisted';
}

function originalOfRow({ taxpayerId: _taxpayerId, signedDate, ...row }: OriginalRow): Original {
  return {
    ...row,
    total: decimal(row.total),
    wallSeconds: parseWall(signedDate) ?? Number.NaN,
    taxes: taxesOfText(row.taxes),
    notesTotal: row.notesTotal === null ? ZERO : decimal(row.notesTotal),
    uncounted: row.uncounted === null ? [] : uncountedOfText(row.uncounted),
  };
}

function uncountedOfText(text: string): UncountedNote[] {
  const notes = JSON.parse(text) as { reference: string; total: string; standing: UncountedNote['standing'] }[];
  return notes.map((note) => ({ ...note, total: decimal(note.total) }));
}
