import type { Office } from '../world/site.ts';

/**
 * An operator who resumes what is paused. And time that passes: the pauses after the second failure are longer than a run, so they are over
 * at once. Returns how many were resumed.
 */
export async function tendEndpoints({ database, admin }: Office): Promise<number> {
  const { rows } = await database.pool.query<{ id: string }>(
    `with passed as (update endpoints set next_attempt_at = now() where next_attempt_at > now() + interval '8 seconds')
     select endpoint_id as id from endpoints where state = 'Paused'`,
  );
  for (const { id } of rows) await admin.call('POST', `endpoints/${id}/resume`, {});
  return rows.length;
}
