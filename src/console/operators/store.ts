import type { Role } from '../../contract/console/operator.ts';
import type { Queryable, Transaction } from '../../platform/database/database.ts';

export interface OperatorRecord {
  readonly operatorId: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly mustChangePassword: boolean;
  readonly disabledAt: Date | null;
  readonly lastLogInAt: Date | null;
  readonly createdAt: Date;
}

const OPERATOR = `operator_id as "operatorId", email, name, role, must_change_password as "mustChangePassword",
  disabled_at as "disabledAt", last_log_in_at as "lastLogInAt", created_at as "createdAt"`;

export async function findByEmail(
  db: Queryable,
  email: string,
): Promise<(OperatorRecord & { readonly passwordHash: string }) | undefined> {
  const { rows } = await db.query<OperatorRecord & { passwordHash: string }>(
    `select ${OPERATOR}, password_hash as "passwordHash" from operators where email = $1`,
    [email],
  );
  return rows[0];
}

/** Newest first; ids are ordered by time. */
export async function listOperators(
  db: Queryable,
  before: string | undefined,
  limit: number,
): Promise<OperatorRecord[]> {
  const { rows } = await db.query<OperatorRecord>(
    `select ${OPERATOR} from operators where $1::uuid is null or operator_id < $1 order by operator_id desc limit $2`,
    [before, limit],
  );
  return rows;
}

export async function lockOperator(tx: Transaction, operatorId: string): Promise<OperatorRecord | undefined> {
  const { rows } = await tx.query<OperatorRecord>(
    `select ${OPERATOR} from operators where operator_id = $1 for update`,
    [operatorId],
  );
  return rows[0];
}

export interface NewOperator {
  readonly operatorId: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly passwordHash: string;
  readonly mustChangePassword: boolean;
}

/** Undefined when another one has the email. */
export async function insertOperator(tx: Transaction, operator: NewOperator): Promise<OperatorRecord | undefined> {
  const { rows } = await tx.query<OperatorRecord>(
    `insert into operators (operator_id, email, name, role, password_hash, must_change_password)
     values ($1, $2, $3, $4, $5, $6) on conflict (email) do nothing returning ${OPERATOR}`,
    [
      operator.operatorId,
      operator.email,
      operator.name,
      operator.role,
      operator.passwordHash,
      operator.mustChangePassword,
    ],
  );
  return rows[0];
}

export async function updateOperator(
  tx: Transaction,
  operator: Pick<OperatorRecord, 'operatorId' | 'name' | 'role' | 'disabledAt'>,
): Promise<void> {
  await tx.query('update operators set name = $2, role = $3, disabled_at = $4 where operator_id = $1', [
    operator.operatorId,
    operator.name,
    operator.role,
    operator.disabledAt,
  ]);
}

export async function setPassword(
  tx: Transaction,
  operatorId: string,
  passwordHash: string,
  mustChangePassword: boolean,
): Promise<void> {
  await tx.query('update operators set password_hash = $2, must_change_password = $3 where operator_id = $1', [
    operatorId,
    passwordHash,
    mustChangePassword,
  ]);
}

export async function removeOperator(tx: Transaction, operatorId: string): Promise<void> {
  await tx.query('delete from operators where operator_id = $1', [operatorId]);
}

export async function noteLogIn(tx: Transaction, operatorId: string, at: Date): Promise<void> {
  await tx.query('update operators set last_log_in_at = $2 where operator_id = $1', [operatorId, at]);
}
