import type { NEEDS, OwnSession } from '../../contract/console/session.ts';
import type { Role, TenantKind } from '../../contract/shared/values.ts';
import { type Queryable, UNHURRIED } from '../../platform/database/database.ts';
import { insert, update } from '../../platform/database/rows.ts';
import type { Standing, Tenant } from './core/tenant.ts';

/** Somebody who is logged in, and whom they act for. */
export interface Session extends Standing {
  readonly sessionHash: Buffer;
  readonly personId: string;
  readonly email: string;
  readonly name: string;
  /** An operator, in the place of a tenant's viewer. */
  readonly isLooking: boolean;
  /** Before it can be used; null: it can. */
  readonly needs: (typeof NEEDS)[number] | null;
  /** The OpenID provider by which it came; null: by a password. */
  readonly issuer: string | null;
  readonly expiresAt: Date;
}

/** Unused for this long, or this old, and it is over. */
const IDLE_SECONDS = 2 * 3600;
export const MAX_SECONDS = 12 * 3600;
/** How exactly it is known when a session was last used: a write per request would be too dear. */
const SEEN_SECONDS = 60;

interface NewSession {
  readonly sessionHash: Buffer;
  readonly personId: string;
  readonly tenant: Tenant;
  readonly at: Date;
  readonly expiresAt: Date;
  readonly issuer?: string | null;
  readonly browser?: string | undefined;
}

export async function insertSession(
  db: Queryable,
  { tenant: { kind, id }, at, ...session }: NewSession,
): Promise<void> {
  await insert(db, 'sessions', { ...session, tenantKind: kind, tenantId: id, startedAt: at, seenAt: at });
}

/**
 * What person $1 may do for tenant $2, $3 at the time $4, the best of it: as a member, for a practice, or looking in as an operator. What a
 * provider granted is good for sessions that came by it ($5): only they are asked again what it still grants.
 */
const standing = (person: string, kind: string, id: string, at: string, issuer: string) => `with good as (
    select m.tenant_kind, m.tenant_id, m.role from memberships m
     where m.person_id = ${person} and (m.expires_at is null or m.expires_at > ${at}) and (m.issuer is null or m.issuer = ${issuer})
  ) select role, is_looking from (
    select m.role, false as is_looking, 1 as rank from good m where m.tenant_kind = ${kind} and m.tenant_id = ${id}
    union all
    select m.role, false, 2 from practice_taxpayers t
      join good m on m.tenant_kind = 'practice' and m.tenant_id = t.practice_id::text
     where ${kind} = 'taxpayer' and t.taxpayer_id::text = ${id}
    union all
    select 'viewer', true, 3 from good m where ${kind} <> 'installation' and m.tenant_kind = 'installation'
  ) every order by rank, array_position(array['owner', 'clerk', 'viewer'], role) limit 1`;

/** Undefined: the person may do nothing there. */
export async function findStanding(
  db: Queryable,
  personId: string,
  { kind, id }: Tenant,
  now: Date,
  issuer: string | null,
): Promise<{ readonly role: Role; readonly isLooking: boolean } | undefined> {
  const { rows } = await db.query<{ role: Role; is_looking: boolean }>(
    standing('$1::uuid', '$2::text', '$3::text', '$4::timestamptz', '$5::text'),
    [personId, kind, id, now, issuer],
  );
  return rows[0] && { role: rows[0].role, isLooking: rows[0].is_looking };
}

const HAS_FACTOR =
  '(p.totp_confirmed_at is not null or exists (select from passkeys k where k.person_id = p.person_id))';

/** Whoever belongs to somebody who requires a second factor has to have one, for whomever they act. */
const REQUIRED = `select from second_factor_rules r
  where r.tenant_kind = 'everybody' or (r.tenant_kind, r.tenant_id) = (s.tenant_kind, s.tenant_id)
     or exists (select from memberships m where m.person_id = p.person_id and (m.tenant_kind, m.tenant_id) = (r.tenant_kind, r.tenant_id))`;

type SessionRow = Omit<Session, 'sessionHash' | 'tenant'> & { kind: TenantKind; id: string; seenAt: Date };

