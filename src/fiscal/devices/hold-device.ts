import { HOLD_KINDS, type HoldKind } from '../../contract/shared/kinds.ts';
import { end, lasts, open, write } from '../../platform/alerts/store.ts';
import type { Queryable, Transaction } from '../../platform/database/database.ts';
import type { DeviceKey } from '../core/keys.ts';
import { recordEvent } from '../events/store.ts';
import { type LaneTransaction, WOKEN } from '../lanes/lease-store.ts';
import { bumpRevision, GIVEN_UP } from './store.ts';

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
  /** What tills are told. */
  readonly reason: string;
  /** What operators are told, where that is more. */
  readonly message?: string;
  readonly by?: string;
  readonly known?: LastReceipt;
}

/** The device seals nothing from here on, on any instance. The highest of the receipts that any instance knew stays. */
export async function holdDevice(
  tx: LaneTransaction,
  { taxpayerId, deviceId }: DeviceKey,
  { kind, reason, message = reason, by, known }: NewHold,
  at: Date,
): Promise<void> {
  const key = { taxpayerId, deviceId };
  if (known !== undefined && (await knownCounter(tx, key, kind)) >= known.globalCounter) return;
  const data = { reason, by, known: known && { ...known, hash: known.hash.toString('base64') } };
  const [written] = await write(tx, [{ ...key, kind, message, since: at, data }]);
  if (written === undefined) return;
  await bumpRevision(tx, key);
  if (!written.isNew) return;
  await recordEvent(tx, {
    taxpayerId,
    type: 'device.blocked',
    at,
    data: { AuthorityDeviceId: deviceId, Reason: reason },
  });
}

/** These holds are over, and no others; with the last one the device may seal again. */
export async function releaseDevice(
  tx: LaneTransaction,
  { taxpayerId, deviceId }: DeviceKey,
  kinds: readonly HoldKind[],
  at: Date,
): Promise<void> {
  const key = { taxpayerId, deviceId };
  if ((await end(tx, kinds, [key])) === 0) return;
  await bumpRevision(tx, key);
  const { rows } = await tx.query<{ isHeld: boolean }>(
    `select ${lasts('k', HOLD_KINDS)} as "isHeld" from (select $1::uuid as taxpayer_id, $2::integer as device_id) k`,
    [taxpayerId, deviceId],
  );
  if (rows[0]?.isHeld) return;
  await recordEvent(tx, { taxpayerId, type: 'device.released', at, data: { AuthorityDeviceId: deviceId } });
}

async function knownCounter(db: Queryable, key: DeviceKey, kind: HoldKind): Promise<number> {
  const [held] = await open(db, kind, key);
  const { known } = JSON.parse(held?.data ?? '{}') as { readonly known?: { readonly globalCounter: number } };
  return known?.globalCounter ?? 0;
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
  // A device without a lane is not registered yet, and has nothing to wait for.
  const { rows } = await tx.query<DeviceKey>(
    `select h.taxpayer_id as "taxpayerId", h.device_id as "deviceId" from device_lanes h where not ${GIVEN_UP}`,
  );
  const hold = { kind: 'Restored', data: { reason } } as const;
  await write(
    tx,
    rows.map((key) => ({ ...key, ...hold, message: message.replace('{device}', () => String(key.deviceId)) })),
  );
  return rows.length;
}
