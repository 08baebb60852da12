import type { Pool } from 'pg';
import { DEFAULT_ZONE } from '../../contract/shared/values.ts';
import { checkRules, deviceWall, isNote, type Receipt, wrongPercents } from '../../fdms/index.ts';
import type { Refusal, Violation } from '../../kernel/refusal.ts';
import type { TaxRounding } from '../../kernel/tax.ts';
import { wallOfInstant } from '../../kernel/zone.ts';
import { type Clock, seconds } from '../../platform/clock.ts';
import { confirmed } from '../../platform/database/barrier.ts';
import { primaryOf } from '../../platform/database/database.ts';
import { CommitsWaitError, refuseWhileCommitsWait } from '../../platform/database/writing.ts';
import type { Device } from '../core/device.ts';
import { checkOnDate, invalidReceipt } from '../core/seal.ts';
import { checkFuture } from '../core/signing-date.ts';
import { listDevices } from '../devices/store.ts';
import { findReceipt } from '../sealed/store.ts';
import { replayOrConflict, type SealOutcome } from '../sealing/seal-request.ts';
import type { Selling } from '../taxpayers/caller.ts';

/** A receipt whose device is unknown, that breaks rules which need no state, or that comes while commits wait for a standby. */
export interface RefusedReceipt {
  readonly submitted: Receipt;
  readonly receipt: Receipt;
  readonly device: Device | undefined;
  readonly violations: readonly Violation[];
  readonly isLate: boolean;
}

/** The answer to it. A reference that is sealed already decides first; only a refused request pays for that look-up. */
export async function refuseReceipt(
  { pool, clock, taxRounding }: { readonly pool: Pool; readonly clock: Clock; readonly taxRounding: TaxRounding },
  caller: Selling,
  refused: RefusedReceipt,
): Promise<SealOutcome> {
  const { submitted, receipt, device, violations, isLate } = refused;
  const { taxpayerId } = caller;
  const { isWaiting } = primaryOf(pool);
  const stored = await findReceipt(confirmed(pool), taxpayerId, submitted.Reference);
  if (stored) return replayOrConflict(stored, submitted, device?.zone ?? DEFAULT_ZONE);
  // It may be sealed by a commit that waits, or has waited until now: then nothing else is true of it.
  if (isWaiting) throw new CommitsWaitError();
  refuseWhileCommitsWait(pool);
  if (device === undefined) {
    const mine = { taxpayerId, isStopped: undefined, after: undefined };
    const known = await listDevices(pool, mine, SHOWN_DEVICES + 1);
    return { kind: 'refused', refusal: unknownDevice(receipt.AuthorityDeviceId, known, violations) };
  }
  const found = completeList(receipt, device, caller, seconds(clock()), isLate, taxRounding);
  return { kind: 'refused', refusal: invalidReceipt(found) };
}

/** With what the rules under the head lock would find, as far as it can be known without it: one answer names everything. */
function completeList(
  receipt: Receipt,
  device: Device,
  caller: Selling,
  nowSeconds: number,
  isLate: boolean,
  rounding: TaxRounding,
): Violation[] {
  const violations: Violation[] = [];
  const { currencies, isVatRegistered } = caller;
  const rules = (wrong?: ReadonlySet<string>) => checkRules(receipt, currencies, wrong, rounding);
  if (receipt.Date.wallSeconds === undefined) return [...violations, ...rules()];
  const wall = deviceWall(receipt.Date, device.zone);
  const future = checkFuture(device, wall, { nowWall: wallOfInstant(device.zone, nowSeconds), isLate });
  if (future) violations.push(future);
  if (isNote(receipt)) return [...violations, ...rules()];
  // A wrong rate comes first, and without the sums that are wrong because of it.
  violations.push(...checkOnDate({ receipt, device, isVatRegistered, original: undefined }, wall));
  return [...violations, ...rules(wrongPercents(receipt, device, wall))];
}

const SHOWN_DEVICES = 10;
const REGISTERED_SOON_SECONDS = 300;

/** It may be mistyped, not registered yet, or missing since a restore: if nothing else is wrong, the sale waits until it is known. */
function unknownDevice(deviceId: number, known: readonly number[], violations: readonly Violation[]): Refusal {
  const shown = known.slice(0, SHOWN_DEVICES).join(', ') + (known.length > SHOWN_DEVICES ? ' …' : '');
  const advice = shown === '' ? 'no device is registered for you yet' : `use one of your registered devices: ${shown}`;
  const Message = `there is no device ${deviceId}: ${advice}`;
  const refusal = invalidReceipt([{ Field: 'AuthorityDeviceId', Code: 'DeviceUnknown', Message }, ...violations]);
  if (violations.length > 0) return refusal;
  return {
    ...refusal,
    detail: `There is no device ${deviceId} for you. Nothing was signed; when it is registered, send the same receipt again, with the header Late-Receipt: true.`,
    retryAfterSeconds: REGISTERED_SOON_SECONDS,
  };
}
