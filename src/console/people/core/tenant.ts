import type { TenantQuery } from '../../../contract/shared/tenant.ts';
import { type Role, TENANT_FIELDS, TENANT_KINDS, type TenantKind } from '../../../contract/shared/values.ts';
import { type Refused, refused } from '../../../kernel/refusal.ts';

/** Whom somebody acts for. */
export interface Tenant {
  readonly kind: TenantKind;
  /** Of a biller its code; empty for the installation. */
  readonly id: string;
}

export interface Standing {
  readonly tenant: Tenant;
  readonly role: Role;
}

/** The one that a body or query names; the installation where none is. */
export function readTenant(fields: TenantQuery): Tenant | Refused {
  const named = TENANT_KINDS.flatMap((kind): Tenant[] => {
    const field = TENANT_FIELDS[kind];
    const id = field && fields[field];
    return id === undefined ? [] : [{ kind, id }];
  });
  if (named.length > 1) {
    const names = Object.values(TENANT_FIELDS).filter((name) => name !== undefined);
    return refused({ code: 'InvalidRequest', detail: `Give at most one of ${names.join(', ')}.` });
  }
  return named[0] ?? { kind: 'installation', id: '' };
}
