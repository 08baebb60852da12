import type { Pool } from 'pg';
import type { Authority } from '../../authority/index.ts';
import { inTransaction } from '../../platform/database.ts';
import { lockHead, setDayState, startDay } from '../devices/store.ts';

export type OpenDayOutcome =
  | { readonly kind: 'opened'; readonly fiscalDayNumber: number; readonly isKnownToAuthority: boolean }
  | { readonly kind: 'not-closed'; readonly dayState: string }
  | { readonly kind: 'unknown-device' };

/**
 * Opens the next fiscal day. Its number and opening time are committed before the authority is asked and would be reused
 * on a retry, because the closing signature needs that very date. While the authority cannot be reached the day is
 * opened locally: the one before it is closed.
 */
export async function openDay(
  pool: Pool,
  authority: Authority,
  taxpayerId: string,
  deviceId: number,
  openedAt: Date,
): Promise<OpenDayOutcome> {
  const started = await inTransaction(
    pool,
    async (tx): Promise<OpenDayOutcome | { kind: 'opening'; number: number }> => {
      const head = await lockHead(tx, taxpayerId, deviceId);
      if (head === undefined) return { kind: 'unknown-device' };
      if (head.dayState !== 'Closed') return { kind: 'not-closed', dayState: head.dayState };
      const number = head.fiscalDayNumber + 1;
      await startDay(tx, head, number, openedAt);
      return { kind: 'opening', number };
    },
  );
  if (started.kind !== 'opening') return started;
  const answer = await authority.openDay({ deviceId, fiscalDayNumber: started.number, openedAt });
  await inTransaction(pool, (tx) => setDayState(tx, taxpayerId, deviceId, 'Opened'));
  return { kind: 'opened', fiscalDayNumber: started.number, isKnownToAuthority: answer.kind === 'accepted' };
}
