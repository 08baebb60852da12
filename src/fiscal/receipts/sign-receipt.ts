import type { Pool } from 'pg';
import { checkRules, type Receipt } from '../../fdms/index.ts';
import type { TaxRounding } from '../../kernel/tax.ts';
import { type Clock, seconds } from '../../platform/clock.ts';
import { confirmRead, epochOf } from '../../platform/database/barrier.ts';
import { primaryOf } from '../../platform/database/database.ts';
import { MAX_UNDECIDED_MS } from '../../platform/database/in-time.ts';
import { applyDefaults } from '../core/apply-defaults.ts';
import type { ShutDays } from '../days/shut-days.ts';
import type { DeviceRegistry } from '../devices/device-registry.ts';
import type { SealOutcome } from '../sealing/seal-request.ts';
import type { Sealer } from '../sealing/sealer.ts';
import type { Submit } from '../submission/submit-receipt.ts';
import type { Selling } from '../taxpayers/caller.ts';
import { refuseReceipt } from './refuse-receipt.ts';

export interface SignContext {
  readonly pool: Pool;
  readonly devices: DeviceRegistry;
  readonly sealer: Sealer;
  readonly shutDays: ShutDays;
  readonly clock: Clock;
  readonly taxRounding: TaxRounding;
}

/** The same for whoever asks: signs a receipt, and waits for its submission as long as requests do. */
export type Sign = (caller: Selling, submitted: Receipt, isLate: boolean) => Promise<SealOutcome>;

export function createSign(context: SignContext & { readonly submit: Submit }): Sign {
  return async (caller, submitted, isLate) => {
    const outcome = await signReceipt(context, caller, submitted, isLate);
    if (outcome.kind !== 'sealed') return outcome;
    return { ...outcome, sealed: await context.submit(caller.taxpayerId, outcome.sealed, outcome.link) };
  };
}

/**
 * Signs a receipt (docs/signing.md). A reference that is sealed already decides first, before every rule and every
 * 503. Only a refused request pays for that look-up here; a good one finds its twin in the sealing transaction.
 */
async function signReceipt(
  context: SignContext,
  caller: Selling,
  submitted: Receipt,
  isLate: boolean,
): Promise<SealOutcome> {
  const receipt = applyDefaults(submitted, caller.defaults);
  const { taxpayerId, isVatRegistered, takesBuyer } = caller;
  const deviceId = receipt.AuthorityDeviceId;
  const signing = context.devices.lastSeen(taxpayerId, deviceId) ?? (await context.devices.find(taxpayerId, deviceId));
  const violations = checkRules(receipt, caller.currencies, undefined, context.taxRounding);
  if (signing === undefined || violations.length > 0 || primaryOf(context.pool).isWaiting) {
    return refuseReceipt(context, caller, { submitted, receipt, device: signing?.device, violations, isLate });
  }
  const request = { taxpayerId, isVatRegistered, submitted, receipt, zone: signing.device.zone, isLate, takesBuyer };
  const epoch = epochOf(context.pool);
  const untilMs = performance.now() + MAX_UNDECIDED_MS;
  const outcome = await context.sealer.seal(request);
  if (outcome.kind === 'sealed') return outcome;
  const isFound = outcome.kind === 'replayed' || outcome.refusal.code === 'ReferenceConflict';
  if (isFound) await confirmRead(context.pool, epoch, untilMs - performance.now());
  if (outcome.kind === 'replayed' || outcome.refusal.code !== 'FiscalDayNotOpen') return outcome;
  const nowSeconds = seconds(context.clock());
  return { ...outcome, refusal: await context.shutDays.explain(outcome.refusal, taxpayerId, deviceId, nowSeconds) };
}
