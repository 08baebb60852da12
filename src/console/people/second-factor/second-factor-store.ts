import type { Queryable, Transaction } from '../../../platform/database/database.ts';
import { update } from '../../../platform/database/rows.ts';
import type { Tenant } from '../core/tenant.ts';

export interface StoredFactors {
  /** Encrypted; null: none was begun. */
  readonly totpSecret: Buffer | null;
  readonly isTotpConfirmed: boolean;
  readonly recoveryCodes: number;
}

export async function findFactors(db: Queryable, personId: string): Promise<StoredFactors> {
  const { rows } = await db.query<StoredFactors>(
    `select totp_secret as "totpSecret", totp_confirmed_at is not null as "isTotpConfirmed",
            cardinality(recovery_codes) as "recoveryCodes" from people where person_id = $1`,
    [personId],
  );
  if (rows[0] === undefined) throw new Error('a session of nobody');
  return rows[0];
}

export function beginTotp(tx: Transaction, personId: string, totpSecret: Buffer): Promise<void> {
  return update(tx, 'people', { personId }, { totpSecret, totpConfirmedAt: null, totpStep: 0 });
}

export async function confirmTotp(tx: Transaction, personId: string, at: Date): Promise<void> {
  await tx.query('update people set totp_confirmed_at = $2 where person_id = $1', [personId, at]);
}

const NO_TOTP = 'totp_secret = null, totp_confirmed_at = null, totp_step = 0';

export async function removeTotp(tx: Transaction, personId: string): Promise<void> {
  await tx.query(`update people set ${NO_TOTP} where person_id = $1`, [personId]);
}

export async function removeFactors(tx: Transaction, personId: string): Promise<void> {
  await tx.query(
    `with gone as (delete from passkeys where person_id = $1)
     update people set ${NO_TOTP}, recovery_codes = '{}' where person_id = $1`,
    [personId],
  );
}

/** Whether they are good from now on: those that are left of others remain. */
export async function setRecoveryCodes(tx: Transaction, personId: string, hashes: readonly Buffer[]): Promise<boolean> {
  const { rowCount } = await tx.query(
    "update people set recovery_codes = $2 where person_id = $1 and recovery_codes = '{}'",
    [personId, hashes],
  );
  return rowCount === 1;
}

/** They are for whoever has lost a second factor. */
export async function dropRecoveryCodesOfNone(tx: Transaction, personId: string): Promise<void> {
  await tx.query(
    `update people set recovery_codes = '{}'
      where person_id = $1 and totp_confirmed_at is null and not exists (select from passkeys where person_id = $1)`,
    [personId],
  );
}

/** Whether it had not been taken before: of two at the same moment one. */
export async function takeStep(tx: Transaction, personId: string, step: number): Promise<boolean> {
  const { rowCount } = await tx.query('update people set totp_step = $2 where person_id = $1 and totp_step < $2', [
    personId,
    step,
  ]);
  return rowCount === 1;
}

export async function takeRecoveryCode(tx: Transaction, personId: string, hash: Buffer): Promise<boolean> {
  const { rowCount } = await tx.query(
    'update people set recovery_codes = array_remove(recovery_codes, $2) where person_id = $1 and $2 = any(recovery_codes)',
    [personId, hash],
  );
  return rowCount === 1;
}

/** The session has given the second factor of its person. */
export async function markProven(tx: Transaction, sessionHash: Buffer): Promise<void> {
  await tx.query('update sessions set is_proven = true where session_hash = $1', [sessionHash]);
}

/** In the place of a tenant: of all there are. */
export const EVERYBODY = { kind: 'everybody', id: '' } as const;
type Ruled = Tenant | typeof EVERYBODY;

export async function isFactorRequired(db: Queryable, { kind, id }: Ruled): Promise<boolean> {
  const { rowCount } = await db.query('select from second_factor_rules where tenant_kind = $1 and tenant_id = $2', [
    kind,
    id,
  ]);
  return rowCount === 1;
}

export async function requireFactor(tx: Transaction, { kind, id }: Ruled, isRequired: boolean): Promise<void> {
  const text = isRequired
    ? 'insert into second_factor_rules (tenant_kind, tenant_id) values ($1, $2) on conflict do nothing'
    : 'delete from second_factor_rules where tenant_kind = $1 and tenant_id = $2';
  await tx.query(text, [kind, id]);
}
