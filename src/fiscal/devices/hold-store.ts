import type { Transaction } from '../../platform/database/database.ts';
import type { HoldKind } from '../core/hold.ts';
import type { DeviceKey } from '../core/keys.ts';
import { WOKEN } from '../lanes/lease-store.ts';

/** A receipt by which a chain goes on: the last one that was answered, or that an operator says is the last. */
export interface LastReceipt extends DeviceKey {
  readonly globalCounter: number;
  readonly fiscalDayNumber: number;
  readonly fiscalDayCounter: number;
  readonly hash: Buffer;
  readonly wallSeconds: number;
}

export interface NewHold {
  readonly kind: HoldKind;
  readonly reason: string;
  readonly by?: string;
  readonly known?: LastReceipt;
}

/** Tells whether it is new, has new words, or was there already. The highest of the receipts that any instance knew stays. */
export async function putHold(
  tx: Transaction,
  key: DeviceKey,
  { kind, reason, by, known }: NewHold,
  at: Date,
): Promise<'new' | 'changed' | 'same'> {
  const { rows } = await tx.query<{ is_new: boolean }>(
    `insert into device_holds as o (taxpayer_id, device_id, kind, reason, since, known, placed_by)
     values ($1, $2, $3, $4, $5, $6::jsonb, $7)
     on conflict (taxpayer_id, device_id, kind) do update
        set reason = excluded.reason, known = excluded.known, placed_by = excluded.placed_by
      where (o.known is null or (excluded.known ->> 'globalCounter')::integer > (o.known ->> 'globalCounter')::integer)
        and (o.reason, o.known) is distinct from (excluded.reason, excluded.known)
     returning xmax = 0 as is_new`,
    [key.taxpayerId, key.deviceId, kind, reason, at, known === undefined ? null : knownText(known), by],
  );
  return rows[0] === undefined ? 'same' : rows[0].is_new ? 'new' : 'changed';
}

/** How many ended, and how many are left. */
export async function endHolds(
  tx: Transaction,
  key: DeviceKey,
  kinds: readonly HoldKind[],
): Promise<{ readonly ended: number; readonly left: number }> {
  const { rowCount } = await tx.query(
    'delete from device_holds where taxpayer_id = $1 and device_id = $2 and kind = any ($3)',
    [key.taxpayerId, key.deviceId, kinds],
  );
  const { rows } = await tx.query<{ left: number }>(
    'select count(*)::integer as left from device_holds where taxpayer_id = $1 and device_id = $2',
    [key.taxpayerId, key.deviceId],
  );
  return { ended: rowCount ?? 0, left: rows[0]?.left ?? 0 };
}

const RESTORED = "restored from a backup: waiting for the authority's word on its last receipt";
export const UNPROVED =
  "started while a server of DATABASE_URL was silent, with no record of earlier runs: waiting for the authority's word on its last receipt";

/**
 * After a restore: no device seals before the authority has said that it knows nothing newer. Returns their number. At a start other
 * instances may be at work: the lanes that they hold stay theirs.
 */
export async function holdRestoredDevices(
  tx: Transaction,
  message: string,
  reason: typeof RESTORED | typeof UNPROVED = RESTORED,
): Promise<number> {
  // A device without a lane is not registered yet, and has nothing to wait for.
  await tx.query(
    `insert into device_holds (taxpayer_id, device_id, kind, reason)
     select taxpayer_id, device_id, 'Restored', $1 from device_lanes on conflict do nothing`,
    [reason],
  );
  if (reason === RESTORED) {
    // Whatever process held a lane when the backup was made, it is none of this installation.
    await tx.query(
      `update device_lanes
          set next_step_at = ${WOKEN}, paused_until = null, is_outage = false, locked_until = null, fencing_token = 0`,
    );
  }
  // In the order in which sealing locks them.
  await tx.query('select from device_heads order by taxpayer_id, device_id for update');
  await tx.query('update device_heads set revision = revision + 1');
  const { rowCount } = await tx.query(
    `insert into alerts (taxpayer_id, device_id, kind, subject, message)
     select taxpayer_id, device_id, 'RestoredFromBackup', 'device ' || device_id, replace($1, '{device}', device_id::text)
       from device_lanes
     on conflict (taxpayer_id, kind, subject) where cleared_at is null do update set message = excluded.message`,
    [message],
  );
  return rowCount ?? 0;
}

/** Times and hashes as text: jsonb knows neither. */
function knownText({ globalCounter, fiscalDayNumber, fiscalDayCounter, hash, wallSeconds }: LastReceipt): string {
  return JSON.stringify({
    globalCounter,
    fiscalDayNumber,
    fiscalDayCounter,
    hash: hash.toString('base64'),
    wallSeconds,
  });
}
