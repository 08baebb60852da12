import type { Pool } from 'pg';
import { checkReceipt, deviceWall, isNote, type Receipt, wrongPercents } from '../../fdms/index.ts';
import type { Violation } from '../../kernel/refusal.ts';
import { wallOfInstant } from '../../kernel/zone.ts';
import { type Clock, seconds } from '../../platform/clock.ts';
import { applyDefaults } from '../core/apply-defaults.ts';
import type { Device } from '../core/device.ts';
import { blocked, checkOnDate, invalidReceipt } from '../core/seal.ts';
import { checkFuture } from '../core/signing-date.ts';
import type { ShutDays } from '../days/shut-days.ts';
import type { DeviceRegistry } from '../devices/device-registry.ts';
import { listDevices } from '../devices/store.ts';
import { findReceipt } from '../sealed/store.ts';
import { replayOrConflict, type SealOutcome } from '../sealing/seal-request.ts';
import type { Sealer } from '../sealing/sealer.ts';
import type { Caller } from '../taxpayers/caller.ts';

export interface SignContext {
  readonly pool: Pool;
  readonly devices: DeviceRegistry;
  readonly sealer: Sealer;
  readonly shutDays: ShutDays;
  readonly clock: Clock;
}

/** A device that is unknown has no zone; dates of a request for it are compared in the country's. */
const ASSUMED_ZONE = 'Africa/Harare';

/**
 * Signs a receipt (docs/signing.md). A reference that is sealed already decides first, before every rule and every
 * 503. Only a refused request pays for that look-up here; a good one finds its twin in the sealing transaction.
 */
export async function signReceipt(context: SignContext, caller: Caller, submitted: Receipt): Promise<SealOutcome> {
  const receipt = applyDefaults(submitted, caller.defaults);
  const { taxpayerId } = caller;
  const deviceId = receipt.AuthorityDeviceId;
  const signing = context.devices.lastSeen(taxpayerId, deviceId) ?? (await context.devices.find(taxpayerId, deviceId));
  const violations = checkReceipt(receipt, caller.currencies);
  if (signing !== undefined && violations.length === 0) {
    const { isVatRegistered } = caller;
    const request = { taxpayerId, isVatRegistered, submitted, receipt, zone: signing.device.zone };
    const outcome = await context.sealer.seal(request);
    if (outcome.kind !== 'refused' || outcome.refusal.code !== 'FiscalDayNotOpen') return outcome;
    const nowSeconds = seconds(context.clock());
    return { ...outcome, refusal: await context.shutDays.explain(outcome.refusal, taxpayerId, deviceId, nowSeconds) };
  }
  const stored = await findReceipt(context.pool, taxpayerId, submitted.Reference);
  if (stored) return replayOrConflict(stored, submitted, signing?.device.zone ?? ASSUMED_ZONE);
  if (signing === undefined) {
    const mine = { taxpayerId, isStopped: undefined, after: undefined };
    const known = await listDevices(context.pool, mine, SHOWN_DEVICES + 1);
    violations.unshift(unknownDevice(deviceId, known));
    return { kind: 'refused', refusal: invalidReceipt(violations) };
  }
  const found = completeList(receipt, signing.device, caller, seconds(context.clock()));
  return { kind: 'refused', refusal: invalidReceipt(found) };
}

/** With what the rules under the head lock would find, as far as it can be known without it: one answer names everything. */
function completeList(receipt: Receipt, device: Device, caller: Caller, nowSeconds: number): Violation[] {
  const violations: Violation[] = device.blockedReason === undefined ? [] : [blocked(device)];
  const { currencies, isVatRegistered } = caller;
  if (receipt.Date.wallSeconds === undefined) return [...violations, ...checkReceipt(receipt, currencies)];
  const wall = deviceWall(receipt.Date, device.zone);
  const future = checkFuture(device, wall, wallOfInstant(device.zone, nowSeconds));
  if (future) violations.push(future);
  if (isNote(receipt)) return [...violations, ...checkReceipt(receipt, currencies)];
  // A wrong rate comes first, and without the sums that are wrong because of it.
  violations.push(...checkOnDate({ receipt, device, isVatRegistered, original: undefined }, wall));
  return [...violations, ...checkReceipt(receipt, currencies, wrongPercents(receipt, device, wall))];
}

const SHOWN_DEVICES = 10;

function unknownDevice(deviceId: number, known: readonly number[]): Violation {
  const shown = known.slice(0, SHOWN_DEVICES).join(', ') + (known.length > SHOWN_DEVICES ? ' …' : '');
  const advice = shown === '' ? 'no device is registered for you yet' : `use one of your registered devices: ${shown}`;
  return {
    Field: 'AuthorityDeviceId',
    Code: 'DeviceUnknown',
    Message: `there is no device ${deviceId}: ${advice}`,
  };
}
