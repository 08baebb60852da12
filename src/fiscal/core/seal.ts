import {
  checkCounters,
  checkDeviceTaxes,
  checkExternalOriginal,
  checkOriginal,
  type DayCounter,
  deviceWall,
  fitsCounter,
  gather,
  isNote,
  moveDate,
  type NumberHere,
  type Original,
  type Receipt,
  type ReceiptType,
  type SealedTax,
  sha256,
  signingString,
  taxesOn,
  taxOf,
  taxOfOriginal,
} from '../../fdms/index.ts';
import { absolute, add, type Decimal, sum } from '../../kernel/decimal.ts';
import type { Refusal, Violation } from '../../kernel/refusal.ts';
import { formatWall, wallOfInstant } from '../../kernel/zone.ts';
import { type Buyer, hasBuyer, withBuyer } from './apply-defaults.ts';
import type { Device } from './device.ts';
import { type DayDevice, type DayHead, refuseOutsideDay } from './fiscal-day.ts';
import type { Head } from './head.ts';
import { type HeldDevice, refuseOnHold } from './hold.ts';
import { decideDate } from './signing-date.ts';
import { refuseUnclearTax } from './tax-doubt.ts';

/** What a note refers to: a receipt sealed here, or one elsewhere (then perhaps with a number of a device of ours). */
export type OriginalLookup =
  | {
      readonly kind: 'here';
      readonly original: Original;
      /** Its buyer, where the taxpayer wants a note without one to take it. */
      readonly buyer?: Buyer | undefined;
    }
  | { readonly kind: 'elsewhere'; readonly numberHere: NumberHere | 'unlisted' | undefined };

export interface SealInput {
  readonly receipt: Receipt;
  readonly device: Device;
  readonly isVatRegistered: boolean;
  readonly head: Head;
  readonly original: OriginalLookup | undefined;
  /** Sold while its till was cut off: dated as late as it has to be. */
  readonly isLate: boolean;
  readonly nowSeconds: number;
  /** The day's exact counters; only needed when the day's volume comes near what a counter can hold. */
  readonly dayCounters?: readonly DayCounter[];
}

/** A receipt with its place in the chain, all but the signature. */
export interface Link {
  readonly receipt: Receipt;
  readonly type: ReceiptType;
  readonly taxes: readonly SealedTax[];
  readonly wallSeconds: number;
  readonly advancedSeconds: number;
  readonly fiscalDayNumber: number;
  readonly fiscalDayCounter: number;
  readonly globalCounter: number;
  readonly previousHash: Buffer | undefined;
  readonly signingText: string;
  readonly hash: Buffer;
  readonly originalDeviceId: number | undefined;
  readonly originalGlobalCounter: number | undefined;
}

export type SealDecision =
  | { readonly kind: 'seal'; readonly link: Link; readonly head: Head }
  | { readonly kind: 'refuse'; readonly refusal: Refusal }
  | { readonly kind: 'needs-day-counters' };

/**
 * The decision that is taken under the head lock (docs/signing.md): device, day, date, the rules that depend on
 * the date that will be signed, originals; then the next link of the chain. Pure: everything it needs comes in, so the
 * same input always gives the same link.
 */
export function decideSeal(input: SealInput): SealDecision {
  const { device, head, nowSeconds } = input;
  const refusal = refuseNow(device, head, nowSeconds);
  return refusal ? { kind: 'refuse', refusal } : decideInDay(input);
}

/** The device itself seals nothing at the moment, whatever the receipt. */
export function refuseNow(device: HeldDevice & DayDevice, head: DayHead, nowSeconds: number): Refusal | undefined {
  return refuseOnHold(device, nowSeconds) ?? refuseOutsideDay(device, head, nowSeconds);
}

/** The rest of it, whether or not the day is open: what can be said of the receipt itself. */
export function decideInDay(given: SealInput): SealDecision {
  const input = takeBuyer(given);
  const { receipt, device, head } = input;
  const requestedWall = deviceWall(receipt.Date, device.zone);
  const nowWall = wallOfInstant(device.zone, input.nowSeconds);
  const { lastWallSeconds: headWall, dayOpenedAtSeconds: openedAt } = head;
  const openedWall = openedAt === undefined ? undefined : wallOfInstant(device.zone, openedAt);
  const date = decideDate(device, requestedWall, { headWall, openedWall, nowWall, isLate: input.isLate });
  if (date.kind === 'busy') return { kind: 'refuse', refusal: date.refusal };
  if (date.kind === 'violation') return invalid([date.violation, ...checkOnDate(input, requestedWall)]);

  const violations = checkOnDate(input, date.wallSeconds);
  if (violations.length > 0) return invalid(violations);
  // A note has the taxes of its original, even those that have ended since.
  const unclear = input.original?.kind === 'here' ? undefined : refuseUnclearTax(device, receipt, input.nowSeconds);
  if (unclear) return { kind: 'refuse', refusal: unclear };

  const taxes = sealedTaxes(input, date.wallSeconds);
  const volume = add(head.dayVolume, sum(taxes.map((tax) => absolute(tax.salesAmountWithTax))));
  if (!fitsCounter(volume)) {
    const { dayCounters } = input;
    if (dayCounters === undefined) return { kind: 'needs-day-counters' };
    const tooLarge = gather((report) => checkCounters(receipt, taxes, dayCounters, report));
    if (tooLarge.length > 0) return invalid(tooLarge);
  }
  return extend(input, taxes, date.wallSeconds, date.wallSeconds - requestedWall, volume);
}

