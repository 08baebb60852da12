import type { Transaction } from '../../platform/database.ts';
import type { LeasedTransaction } from '../lanes/lease.ts';

/**
 * A held device seals nothing and sends nothing: its chain here may be older than what the authority has. Held means an open alert
 * RestoredFromBackup or AuthorityAhead; the device is blocked as well, with a reason of ours, so that tills are told.
 */
const RESTORED = "restored from a backup: waiting for the authority's word on its last receipt";
const AHEAD = 'its chain here is old: ';

interface DeviceKey {
  readonly taxpayerId: string;
  readonly deviceId: number;
}

/** After a restore: no device seals before the authority has said that it knows nothing newer. Gives their number. */
export async function holdRestoredDevices(tx: Transaction, message: string): Promise<number> {
  // A device without a lane is not registered yet, and has nothing to wait for.
  await tx.query(
    `update devices d set blocked_reason = $1
       from device_lanes l
      where l.taxpayer_id = d.taxpayer_id and l.device_id = d.device_id and d.blocked_reason is null`,
    [RESTORED],
  );
  // Whatever process held a lane when the backup was made, it is none of this installation.
  await tx.query(
    `update device_lanes
        set next_step_at = '-infinity', paused_until = null, is_outage = false, locked_until = null, fencing_token = 0`,
  );
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

/** The caller holds the head's lock. True when that is new: nobody had blocked it before with a reason of theirs. */
export async function holdDevice(tx: LeasedTransaction, key: DeviceKey, words: string): Promise<boolean> {
  const { rows } = await tx.query<{ is_new: boolean }>(
    `update devices d set blocked_reason = $3
       from (select blocked_reason from devices where taxpayer_id = $1 and device_id = $2) before
      where d.taxpayer_id = $1 and d.device_id = $2 and d.blocked_reason is distinct from $3
        and (d.blocked_reason is null or d.blocked_reason = $4 or starts_with(d.blocked_reason, $5))
     returning coalesce(not starts_with(before.blocked_reason, $5), true) as is_new`,
    [key.taxpayerId, key.deviceId, AHEAD + words, RESTORED, AHEAD],
  );
  if (rows.length > 0) await bumpRevision(tx, key);
  return rows[0]?.is_new ?? false;
}

/** The caller holds the head's lock. A block of somebody else's stays. */
export async function freeHeldDevice(tx: LeasedTransaction, key: DeviceKey): Promise<void> {
  const { rowCount } = await tx.query(
    `update devices set blocked_reason = null
      where taxpayer_id = $1 and device_id = $2 and (blocked_reason = $3 or starts_with(blocked_reason, $4))`,
    [key.taxpayerId, key.deviceId, RESTORED, AHEAD],
  );
  if (rowCount === 1) await bumpRevision(tx, key);
}

async function bumpRevision(tx: Transaction, key: DeviceKey): Promise<void> {
  await tx.query('update device_heads set revision = revision + 1 where taxpayer_id = $1 and device_id = $2', [
    key.taxpayerId,
    key.deviceId,
  ]);
}
