import type * as contract from '../../contract/fiscal/managed-receipt.ts';
import type { Queryable } from '../../platform/database/database.ts';
import { instantText } from '../../platform/database/instant-text.ts';
import type { ReceiptKey } from '../core/keys.ts';
import type { LeasedTransaction } from '../lanes/lease-store.ts';

/** Why an attempt to hand a receipt to the authority did not succeed. */
export interface FailedAttempt {
  /** There was no answer; the authority refused the receipt; or it refused the device, regardless of the receipt. */
  readonly outcome: 'Unanswered' | 'Refused' | 'DeviceRefused';
  /** The authority's own. */
  readonly code: string | undefined;
  readonly words: string;
}

/** A receipt that fails in ever new words must not fill the table: from here on the last row counts them. */
const MAX_ROWS = 100;

/** The caller holds the lane's lease in the same transaction, so nothing else counts at the same time. */
export async function recordAttempt(
  tx: LeasedTransaction,
  key: ReceiptKey,
  { outcome, code, words }: FailedAttempt,
  at: Date,
): Promise<void> {
  await tx.query(
    `with last as (
       select number, outcome = $4 and code is not distinct from $5 and words = $6 or number >= $8 as is_same
         from submission_attempts where taxpayer_id = $1 and device_id = $2 and global_counter = $3
        order by number desc limit 1),
     counted as (
       update submission_attempts a set times = a.times + 1, last_at = greatest(a.last_at, $7) from last
        where a.taxpayer_id = $1 and a.device_id = $2 and a.global_counter = $3 and a.number = last.number and last.is_same)
     insert into submission_attempts (taxpayer_id, device_id, global_counter, number, outcome, code, words, first_at, last_at)
     select $1, $2, $3, coalesce((select number from last), 0) + 1, $4, $5, $6, $7, $7
      where not exists (select from last where is_same)`,
    [key.taxpayerId, key.deviceId, key.globalCounter, outcome, code ?? null, words, at, MAX_ROWS],
  );
}

/** In the order in which they were made. */
export async function listFailedAttempts(db: Queryable, key: ReceiptKey): Promise<contract.FailedAttempt[]> {
  const { rows } = await db.query<contract.FailedAttempt>(
    `select outcome as "Outcome", code as "Code", words as "Words", ${instantText('first_at')} as "FirstAt",
            ${instantText('last_at')} as "LastAt", times as "Times" from submission_attempts
      where taxpayer_id = $1 and device_id = $2 and global_counter = $3 order by number`,
    [key.taxpayerId, key.deviceId, key.globalCounter],
  );
  return rows;
}
