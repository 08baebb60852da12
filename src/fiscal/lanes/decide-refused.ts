import type { Transaction } from '../../platform/database/database.ts';
import { clearAlert } from '../alerts/store.ts';
import { passGivenUp } from './pass-receipts.ts';
import { resumeLane } from './store.ts';

interface RefusedKey {
  readonly taxpayerId: string;
  readonly deviceId: number;
  readonly globalCounter: number;
}

/** What an operator decided about a receipt the authority refused. */
export type Decision = 'retry' | 'retry-without-buyer' | 'give-up';

/**
 * Carries out an operator's decision and lets the lane continue. Giving up marks the receipt as undeliverable, kept as
 * evidence; the receipts after it are then submitted and the authority will miss this number. Undefined when the receipt
 * is not one that was refused.
 */
export async function decideRefused(
  tx: Transaction,
  key: RefusedKey,
  decision: Decision,
  at: Date,
): Promise<string | undefined> {
  const values = [key.taxpayerId, key.deviceId, key.globalCounter];
  // In the keeper's order, the lane before its submissions: the other way round the two can block each other.
  await tx.query('select from device_lanes where taxpayer_id = $1 and device_id = $2 for update', values.slice(0, 2));
  const { rows } = await tx.query<{ reference: string }>(
    `select r.reference from submissions s join receipts r using (taxpayer_id, device_id, global_counter)
      where s.taxpayer_id = $1 and s.device_id = $2 and s.global_counter = $3 and s.state = 'Refused' for update of s`,
    values,
  );
  const reference = rows[0]?.reference;
  if (reference === undefined) return undefined;
  if (decision === 'give-up') {
    await tx.query(
      `update submissions set state = 'Undeliverable', settled_at = $4
        where taxpayer_id = $1 and device_id = $2 and global_counter = $3`,
      [...values, at],
    );
    await passGivenUp(tx, key, key.globalCounter);
  } else {
    await tx.query(
      `update submissions set state = 'Pending', without_buyer = without_buyer or $4
        where taxpayer_id = $1 and device_id = $2 and global_counter = $3`,
      [...values, decision === 'retry-without-buyer'],
    );
  }
  await clearAlert(tx, key.taxpayerId, 'ReceiptRefused', reference);
  await resumeLane(tx, key.taxpayerId, key.deviceId);
  return reference;
}
