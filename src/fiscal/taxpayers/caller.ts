import type { TokenScope } from '../../contract/shared/values.ts';
import type { TokenHolder } from '../../platform/tokens/authentication.ts';
import type { ReceiptDefaults } from '../core/apply-defaults.ts';

export type Scope = TokenScope<'taxpayer' | 'installation'>;

/** The taxpayer behind a token, with what sealing needs to know of both. */
export interface Caller extends TokenHolder<Scope> {
  readonly kind: 'taxpayer';
  readonly taxpayerId: string;
  readonly isSuspended: boolean;
  readonly isVatRegistered: boolean;
  readonly currencies: readonly string[] | undefined;
  readonly defaults: ReceiptDefaults;
  /** Its notes without a buyer take that of their original. */
  readonly takesBuyer: boolean;
}

/** An operator belongs to no taxpayer. */
export interface Operator extends TokenHolder<Scope> {
  readonly kind: 'operator';
}

export type Identity = Caller | Operator;
