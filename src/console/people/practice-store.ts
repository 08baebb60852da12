import type { Queryable, Transaction } from '../../platform/database/database.ts';

export interface PracticeRecord {
  readonly practiceId: string;
  readonly name: string;
  readonly createdAt: Date;
}

const PRACTICE = 'practice_id as "practiceId", name, created_at as "createdAt"';

/** Newest first. */
export async function listPractices(
  db: Queryable,
  before: string | undefined,
  limit: number,
): Promise<PracticeRecord[]> {
  const { rows } = await db.query<PracticeRecord>(
    `select ${PRACTICE} from practices where $1::uuid is null or practice_id < $1 order by practice_id desc limit $2`,
    [before, limit],
  );
  return rows;
}

export async function insertPractice(tx: Transaction, practice: PracticeRecord): Promise<void> {
  await tx.query('insert into practices (practice_id, name, created_at) values ($1, $2, $3)', [
    practice.practiceId,
    practice.name,
    practice.createdAt,
  ]);
}
