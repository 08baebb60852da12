import type { Pool } from 'pg';
import { checkRules, deviceWall, type Receipt } from '../../fdms/index.ts';
import type { Refusal, Violation } from '../../kernel/refusal.ts';
import type { TaxRounding } from '../../kernel/tax.ts';
import { type Clock, seconds } from '../../platform/clock.ts';
import { confirmed } from '../../platform/database/barrier.ts';
import { applyDefaults } from '../core/apply-defaults.ts';
import { refuseOutsideDay } from '../core/fiscal-day.ts';
import { refuseOnHold } from '../core/hold.ts';
import { checkOnDate, decideInDay, invalidReceipt, type SealInput } from '../core/seal.ts';
import { countDay } from '../days/count-day.ts';
import type { ShutDays } from '../days/shut-days.ts';
import type { DeviceRegistry } from '../devices/device-registry.ts';
import { findDevice } from '../devices/store.ts';
import { findReceipt } from '../sealed/store.ts';
import { findOriginal } from '../sealing/find-originals.ts';
import { replayOrConflict } from '../sealing/seal-request.ts';
import type { Selling } from '../taxpayers/caller.ts';
import { refuseReceipt } from './refuse-receipt.ts';

export interface CheckContext {
  readonly pool: Pool;
  readonly devices: DeviceRegistry;
  readonly shutDays: ShutDays;
  readonly clock: Clock;
  readonly taxRounding: TaxRounding;
}

export type CheckOutcome = { readonly kind: 'refused'; readonly refusal: Refusal } | GoodReceipt;

interface GoodReceipt {
  readonly kind: 'good';
  /** With the defaults of taxpayer and token, and the date as it was sent. */
  readonly receipt: Receipt;
  /** The reference is sealed already, with this content. */
  readonly isReplay: boolean;
  /** By how much its date would move if it were signed now. */
  readonly advancedSeconds: number;
  /** What keeps it from being signed at this moment, though it is good: a hold, the day, or a device that is too busy. */
  readonly notNow: Refusal | undefined;
}

/**
 * Says what signing would answer (docs/signing.md), as far as it can be known without the head's lock: every rule, on the head
 * and the original as they are at this moment. Nothing is locked, sealed or counted.
 */
export async function checkReceipt(
  context: CheckContext,
  caller: Selling,
  submitted: Receipt,
  isLate: boolean,
): Promise<CheckOutcome> {
  const { pool } = context;
  const { taxpayerId, isVatRegistered, takesBuyer } = caller;
  const receipt = applyDefaults(submitted, caller.defaults);
  const good = { kind: 'good', receipt, isReplay: false, advancedSeconds: 0, notNow: undefined } as const;
  const isKnown = (await context.devices.find(taxpayerId, receipt.AuthorityDeviceId)) !== undefined;
  const found = isKnown ? await findDevice(pool, taxpayerId, receipt.AuthorityDeviceId) : undefined;
  const violations = checkRules(receipt, caller.currencies, undefined, context.taxRounding);
  if (found === undefined || violations.length > 0) {
    const outcome = await refuseReceipt(context, caller, {
      submitted,
      receipt,
      device: found?.device,
      violations,
      isLate,
    });
    return outcome.kind === 'refused' ? outcome : { ...good, isReplay: true };
  }
  const { device, head } = found;
  const stored = await findReceipt(confirmed(pool), taxpayerId, submitted.Reference);
  if (stored) {
    const outcome = replayOrConflict(stored, submitted, device.zone);
    return outcome.kind === 'refused' ? outcome : { ...good, isReplay: true };
  }
  const nowSeconds = seconds(context.clock());
  const request = { taxpayerId, isVatRegistered, submitted, receipt, zone: device.zone, isLate, takesBuyer };
  const original = await findOriginal(pool, request);
  const outcome = await foresee(context, { receipt, device, isVatRegistered, head, original, isLate, nowSeconds });
  return outcome.kind === 'refused' ? outcome : { ...good, ...outcome };
}

type Foreseen = Extract<CheckOutcome, { kind: 'refused' }> | Pick<GoodReceipt, 'kind' | 'advancedSeconds' | 'notNow'>;

/** Its rules are judged also where it would have to wait. */
async function foresee({ pool, shutDays }: CheckContext, input: SealInput): Promise<Foreseen> {
  const { device, head, nowSeconds } = input;
  const outside = refuseOnHold(device, nowSeconds) ?? refuseOutsideDay(device, head, nowSeconds);
  let decision = decideInDay(input);
  if (decision.kind === 'needs-day-counters') {
    // The counters of a day that is not open yet begin at nothing.
    decision = decideInDay({ ...input, dayCounters: outside ? [] : await countDay(pool, head) });
  }
  if (decision.kind === 'refuse' && decision.refusal.code === 'InvalidRequest') {
    return { kind: 'refused', refusal: decision.refusal };
  }
  if (decision.kind === 'refuse') {
    const violations = checkOnDate(input, deviceWall(input.receipt.Date, device.zone));
    return violations.length > 0
      ? refuse(violations)
      : { kind: 'good', advancedSeconds: 0, notNow: outside ?? decision.refusal };
  }
  const isShut = outside?.code === 'FiscalDayNotOpen';
  return {
    kind: 'good',
    advancedSeconds: decision.kind === 'seal' ? decision.link.advancedSeconds : 0,
    notNow: isShut ? await shutDays.explain(outside, device.taxpayerId, device.deviceId, nowSeconds) : outside,
  };
}

function refuse(violations: readonly Violation[]): Extract<CheckOutcome, { kind: 'refused' }> {
  return { kind: 'refused', refusal: invalidReceipt(violations) };
}
