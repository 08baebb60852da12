import type { Wire } from '../shared/operation.ts';
import type { Token } from './token.ts';

/** As taxpayers, vendors and operators have it. */
export interface AnyToken extends Omit<Wire<Token>, 'Scopes' | 'DefaultCashier'> {
  readonly Scopes: readonly string[];
  readonly DefaultCashier?: string | null;
}

export function tokenState({ RevokedAt, ExpiresAt }: AnyToken): 'Active' | 'Revoked' | 'Expired' {
  if (RevokedAt !== null) return 'Revoked';
  return ExpiresAt !== null && Date.parse(ExpiresAt) <= Date.now() ? 'Expired' : 'Active';
}
