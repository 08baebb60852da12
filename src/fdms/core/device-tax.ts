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

/** What the rules have to know of a device. */
export interface TaxedDevice {
  readonly deviceId: number;
  /** From every configuration ever received: the authority lists only current and future taxes. */
  readonly taxes: readonly DeviceTax[];
}

export function taxesOn(device: TaxedDevice, wallSeconds: number): readonly DeviceTax[] {
  const day = formatWall(wallSeconds).slice(0, 10);
  return device.taxes.filter((tax) => tax.validFrom <= day && (tax.validTill === undefined || day <= tax.validTill));
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

export function isTaxed(percent: Decimal | null): boolean {
  return percent !== null && signOf(percent) > 0;
}
