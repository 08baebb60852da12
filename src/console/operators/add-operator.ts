import type { Pool } from 'pg';
import type { Operator, Role } from '../../contract/console/operator.ts';
import { newId } from '../../kernel/ids.ts';
import { recordAudit } from '../../platform/database/audit.ts';
import { inTransaction } from '../../platform/database/database.ts';
import { canonicalEmail } from './core/password-rules.ts';
import { hashPassword } from './passwords.ts';
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
export async function addOperator(pool: Pool, actor: string, request: OperatorRequest): Promise<Operator | undefined> {
  const email = canonicalEmail(request.email);
  // Before the hash, which is expensive on purpose; the insert decides anyway.
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
    const after = presentOperator(added);
    await recordAudit(tx, { actor, action: 'operator.added', subject: `operator ${email}`, after });
    return after;
  });
}

export function presentOperator(operator: OperatorRecord): Operator {
  return {
    OperatorId: operator.operatorId,
    Email: operator.email,
    Name: operator.name,
    Role: operator.role,
    MustChangePassword: operator.mustChangePassword,
    Disabled: operator.disabledAt !== null,
    LastLogInAt: operator.lastLogInAt?.toISOString() ?? null,
    CreatedAt: operator.createdAt.toISOString(),
  };
}
