import type { Pool } from 'pg';
import type { Person } from '../../contract/console/person.ts';
import type { Role } from '../../contract/shared/values.ts';
import { newId } from '../../kernel/ids.ts';
import { recordAudit } from '../../platform/database/audit.ts';
import { inTransaction } from '../../platform/database/database.ts';
import { canonicalEmail } from './core/password-rules.ts';
import type { Tenant } from './core/tenant.ts';
import { insertMembership } from './membership-store.ts';
import { hashPassword } from './passwords.ts';
import { findByEmail, insertPerson, type MemberRecord } from './store.ts';

export interface PersonRequest {
  readonly email: string;
  readonly name: string;
  readonly tenant: Tenant;
  readonly role: Role;
  readonly expiresAt?: Date | null;
  /** Not used for who is known already. */
  readonly password: string;
  /** Whether the password is only for the first log-in. */
  readonly mustChangePassword: boolean;
}

export interface Added {
  readonly person: Person;
  /** Known before: name and password stay. */
  readonly isKnown: boolean;
}

/** Undefined when the person is one of the tenant's already. */
export async function addPerson(pool: Pool, actor: string, request: PersonRequest): Promise<Added | undefined> {
  const { name, tenant, role, expiresAt = null, mustChangePassword } = request;
  const email = canonicalEmail(request.email);
  // Before the transaction: it is expensive on purpose.
  const isKnown = (await findByEmail(pool, email)) !== undefined;
  const passwordHash = isKnown ? '' : await hashPassword(request.password);
  return inTransaction(pool, async (tx) => {
    const person =
      (isKnown ? await findByEmail(tx, email) : undefined) ??
      (await insertPerson(tx, { personId: newId(), email, name, passwordHash, mustChangePassword }));
    if (person === undefined || !(await insertMembership(tx, person.personId, tenant, { role, expiresAt })))
      return undefined;
    const after = presentPerson({ ...person, role, expiresAt, issuer: null });
    await recordAudit(tx, { actor, action: 'person.added', ...auditOf(tenant, email), after });
    return { person: after, isKnown };
  });
}

/** Where it is looked for: in the audit trail of the taxpayer, or under the person. */
export function auditOf({ kind, id }: Tenant, email: string) {
  return { taxpayerId: kind === 'taxpayer' ? id : undefined, subject: `person ${email}` };
}

export function presentPerson(person: MemberRecord): Person {
  return {
    PersonId: person.personId,
    Email: person.email,
    Name: person.name,
    Role: person.role,
    ExpiresAt: person.expiresAt?.toISOString() ?? null,
    IsGranted: person.issuer !== null,
    MustChangePassword: person.mustChangePassword,
    Disabled: person.disabledAt !== null,
    LastLogInAt: person.lastLogInAt?.toISOString() ?? null,
    CreatedAt: person.createdAt.toISOString(),
  };
}
