import type { Pool } from 'pg';
import { insertMandate } from '../../fiscal/index.ts';
import { newId } from '../../kernel/ids.ts';
import { inTransaction, type Queryable, type Transaction } from '../../platform/database/database.ts';
import { insert } from '../../platform/database/rows.ts';

export interface PracticeRecord {
  readonly practiceId: string;
  readonly name: string;
  readonly createdAt: Date;
}

const PRACTICE = 'practice_id as "practiceId", name, created_at as "createdAt"';

/** Newest first; of a taxpayer those that look after it. */
export async function listPractices(
  db: Queryable,
  { taxpayerId, before }: { readonly taxpayerId?: string | undefined; readonly before?: string | undefined },
  limit: number,
): Promise<PracticeRecord[]> {
  const { rows } = await db.query<PracticeRecord>(
    `select ${PRACTICE} from practices
      where ($1::uuid is null or practice_id < $1)
        and ($2::uuid is null or practice_id in (select practice_id from practice_taxpayers where taxpayer_id = $2))
      order by practice_id desc limit $3`,
    [before, taxpayerId, limit],
  );
  return rows;
}

export async function insertPractice(tx: Transaction, { practiceId, name, createdAt }: PracticeRecord): Promise<void> {
  await insert(tx, 'practices', { practiceId, name, createdAt });
}

/** Whether it is there; what is done for it comes one after another. */
export async function lockPractice(tx: Transaction, practiceId: string): Promise<boolean> {
  const { rowCount } = await tx.query('select from practices where practice_id = $1 for update', [practiceId]);
  return rowCount === 1;
}

/** The taxpayer with this TIN that the practice looks after. */
export async function findClient(tx: Transaction, practiceId: string, tin: string): Promise<string | undefined> {
  const { rows } = await tx.query<{ taxpayerId: string }>(
    `select taxpayer_id as "taxpayerId" from practice_taxpayers join taxpayers using (taxpayer_id)
      where practice_id = $1 and tin = $2 order by taxpayer_id limit 1`,
    [practiceId, tin],
  );
  return rows[0]?.taxpayerId;
}

const LOOKED_AT = 200;

/** The practice of this name, made where there is none, and its mandate for the taxpayer. */
export function ensurePractice(pool: Pool, name: string, taxpayerId: string, at: Date): Promise<string> {
  return inTransaction(pool, async (tx) => {
    const known = (await listPractices(tx, {}, LOOKED_AT)).find((practice) => practice.name === name);
    const practiceId = known?.practiceId ?? newId();
    if (known === undefined) await insertPractice(tx, { practiceId, name, createdAt: at });
    await insertMandate(tx, practiceId, taxpayerId);
    return practiceId;
  });
}