/** A session is over, too, once its person may do nothing any more for whom it acts, or the provider it came by is not in use (`issuer`). */
export async function findSession(
  db: Queryable,
  sessionHash: Buffer,
  now: Date,
  issuer: string | undefined,
): Promise<Session | undefined> {
  const { rows } = await db.query<SessionRow>({
    name: 'find-session',
    text: `select p.person_id as "personId", p.email, p.name, case when not s.is_proven and ${HAS_FACTOR} then 'SecondFactor'
                       when p.must_change_password then 'Password'
                       when exists (${REQUIRED}) and not ${HAS_FACTOR} then 'Enrolment' end as needs,
                  s.tenant_kind as kind, s.tenant_id as id, may.role, may.is_looking as "isLooking",
                  s.issuer, s.expires_at as "expiresAt", s.seen_at as "seenAt"
             from sessions s join people p using (person_id)
             cross join lateral (${standing('s.person_id', 's.tenant_kind', 's.tenant_id', '$2', 's.issuer')}) may
            where s.session_hash = $1 and s.expires_at > $2 and s.seen_at > $2::timestamptz - make_interval(secs => $3)
              and p.disabled_at is null and (s.issuer is null or s.issuer = $4)`,
    values: [sessionHash, now, IDLE_SECONDS, issuer],
  });
  const row = rows[0];
  if (row === undefined) return undefined;
  const { seenAt, kind, id, ...found } = row;
  if (now.getTime() - seenAt.getTime() > SEEN_SECONDS * 1000) {
    await db.query(`update sessions set seen_at = $2 from ${UNHURRIED} where session_hash = $1 and seen_at < $2`, [
      sessionHash,
      now,
    ]);
  }
  return { sessionHash, ...found, tenant: { kind, id } };
}

export async function switchSession(db: Queryable, sessionHash: Buffer, { kind, id }: Tenant): Promise<void> {
  await update(db, 'sessions', { sessionHash }, { tenantKind: kind, tenantId: id });
}

/** Its name for people: half of the hash of what the cookie has, which leads back to nothing. */
const SESSION_ID = "encode(substring(session_hash for 16), 'hex')";

export async function listSessions(
  db: Queryable,
  { personId, sessionHash }: Session,
  now: Date,
): Promise<OwnSession[]> {
  const { rows } = await db.query<
    Omit<OwnSession, 'StartedAt' | 'SeenAt' | 'ExpiresAt'> & Record<'started' | 'seen' | 'ends', Date>
  >(
    `select ${SESSION_ID} as "SessionId", started_at as started, seen_at as seen, expires_at as ends, browser as "Browser",
            session_hash = $2 as "IsThis"
       from sessions where person_id = $1 and expires_at > $3 and seen_at > $3::timestamptz - make_interval(secs => $4)
      order by started_at desc`,
    [personId, sessionHash, now, IDLE_SECONDS],
  );
  return rows.map(({ started, seen, ends, ...row }) => ({
    ...row,
    StartedAt: started.toISOString(),
    SeenAt: seen.toISOString(),
    ExpiresAt: ends.toISOString(),
  }));
}

export async function endOwnSession(db: Queryable, personId: string, sessionId: string): Promise<number> {
  const { rowCount } = await db.query(`delete from sessions where person_id = $1 and ${SESSION_ID} = $2`, [
    personId,
    sessionId,
  ]);
  return rowCount ?? 0;
}

export async function endSession(db: Queryable, sessionHash: Buffer): Promise<number> {
  const { rowCount } = await db.query('delete from sessions where session_hash = $1', [sessionHash]);
  return rowCount ?? 0;
}

/** All sessions of a person, or all but the one given. */
export async function endSessions(db: Queryable, personId: string, except?: Buffer): Promise<number> {
  const { rowCount } = await db.query(
    'delete from sessions where person_id = $1 and ($2::bytea is null or session_hash <> $2)',
    [personId, except],
  );
  return rowCount ?? 0;
}

export async function removeEndedSessions(db: Queryable, now: Date): Promise<void> {
  await db.query('delete from sessions where expires_at <= $1', [now]);
}
