import type { Role } from '../../contract/shared/values.ts';
import type { Queryable, Transaction } from '../../platform/database/database.ts';
import { insert, update } from '../../platform/database/rows.ts';

export interface PersonRecord {
  readonly personId: string;
  readonly email: string;
  readonly name: string;
  readonly mustChangePassword: boolean;
  readonly disabledAt: Date | null;
  readonly lastLogInAt: Date | null;
  readonly createdAt: Date;
}

/** A person with what they may do for one tenant. */
export interface MemberRecord extends PersonRecord {
  readonly role: Role;
  /** Of the membership. */
  readonly expiresAt: Date | null;
  /** Of the OpenID provider whose claim granted it; null: given by hand. */
  readonly issuer: string | null;
}

export const PERSON = `p.person_id as "personId", p.email, p.name, p.must_change_password as "mustChangePassword",
  p.disabled_at as "disabledAt", p.last_log_in_at as "lastLogInAt", p.created_at as "createdAt"`;
export const MEMBER = `${PERSON}, m.role, m.expires_at as "expiresAt", m.issuer`;

export async function findByEmail(
  db: Queryable,
  email: string,
): Promise<(PersonRecord & { readonly passwordHash: string }) | undefined> {
  const { rows } = await db.query<PersonRecord & { passwordHash: string }>(
    `select ${PERSON}, p.password_hash as "passwordHash" from people p where email = $1`,
    [email],
  );
  return rows[0];
}

export async function lockPerson(tx: Transaction, personId: string): Promise<PersonRecord | undefined> {
  const { rows } = await tx.query<PersonRecord>(`select ${PERSON} from people p where person_id = $1 for update`, [
    personId,
  ]);
  return rows[0];
}

export interface NewPerson {
  readonly personId: string;
  readonly email: string;
  readonly name: string;
  readonly passwordHash: string;
  readonly mustChangePassword: boolean;
}

/** Undefined when another one has the email. */
export async function insertPerson(tx: Transaction, person: NewPerson): Promise<PersonRecord | undefined> {
  const { personId, email, name, passwordHash, mustChangePassword } = person;
  const row = { personId, email, name, passwordHash, mustChangePassword };
  const then = `on conflict (email) do nothing returning ${PERSON}`;
  return (await insert<PersonRecord>(tx, 'people as p', row, then))[0];
}

export function updatePerson(
  tx: Transaction,
  { personId, name, disabledAt }: Pick<PersonRecord, 'personId' | 'name' | 'disabledAt'>,
): Promise<void> {
  return update(tx, 'people', { personId }, { name, disabledAt });
}

export function setPassword(
  tx: Transaction,
  personId: string,
  passwordHash: string,
  mustChangePassword: boolean,
): Promise<void> {
  return update(tx, 'people', { personId }, { passwordHash, mustChangePassword });
}

export async function removePersonWithoutMembership(tx: Transaction, personId: string): Promise<void> {
  await tx.query(
    'delete from people where person_id = $1 and not exists (select from memberships where person_id = $1)',
    [personId],
  );
}

export async function noteLogIn(tx: Transaction, personId: string, at: Date): Promise<void> {
  await tx.query('update people set last_log_in_at = $2 where person_id = $1', [personId, at]);
}
