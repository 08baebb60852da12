import type { Role } from '../../contract/console/operator.ts';
import { type Queryable, UNHURRIED } from '../../platform/database/database.ts';

/** An operator who is logged in. */
export interface Session {
  readonly sessionHash: Buffer;
  readonly operatorId: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly mustChangePassword: boolean;
  readonly expiresAt: Date;
}

/** Unused for this long, or this old, and it is over. */
const IDLE_SECONDS = 2 * 3600;
export const MAX_SECONDS = 12 * 3600;
/** How exactly it is known when a session was last used: a write per request would be too dear. */
const SEEN_SECONDS = 60;

export async function insertSession(
  db: Queryable,
  session: { readonly sessionHash: Buffer; readonly operatorId: string; readonly at: Date; readonly expiresAt: Date },
): Promise<void> {
  await db.query(
    `insert into operator_sessions (session_hash, operator_id, started_at, seen_at, expires_at) values ($1, $2, $3, $3, $4)`,
    [session.sessionHash, session.operatorId, session.at, session.expiresAt],
  );
}

export async function findSession(db: Queryable, sessionHash: Buffer, now: Date): Promise<Session | undefined> {
  const { rows } = await db.query<Omit<Session, 'sessionHash'> & { seenAt: Date }>({
    name: 'find-session',
    text: `select o.operator_id as "operatorId", o.email, o.name, o.role, o.must_change_password as "mustChangePassword",
                  s.expires_at as "expiresAt", s.seen_at as "seenAt"
             from operator_sessions s join operators o using (operator_id)
            where s.session_hash = $1 and s.expires_at > $2 and s.seen_at > $2::timestamptz - make_interval(secs => $3)
              and o.disabled_at is null`,
    values: [sessionHash, now, IDLE_SECONDS],
  });
  const row = rows[0];
  if (row === undefined) return undefined;
  const { seenAt, ...found } = row;
  if (now.getTime() - seenAt.getTime() > SEEN_SECONDS * 1000) {
    await db.query(
      `update operator_sessions set seen_at = $2 from ${UNHURRIED} where session_hash = $1 and seen_at < $2`,
      [sessionHash, now],
    );
  }
  return { sessionHash, ...found };
}

export async function endSession(db: Queryable, sessionHash: Buffer): Promise<number> {
  const { rowCount } = await db.query('delete from operator_sessions where session_hash = $1', [sessionHash]);
  return rowCount ?? 0;
}

/** All sessions of an operator, or all but the one given. */
export async function endSessions(db: Queryable, operatorId: string, except?: Buffer): Promise<number> {
  const { rowCount } = await db.query(
    'delete from operator_sessions where operator_id = $1 and ($2::bytea is null or session_hash <> $2)',
    [operatorId, except],
  );
  return rowCount ?? 0;
}

export async function removeEndedSessions(db: Queryable, now: Date): Promise<void> {
  await db.query('delete from operator_sessions where expires_at <= $1', [now]);
}
