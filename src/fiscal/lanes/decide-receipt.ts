import type { Transaction } from '../../platform/database/database.ts';
import { clearDeviceAlerts } from '../alerts/store.ts';
import { passGivenUp } from './pass-receipts.ts';
import { resumeLane } from './store.ts';

interface DecidedKey {
  readonly taxpayerId: string;
  readonly deviceId: number;
  readonly globalCounter: number;
}

/** What an operator decided about a receipt that holds up its lane. */
export type Decision =
  | { readonly kind: 'retry' | 'retry-without-buyer' | 'give-up' }
  /** The authority has it, under this number. */
  | { readonly kind: 'take-as-accepted'; readonly authorityReceiptId: bigint };

/**
 * A receipt to decide about: one that was refused, or the next one of a lane whose answers cannot be used. Of that one a call may be
 * under way: should the authority accept it after all, that is written over what was decided.
 */
export const IS_DECIDABLE = `(s.state = 'Refused' or (coalesce(s.state, 'Pending') = 'Pending' and r.global_counter = l.submitted_through + 1
  and exists (select from alerts a where a.taxpayer_id = r.taxpayer_id and a.device_id = r.device_id
                and a.kind = 'AnswerUnclear' and a.cleared_at is null)))`;

/**
 * Carries out an operator's decision and lets the lane continue. Giving up marks the receipt as undeliverable, kept as
 * evidence; the receipts after it are then submitted and the authority will miss this number. Undefined when there is nothing to
 * decide about the receipt.
 */
export async function decideReceipt(
  tx: Transaction,
  key: DecidedKey,
  decision: Decision,
  at: Date,
): Promise<string | undefined> {
  const values = [key.taxpayerId, key.deviceId, key.globalCounter];
  // In the keeper's order, the lane before its submissions: the other way round the two can block each other.
  await tx.query('select from device_lanes where taxpayer_id = $1 and device_id = $2 for update', values.slice(0, 2));
  const { rows } = await tx.query<{ reference: string }>(
    `select r.reference from receipts r join device_lanes l using (taxpayer_id, device_id)
       left join submissions s using (taxpayer_id, device_id, global_counter)
      where r.taxpayer_id = $1 and r.device_id = $2 and r.global_counter = $3 and ${IS_DECIDABLE}`,
    values,
  );
  const reference = rows[0]?.reference;
  if (reference === undefined) return undefined;
  const isOver = decision.kind === 'give-up' || decision.kind === 'take-as-accepted';
  if (decision.kind === 'give-up') await giveUp(tx, values, at);
  else if (decision.kind === 'take-as-accepted') await takeAsAccepted(tx, values, decision.authorityReceiptId, at);
  else await sendAgain(tx, values, decision.kind === 'retry-without-buyer');
  if (isOver) await passGivenUp(tx, key, key.globalCounter);
  if (isOver) await clearDeviceAlerts(tx, key, 'AnswerUnclear');
  await resumeLane(tx, key.taxpayerId, key.deviceId);
  return reference;
}

async function giveUp(tx: Transaction, values: readonly unknown[], at: Date): Promise<void> {
  await tx.query(
    `insert into submissions as s (taxpayer_id, device_id, global_counter, state, settled_at, failed_at, error)
     values ($1, $2, $3, 'Undeliverable', $4, $4, 'An operator has given it up.')
     on conflict (taxpayer_id, device_id, global_counter) do update
       set state = 'Undeliverable', settled_at = $4, failed_at = coalesce(s.failed_at, $4), error = coalesce(s.error, excluded.error)`,
    [...values, at],
  );
}

/** Without the authority's signature and remarks: those were in the answer that could not be read. */
async function takeAsAccepted(
  tx: Transaction,
  values: readonly unknown[],
  authorityReceiptId: bigint,
  at: Date,
): Promise<void> {
  await tx.query(
    `insert into submissions (taxpayer_id, device_id, global_counter, state, settled_at, authority_receipt_id)
     values ($1, $2, $3, 'Submitted', $4, $5)
     on conflict (taxpayer_id, device_id, global_counter) do update
       set state = 'Submitted', settled_at = $4, authority_receipt_id = $5, failed_at = null, error = null`,
    [...values, at, authorityReceiptId],
  );
}

async function sendAgain(tx: Transaction, values: readonly unknown[], isWithoutBuyer: boolean): Promise<void> {
  await tx.query(
    `insert into submissions as s (taxpayer_id, device_id, global_counter, state, without_buyer)
     values ($1, $2, $3, 'Pending', $4)
     on conflict (taxpayer_id, device_id, global_counter) do update
       set state = 'Pending', without_buyer = s.without_buyer or $4`,
    [...values, isWithoutBuyer],
  );
}