function takeBuyer(input: SealInput): SealInput {
  const { receipt, original } = input;
  if (original?.kind !== 'here' || hasBuyer(receipt)) return input;
  return { ...input, receipt: withBuyer(receipt, original.buyer) };
}

/** The rules that need the device and the date to be signed, also run on the requested date for a complete error list. */
export function checkOnDate(
  input: Pick<SealInput, 'receipt' | 'device' | 'isVatRegistered' | 'original'>,
  wallSeconds: number,
): Violation[] {
  const { receipt, original } = input;
  return gather((report) => {
    if (original?.kind === 'here') {
      checkOriginal(receipt, original.original, wallSeconds, report);
      return;
    }
    if (original) checkExternalOriginal(receipt, original.numberHere, report);
    checkDeviceTaxes(receipt, input.device, input.isVatRegistered, wallSeconds, report);
  });
}

export function invalidReceipt(errors: readonly Violation[]): Refusal {
  const count = errors.length === 1 ? 'One thing' : `${errors.length} things`;
  return { code: 'InvalidRequest', detail: `${count} must be corrected in this receipt; nothing was signed.`, errors };
}

function invalid(errors: readonly Violation[]): SealDecision {
  return { kind: 'refuse', refusal: invalidReceipt(errors) };
}

function sealedTaxes(input: SealInput, wallSeconds: number): SealedTax[] {
  const { receipt, device, original } = input;
  const deviceTaxes = taxesOn(device, wallSeconds);
  return receipt.Taxes.map((tax) => {
    const found =
      original?.kind === 'here' ? taxOfOriginal(original.original, tax.TaxPercent) : taxOf(deviceTaxes, tax.TaxPercent);
    if (found === undefined) throw new Error('a tax passed the rules that the device does not have');
    return {
      taxId: found.taxId,
      taxPercent: tax.TaxPercent,
      taxAmount: tax.TaxAmount,
      salesAmountWithTax: tax.SalesAmountWithTax,
    };
  });
}

function extend(
  input: SealInput,
  taxes: readonly SealedTax[],
  wallSeconds: number,
  advancedSeconds: number,
  dayVolume: Decimal,
): SealDecision {
  const { receipt, head } = input;
  const type = receipt.Type as ReceiptType; // the rules have passed
  const globalCounter = head.globalCounter + 1;
  const fiscalDayCounter = head.fiscalDayCounter + 1;
  const previousHash = head.lastHash;
  const signingText = signingString({
    deviceId: receipt.AuthorityDeviceId,
    type,
    currency: receipt.Currency,
    globalCounter,
    date: formatWall(wallSeconds),
    total: receipt.TotalAmount,
    taxes,
    previousHash,
  });
  const hash = sha256(signingText);
  const link: Link = {
    receipt: { ...receipt, Date: moveDate(receipt.Date, advancedSeconds, input.device.zone) },
    type,
    taxes,
    wallSeconds,
    advancedSeconds,
    fiscalDayNumber: head.fiscalDayNumber,
    fiscalDayCounter,
    globalCounter,
    previousHash,
    signingText,
    hash,
    ...originalNumbers(input),
  };
  return {
    kind: 'seal',
    link,
    head: { ...head, globalCounter, fiscalDayCounter, lastHash: hash, lastWallSeconds: wallSeconds, dayVolume },
  };
}

function originalNumbers({ receipt, original }: SealInput): Pick<Link, 'originalDeviceId' | 'originalGlobalCounter'> {
  if (!isNote(receipt)) return { originalDeviceId: undefined, originalGlobalCounter: undefined };
  if (original?.kind === 'here') {
    return { originalDeviceId: original.original.deviceId, originalGlobalCounter: original.original.globalCounter };
  }
  return {
    originalDeviceId: receipt.OriginalAuthorityDeviceId,
    originalGlobalCounter: receipt.OriginalGlobalCounter,
  };
}
