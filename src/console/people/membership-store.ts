import type { Membership } from '../../contract/console/session.ts';
import type { Role } from '../../contract/shared/values.ts';
import type { Queryable, Transaction } from '../../platform/database/database.ts';
import { update } from '../../platform/database/rows.ts';
import type { Tenant } from './core/tenant.ts';
import { MEMBER, type MemberRecord } from './store.ts';

/** Newest people first; ids are ordered by time. */
export async function listMembers(
  db: Queryable,
  { kind, id }: Tenant,
  before: string | undefined,
  limit: number,
): Promise<MemberRecord[]> {
  const { rows } = await db.query<MemberRecord>(
    `select ${MEMBER} from memberships m join people p using (person_id)
      where m.tenant_kind = $1 and m.tenant_id = $2 and ($3::uuid is null or person_id < $3)
      order by person_id desc limit $4`,
    [kind, id, before, limit],
  );
  return rows;
}

/** Of one tenant one after another, so that the last two owners cannot both leave. */
export async function lockMembers(tx: Transaction, { kind, id }: Tenant): Promise<MemberRecord[]> {
  const { rows } = await tx.query<MemberRecord>(
    `select ${MEMBER} from memberships m join people p using (person_id)
      where m.tenant_kind = $1 and m.tenant_id = $2 order by person_id for update`,
    [kind, id],
  );
  return rows;
}

interface MembershipTerms {
  readonly role: Role;
  readonly expiresAt: Date | null;
}

/** False when the person is one of the tenant's already, by hand. What a claim granted becomes what a person has given. */
export async function insertMembership(
  tx: Transaction,
  personId: string,
  { kind, id }: Tenant,
  { role, expiresAt }: MembershipTerms,
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `insert into memberships (person_id, tenant_kind, tenant_id, role, expires_at) values ($1, $2, $3, $4, $5)
     on conflict (person_id, tenant_kind, tenant_id) do update set role = $4, expires_at = $5, issuer = null
      where memberships.issuer is not null`,
    [personId, kind, id, role, expiresAt],
  );
  return rowCount === 1;
}

export function updateMembership(
  tx: Transaction,
  personId: string,
  { kind, id }: Tenant,
  { role, expiresAt }: MembershipTerms,
): Promise<void> {
  return update(tx, 'memberships', { personId, tenantKind: kind, tenantId: id }, { role, expiresAt });
}

export async function removeMembership(tx: Transaction, personId: string, { kind, id }: Tenant): Promise<void> {
  await tx.query('delete from memberships where person_id = $1 and tenant_kind = $2 and tenant_id = $3', [
    personId,
    kind,
    id,
  ]);
}

/** The installation first, then in the order in which they were given; what a provider granted only with its issuer. */
export async function listMemberships(
  db: Queryable,
  personId: string,
  now: Date,
  issuer: string | null,
): Promise<Membership[]> {
  const { rows } = await db.query<Membership>(
    `select tenant_kind as "Kind", nullif(tenant_id, '') as "Id", role as "Role", ${nameOf('m.tenant_kind', 'm.tenant_id')} as "Name"
       from memberships m
      where person_id = $1 and (expires_at is null or expires_at > $2) and (issuer is null or issuer = $3)
      order by tenant_kind <> 'installation', created_at, tenant_id`,
    [personId, now, issuer],
  );
  return rows;
}

/** Undefined: there is no such tenant. */
export async function findTenantName(db: Queryable, { kind, id }: Tenant): Promise<string | undefined> {
  const { rows } = await db.query<{ name: string | null }>(`select ${nameOf('$1::text', '$2::text')} as name`, [
    kind,
    id,
  ]);
  return rows[0]?.name ?? undefined;
}

/** What its people see of it beside its name. */
export async function findTenantFacts(
  db: Queryable,
  { kind, id }: Tenant,
): Promise<{ readonly isSuspended: boolean; readonly timeZone: string | null }> {
  if (kind !== 'taxpayer' && kind !== 'vendor') return { isSuspended: false, timeZone: null };
  const { rows } = await db.query<{ isSuspended: boolean; timeZone: string | null }>(
    `select suspended_at is not null as "isSuspended", ${kind === 'taxpayer' ? 'time_zone' : 'null'} as "timeZone"
       from ${kind}s where ${kind}_id = $1::uuid`,
    [id],
  );
  return rows[0] ?? { isSuspended: false, timeZone: null };
}

function nameOf(kind: string, id: string): string {
  return `case ${kind}
    when 'installation' then 'Installation'
    when 'taxpayer' then (select name from taxpayers where taxpayer_id::text = ${id})
    when 'vendor' then (select name from vendors where vendor_id::text = ${id})
    when 'biller' then (select configuration::jsonb ->> 'Name' from billers where biller_code = ${id})
    when 'practice' then (select name from practices where practice_id::text = ${id}) end`;
}
