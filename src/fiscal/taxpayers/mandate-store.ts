import type { Transaction } from '../../platform/database/database.ts';

/** Whether it was not so before, and there is such a practice. */
export async function insertMandate(tx: Transaction, practiceId: string, taxpayerId: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    `insert into practice_taxpayers (practice_id, taxpayer_id)
     select practice_id, $2 from practices where practice_id = $1 on conflict do nothing`,
    [practiceId, taxpayerId],
  );
  return rowCount === 1;
}

export async function removeMandate(tx: Transaction, practiceId: string, taxpayerId: string): Promise<boolean> {
  const { rowCount } = await tx.query('delete from practice_taxpayers where practice_id = $1 and taxpayer_id = $2', [
    practiceId,
    taxpayerId,
  ]);
  return rowCount === 1;
}
