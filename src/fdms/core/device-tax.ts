import { type Decimal, equals, signOf } from '../../kernel/decimal.ts';
import { formatWall } from '../../kernel/zone.ts';

/** A tax of the device. Validity is by whole days, both ends included. */
export interface DeviceTax {
  readonly taxId: number;
  readonly taxPercent: Decimal | null;
  readonly taxName: string;
  readonly validFrom: string;
  readonly validTill: string | undefined;
}

/** What one configuration lists: in force from the moment it was received (device local time) until the next one is. */
export interface TaxTable {
  readonly sinceWall: number;
  readonly taxes: readonly DeviceTax[];
}

/** What the rules have to know of a device. */
export interface TaxedDevice {
  readonly deviceId: number;
  /** Newest first. The authority lists only current and future taxes, and a late receipt needs those of its own date. */
  readonly taxTables: readonly TaxTable[];
}

/** The newest table that covers the date decides alone: what it does not list has ended. The first one covers all before it. */
export function taxesOn({ taxTables }: TaxedDevice, wallSeconds: number): readonly DeviceTax[] {
  const table = taxTables.find(({ sinceWall }) => sinceWall <= wallSeconds) ?? taxTables.at(-1);
  if (table === undefined) return [];
  return inForceOn(table.taxes, wallSeconds);
}

export function inForceOn(taxes: readonly DeviceTax[], wallSeconds: number): readonly DeviceTax[] {
  const day = formatWall(wallSeconds).slice(0, 10);
  return taxes.filter((tax) => tax.validFrom <= day && (tax.validTill === undefined || day <= tax.validTill));
}

/** The tax of that percentage; of several the one with the lowest id. Exempt (null) is not zero-rated (0). */
export function taxOf(taxes: readonly DeviceTax[], percent: Decimal | null): DeviceTax | undefined {
  let found: DeviceTax | undefined;
  for (const tax of taxes) {
    if (isSamePercent(tax.taxPercent, percent) && (found === undefined || tax.taxId < found.taxId)) found = tax;
  }
  return found;
}

export function isSamePercent(a: Decimal | null, b: Decimal | null): boolean {
  return a === null || b === null ? a === b : equals(a, b);
}

type TaxKey = Pick<DeviceTax, 'taxId' | 'taxPercent'>;

/** What the authority knows it by: a percentage that changes under its id makes another tax. */
export function isSameTax(a: TaxKey, b: TaxKey): boolean {
  return a.taxId === b.taxId && isSamePercent(a.taxPercent, b.taxPercent);
}

export function isTaxed(percent: Decimal | null): boolean {
  return percent !== null && signOf(percent) > 0;
}
