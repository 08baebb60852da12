import type { Pool } from 'pg';
import { newId } from '../../kernel/ids.ts';
import { recordAudit } from '../../platform/audit.ts';
import { inTransaction } from '../../platform/database.ts';
import { canonicalEmail } from './core/password-rules.ts';
import type { Role } from './core/role.ts';
import { hashPassword } from './passwords.ts';
import { presentOperator } from './present-operator.ts';
import { findByEmail, insertOperator, type OperatorRecord } from './store.ts';

export interface OperatorRequest {
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly password: string;
  /** Whether the password is only for the first log-in. */
  readonly mustChangePassword: boolean;
}

/** Undefined when another operator has the email. */
export async function addOperator(
  pool: Pool,
  actor: string,
  request: OperatorRequest,
): Promise<OperatorRecord | undefined> {
  const email = canonicalEmail(request.email);
  // Before the hash, which is dear on purpose; the insert decides all the same.
  if ((await findByEmail(pool, email)) !== undefined) return undefined;
  const passwordHash = await hashPassword(request.password);
  return inTransaction(pool, async (tx) => {
    const { name, role, mustChangePassword } = request;
    const added = await insertOperator(tx, {
      operatorId: newId(),
      email,
      name,
      role,
      passwordHash,
      mustChangePassword,
    });
    if (added === undefined) return undefined;
    await recordAudit(tx, {
      actor,
      action: 'operator.added',
      taxpayerId: undefined,
      subject: `operator ${email}`,
      before: undefined,
      after: presentOperator(added),
    });
    return added;
  });
}
