import type { Queryable, Transaction } from '../../../platform/database/database.ts';
import type { Standing } from '../core/tenant.ts';
import { PERSON, type PersonRecord } from '../store.ts';

/** Of the provider that is in use; what was linked with another one stays, and opens nothing. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
}

export async function findByIdentity(db: Queryable, { issuer, subject }: Identity): Promise<PersonRecord | undefined> {
  const { rows } = await db.query<PersonRecord>(
    `select ${PERSON} from identities i join people p using (person_id) where i.issuer = $1 and i.subject = $2`,
    [issuer, subject],
  );
  return rows[0];
}

export async function isLinked(db: Queryable, personId: string, issuer: string | undefined): Promise<boolean> {
  const { rowCount } = await db.query('select from identities where person_id = $1 and issuer = $2', [
    personId,
    issuer,
  ]);
  return rowCount === 1;
}

/** False when either is linked already. */
export async function insertIdentity(
  tx: Transaction,
  personId: string,
  { issuer, subject }: Identity,
  at: Date,
): Promise<boolean> {
  const { rowCount } = await tx.query(
    'insert into identities (issuer, subject, person_id, linked_at) values ($1, $2, $3, $4) on conflict do nothing',
    [issuer, subject, personId, at],
  );
  return rowCount === 1;
}

/** With the sessions and memberships that came by it. */
export async function removeIdentity(tx: Transaction, personId: string, issuer: string): Promise<void> {
  for (const table of ['identities', 'memberships', 'sessions'])
    await tx.query(`delete from ${table} where person_id = $1 and issuer = $2`, [personId, issuer]);
}

const CHANGED = `tenant_kind as kind, tenant_id as id, role`;

interface ChangedRow {
  readonly kind: Standing['tenant']['kind'];
  readonly id: string;
  readonly role: Standing['role'];
}

const standingOf = ({ kind, id, role }: ChangedRow): Standing => ({ tenant: { kind, id }, role });

/** Makes what a provider has granted to a person that, and no more. What was given by hand stays as it is. */
export async function replaceGrants(
  tx: Transaction,
  personId: string,
  issuer: string,
  grants: readonly Standing[],
): Promise<{ readonly granted: readonly Standing[]; readonly taken: readonly Standing[] }> {
  const given = [
    personId,
    issuer,
    grants.map(({ tenant }) => tenant.kind),
    grants.map(({ tenant }) => tenant.id),
    grants.map(({ role }) => role),
  ];
  const taken = await tx.query<ChangedRow>(
    `delete from memberships where person_id = $1 and issuer = $2
        and (tenant_kind, tenant_id) not in (select * from unnest($3::text[], $4::text[])) returning ${CHANGED}`,
    given.slice(0, 4),
  );
  const granted = await tx.query<ChangedRow>(
    `insert into memberships (person_id, issuer, tenant_kind, tenant_id, role)
     select $1, $2, * from unnest($3::text[], $4::text[], $5::text[])
     on conflict (person_id, tenant_kind, tenant_id) do update set role = excluded.role, issuer = $2, expires_at = null
      where memberships.issuer is not null and (memberships.issuer, memberships.role) is distinct from ($2, excluded.role)
     returning ${CHANGED}`,
    given,
  );
  return { granted: granted.rows.map(standingOf), taken: taken.rows.map(standingOf) };
}
