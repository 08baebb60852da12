import type { ReceiptDefaults } from '../core/apply-defaults.ts';

/** Who is calling: the taxpayer behind a token, with what sealing needs to know of both. */
export interface Caller {
  readonly taxpayerId: string;
  readonly tokenId: string;
  readonly scopes: readonly Scope[];
  readonly isSuspended: boolean;
  readonly isVatRegistered: boolean;
  readonly currencies: readonly string[] | undefined;
  readonly defaults: ReceiptDefaults;
  readonly expiresAt: Date | undefined;
}

export const SCOPES = ['sign', 'read', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];
