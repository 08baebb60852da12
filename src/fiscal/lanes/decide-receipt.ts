import { settle } from '../../platform/alerts/store.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { ReceiptKey } from '../core/keys.ts';
import { passGivenUp } from './pass-receipts.ts';
import { giveUp, lockDecidable, resumeLane, sendAgain, takeAsAccepted } from './store.ts';

/** What an operator decided about a receipt that holds up its lane. */
export type Decision =
  | { readonly kind: 'retry' | 'retry-without-buyer' | 'give-up' }
  /** The authority has it, under this number. */
  | { readonly kind: 'take-as-accepted'; readonly authorityReceiptId: bigint };

/**
 * Carries out an operator's decision and lets the lane continue. Giving up marks the receipt as undeliverable, kept as
 * evidence; the receipts after it are then submitted and the authority will miss this number. Undefined when there is nothing to
 * decide about the receipt.
 */
export async function decideReceipt(
  tx: Transaction,
  key: ReceiptKey,
  decision: Decision,
  at: Date,
): Promise<string | undefined> {
  const reference = await lockDecidable(tx, key);
  if (reference === undefined) return undefined;
  const isOver = decision.kind === 'give-up' || decision.kind === 'take-as-accepted';
  if (decision.kind === 'give-up') await giveUp(tx, key, at);
  else if (decision.kind === 'take-as-accepted') await takeAsAccepted(tx, key, decision.authorityReceiptId, at);
  else await sendAgain(tx, key, decision.kind === 'retry-without-buyer');
  if (isOver) await passGivenUp(tx, key, key.globalCounter);
  if (isOver) await settle(tx, 'AnswerUnclear', key, 'SubmitReceipt');
  await resumeLane(tx, key);
  return reference;
}
