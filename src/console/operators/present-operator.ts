import type { OperatorRecord } from './store.ts';

export function presentOperator(operator: OperatorRecord) {
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
