import {
  type DeviceTax,
  inForceOn,
  isSameTax,
  percentKey,
  percentName,
  type Receipt,
  type SealedTax,
  taxesOn,
} from '../../fdms/index.ts';
import type { Refusal } from '../../kernel/refusal.ts';
import { wallOfInstant } from '../../kernel/zone.ts';
import type { Device, TaxDoubt } from './device.ts';
import { isPast, type LaneRecord } from './next-step.ts';

const RETRY_SECONDS = 10;
const MINUTE = 60;
/** A shop does not stop because the authority is silent: after that the taxes in force count although they are in doubt. */
const SILENCE_SECONDS = 10 * MINUTE;

type DoubtedDevice = Pick<Device, 'deviceId' | 'taxTables' | 'taxDoubt' | 'zone'>;

export interface TaxDecision {
  /** What is in force from now on. */
  readonly taxes: readonly DeviceTax[];
  /** Percentages of these that are in doubt; none: the answer is believed. */
  readonly percents: readonly string[];
  /** What the answer changes for today, in words; empty: all that was in force is listed. */
  readonly change: string;
}

/**
 * What follows from the taxes that the authority lists. Where one that is in force today is missing, a second answer has to say so, or a
 * remark to have gone before; until then what is in force of its percentage stays, in doubt, and the rest of the answer counts.
 */
export function decideTaxes(device: DoubtedDevice, answer: readonly DeviceTax[], nowSeconds: number): TaxDecision {
  const { taxDoubt: doubt, zone } = device;
  const today = (taxes: readonly DeviceTax[]) => inForceOn(taxes, wallOfInstant(zone, nowSeconds));
  const inForce = device.taxTables[0]?.taxes ?? [];
  const missing = without(today(inForce), today(answer));
  if (missing.length === 0) return { taxes: answer, percents: [], change: '' };
  const change = [
    ...missing.map((tax) => `${taxName(tax)} is gone`),
    ...without(today(answer), today(inForce)).map((tax) => `${taxName(tax)} is new`),
  ].join(', ');
  const isSaidTwice = doubt?.answer !== undefined && isSameList(today(doubt.answer), today(answer));
  if (isSaidTwice || doubt?.isRemarked === true) {
    // What is new of other percentages may have counted since the first answer.
    return { taxes: answer, percents: [], change: `${change}; it has ${today(answer).map(taxName).join(', ')} now` };
  }
  const percents = [...new Set(missing.map(keyOf))];
  const isDoubted = (tax: DeviceTax) => percents.includes(keyOf(tax));
  const taxes = [...answer.filter((tax) => !isDoubted(tax)), ...inForce.filter(isDoubted)];
  return { taxes, percents, change };
}

/**
 * What a remark RCPT025 on a receipt with these taxes puts in doubt. Undefined: nothing more than there was, since the receipt was sealed
 * with taxes that have ended meanwhile, or the authority was asked less than a minute ago.
 */
export function doubtAfterRemark(
  device: DoubtedDevice,
  lane: Pick<LaneRecord, 'taxRemarkAtSeconds'>,
  used: readonly SealedTax[],
  nowSeconds: number,
): TaxDoubt | undefined {
  const { taxDoubt: doubt } = device;
  if (doubt === undefined && !isPast(lane.taxRemarkAtSeconds, MINUTE, nowSeconds)) return undefined;
  const inForce = taxesOn(device, wallOfInstant(device.zone, nowSeconds));
  const remarked = used.filter((tax) => inForce.some((one) => isSameTax(one, tax))).map(keyOf);
  const percents = [...new Set([...(doubt?.percents ?? []), ...remarked])];
  const isNew = doubt?.isRemarked !== true || percents.length > doubt.percents.length;
  if (remarked.length === 0 || !isNew) return undefined;
  return { percents, answer: doubt?.answer, sinceSeconds: doubt?.sinceSeconds ?? nowSeconds, isRemarked: true };
}

/** A receipt with a percentage in doubt waits. */
export function refuseUnclearTax(
  { deviceId, taxDoubt: doubt }: DoubtedDevice,
  receipt: Pick<Receipt, 'Taxes'>,
  nowSeconds: number,
): Refusal | undefined {
  if (doubt === undefined) return undefined;
  if (!doubt.isRemarked && isPast(doubt.sinceSeconds, SILENCE_SECONDS, nowSeconds)) return undefined;
  const unclear = receipt.Taxes.filter((tax) => doubt.percents.includes(percentKey(tax.TaxPercent)));
  if (unclear.length === 0) return undefined;
  const names = unclear.map((tax) => percentName(tax.TaxPercent)).join(', ');
  const reason = doubt.isRemarked ? 'remarked RCPT025 on a receipt' : 'no longer lists the tax in its last answer';
  return {
    code: 'TaxUnclear',
    detail: `Whether device ${deviceId} still has the tax of ${names} is not clear: the authority ${reason}, and is being asked. Nothing was signed; send the same receipt again in a moment, with the header Late-Receipt: true.`,
    retryAfterSeconds: RETRY_SECONDS,
  };
}

function without(taxes: readonly DeviceTax[], others: readonly DeviceTax[]): DeviceTax[] {
  return taxes.filter((tax) => !others.some((one) => isSameTax(one, tax)));
}

function isSameList(one: readonly DeviceTax[], other: readonly DeviceTax[]): boolean {
  return without(one, other).length === 0 && without(other, one).length === 0;
}

function keyOf({ taxPercent }: Pick<DeviceTax, 'taxPercent'>): string {
  return percentKey(taxPercent);
}

function taxName({ taxId, taxPercent }: DeviceTax): string {
  return `${percentName(taxPercent)} (tax ${taxId})`;
}
