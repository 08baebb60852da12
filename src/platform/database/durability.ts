import type { Log } from '../logging/log.ts';
import { StartRefusal } from '../start-refusal.ts';
import type { Queryable } from './database.ts';

/**
 * A seal leaves the process once its commit is durable: otherwise the next loss of power takes receipts that customers hold, and
 * their numbers are used twice. A server can be configured like that, for example with settings copied from a benchmark.
 */
export async function refuseUnsafeDatabase(db: Queryable, isAllowed: boolean, log: Log): Promise<void> {
  const { rows } = await db.query<{ name: string }>(
    "select name from pg_settings where name in ('fsync', 'full_page_writes') and setting = 'off' order by 1",
  );
  if (rows.length === 0) return;
  const found = rows.map(({ name }) => `${name} = off`).join(' and ');
  if (!isAllowed) {
    throw new StartRefusal(
      `The database server is set to ${found}: a loss of power would take receipts that customers hold. Switch it on, or set ALLOW_UNSAFE_DATABASE=true where its storage makes up for that, or where nothing in it matters.`,
    );
  }
  log.warn(
    { settings: found },
    'the database does not promise to keep what it has confirmed: ALLOW_UNSAFE_DATABASE is set',
  );
}
