import type { Pool } from 'pg';
import type { Authority } from '../../authority/index.ts';
import { inTransaction, type Transaction } from '../../platform/database.ts';
import { lockHead, setDayState, startDay } from '../devices/store.ts';

export type OpenDayOutcome =
  | { readonly kind: 'opened'; readonly fiscalDayNumber: number; readonly isKnownToAuthority: boolean }
  | { readonly kind: 'not-closed'; readonly dayState: string }
  | { readonly kind: 'unknown-device' };

/**
 * Opens the next fiscal day. Its number and opening time are committed before the authority is asked and are reused by
 * whoever comes back to a day that is still `Opening`, because the closing signature needs that very date. While the
 * authority cannot be reached the day is opened locally: the one before it is closed.
 */
export async function openDay(
  pool: Pool,
  authority: Authority,
  taxpayerId: string,
  deviceId: number,
  openedAt: Date,
): Promise<OpenDayOutcome> {
  const started = await inTransaction(pool, (tx) => startOrResume(tx, taxpayerId, deviceId, openedAt));
  if (started.kind !== 'opening') return started;
  const { fiscalDayNumber } = started;
  const answer = await authority.openDay({ deviceId, fiscalDayNumber, openedAt: started.openedAt });
  await inTransaction(pool, async (tx) => {
    const head = await lockHead(tx, taxpayerId, deviceId);
    // Somebody else may have finished this opening meanwhile, and the day may have moved on since.
    if (head?.dayState !== 'Opening' || head.fiscalDayNumber !== fiscalDayNumber) return;
    await setDayState(tx, taxpayerId, deviceId, 'Opened');
  });
  return { kind: 'opened', fiscalDayNumber, isKnownToAuthority: answer.kind === 'accepted' };
}

type Started = { readonly kind: 'opening'; readonly fiscalDayNumber: number; readonly openedAt: Date };

async function startOrResume(
  tx: Transaction,
  taxpayerId: string,
  deviceId: number,
  openedAt: Date,
): Promise<OpenDayOutcome | Started> {
  const head = await lockHead(tx, taxpayerId, deviceId);
  if (head === undefined) return { kind: 'unknown-device' };
  if (head.dayState === 'Opening' && head.dayOpenedAtSeconds !== undefined) {
    // Whoever began was killed before it could finish: without this the day would never open.
    const begunAt = new Date(head.dayOpenedAtSeconds * 1000);
    return { kind: 'opening', fiscalDayNumber: head.fiscalDayNumber, openedAt: begunAt };
  }
  if (head.dayState !== 'Closed') return { kind: 'not-closed', dayState: head.dayState };
  const fiscalDayNumber = head.fiscalDayNumber + 1;
  await startDay(tx, head, fiscalDayNumber, openedAt);
  return { kind: 'opening', fiscalDayNumber, openedAt };
}
