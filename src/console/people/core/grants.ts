import { type Role, rolesOf, TENANT_KINDS } from '../../../contract/shared/values.ts';
import type { Standing } from './tenant.ts';

/**
 * What the values of an OpenID provider's claim grant: `tillseal:admin` for the installation, `tillseal:taxpayer:ID:owner` for a tenant. The
 * highest of several for one; values that do not begin so are of other services.
 */
export function readGrants(values: unknown): readonly Standing[] {
  const grants = new Map<string, Standing>();
  for (const value of [values].flat()) {
    const [, named = 'installation', id = '', text] =
      /^tillseal:(?:([a-z]+):(.+):)?([a-z]+)$/.exec(typeof value === 'string' ? value : '') ?? [];
    const kind = TENANT_KINDS.find((one) => one === named && (one === 'installation') === (id === ''));
    const roles: readonly Role[] = kind === undefined ? [] : rolesOf(kind);
    const role = roles.find((one) => one === text);
    if (kind === undefined || role === undefined) continue;
    const key = `${kind} ${id}`;
    const before = grants.get(key);
    if (before === undefined || roles.indexOf(before.role) < roles.indexOf(role))
      grants.set(key, { tenant: { kind, id }, role });
  }
  return [...grants.values()];
}
