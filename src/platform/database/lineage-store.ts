import type { Lineage, Seen } from './choose-primary.ts';
import type { Queryable, Transaction } from './database.ts';
import { update, upsert } from './rows.ts';

/** Whether a standby was promoted since this installation last noted where it works, or may have been. */
export async function isNewTimeline(db: Queryable, { systemId = '', timeline }: Lineage): Promise<boolean> {
  const { rows } = await db.query<{ isNew: boolean }>(
    `select count(*) > 0 and not coalesce(bool_or(system_identifier = $1 and timeline = $2 and given_up_at is null), false) as "isNew"
       from database_timelines`,
    [systemId, timeline],
  );
  return timeline === undefined || rows[0]?.isNew === true;
}

/** A number that was given up may come again, for a standby of the server that was accepted. */
export async function noteTimeline(db: Queryable, { systemId = '', timeline }: Lineage): Promise<void> {
  await db.query(
    `insert into database_timelines as t (system_identifier, timeline) values ($1, coalesce($2, 0))
     on conflict (system_identifier, timeline) do update set given_up_at = null where t.given_up_at is not null`,
    [systemId, timeline],
  );
}

/** This database is the one to go on with, whatever was in use before: all others lack this mark. */
export async function acceptLineage(tx: Transaction, server: Lineage, { inUse, servers }: Seen): Promise<void> {
  const at = new Date(server.markedAt);
  if (inUse !== undefined) {
    const before = { systemIdentifier: inUse, timeline: servers[inUse]?.timeline };
    await upsert(tx, 'database_timelines', before, { givenUpAt: at });
  }
  await noteTimeline(tx, server);
  const accepted = { systemIdentifier: server.systemId ?? '', timeline: server.timeline ?? 0 };
  await update(tx, 'database_timelines', accepted, { acceptedAt: at });
}
