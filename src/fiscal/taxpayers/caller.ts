import type { TokenScope } from '../../contract/shared/values.ts';
import type { TokenHolder } from '../../platform/tokens/authentication.ts';
import type { ReceiptDefaults } from '../core/apply-defaults.ts';

export type Scope = TokenScope<'taxpayer' | 'installation'>;

/** What sealing needs to know of a taxpayer, and of whoever sells for it. */
export interface Selling {
  readonly taxpayerId: string;
  readonly isVatRegistered: boolean;
  readonly currencies: readonly string[] | undefined;
  readonly defaults: ReceiptDefaults;
  /** Its notes without a buyer take that of their original. */
  readonly takesBuyer: boolean;
}

/** The taxpayer behind a token. */
export interface Caller extends TokenHolder<Scope>, Selling {
  readonly kind: 'taxpayer';
  readonly isSuspended: boolean;
}

/** An operator belongs to no taxpayer. */
export interface Operator extends TokenHolder<Scope> {
  readonly kind: 'operator';
}

export type Identity = Caller | Operator;
