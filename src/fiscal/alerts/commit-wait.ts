import { type Queryable, UNHURRIED } from '../../platform/database/database.ts';
import { INSTALLATION_ID } from '../../platform/events/feed.ts';

/** The alert CommitsWait, which is written without waiting for the standby that it is about. */
export interface CommitWait {
  /** When commits began to wait. */
  readonly since: Date;
  /** When people are told next; null: they were not told yet. */
  readonly tellAt: Date | null;
}

const MESSAGE =
  'The database does not confirm commits: it waits for a standby that is away. Nothing new is answered until it is back, or until its name is removed from synchronous_standby_names. Devices that are out of use for more than 8 hours have to be reported to the authority: the console has the texts, under Alerts.';
const OPEN = `tenant_id = '${INSTALLATION_ID}' and kind = 'CommitsWait' and cleared_at is null`;

/** The one that lasts, whichever instance has raised it. */
export async function findCommitWait(db: Queryable): Promise<CommitWait | undefined> {
  const { rows } = await db.query<CommitWait>(`select since, tell_at as "tellAt" from alerts where ${OPEN}`);
  return rows[0];
}

/** Raised once, and again where the server that had it is lost. Nobody who holds the row is waited for. */
export async function keepCommitWait(db: Queryable, { since, tellAt }: CommitWait): Promise<void> {
  await db.query(
    `insert into alerts (kind, message, since, raised_at, tell_at)
     select 'CommitsWait', $1, $2::timestamptz, $2, $3::timestamptz from ${UNHURRIED}
      where not exists (select from alerts where kind = 'CommitsWait' and since = $2)
     on conflict (tenant_id, device_id, kind, what) where cleared_at is null do nothing`,
    [MESSAGE, since, tellAt],
  );
}

export async function endCommitWait(db: Queryable, now: Date): Promise<void> {
  await db.query(`update alerts set cleared_at = $1 from ${UNHURRIED} where ${OPEN}`, [now]);
}
