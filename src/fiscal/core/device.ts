import { type Decimal, equals, signOf } from '../../kernel/decimal.ts';
import { formatWall } from '../../kernel/zone.ts';

/** A fiscal device as sealing sees it: settings, current key and configuration. `revision` tells when this view is old. */
export interface Device {
  readonly taxpayerId: string;
  readonly deviceId: number;
  readonly revision: number;
  readonly keyVersion: number;
  readonly configurationVersion: number;
  readonly zone: string;
  readonly maintenanceStartMinute: number;
  readonly datePolicy: 'advance' | 'strict';
  readonly advanceLimitSeconds: number;
  readonly futureLimitSeconds: number;
  readonly blockedReason: string | undefined;
  readonly serialNumber: string;
  readonly qrUrl: string;
  readonly dayMaximumHours: number;
  readonly certificateValidTill: Date | undefined;
  /** From every configuration ever received: the authority lists only current and future taxes. */
  readonly taxes: readonly DeviceTax[];
}

/** A tax of the device. Validity is by whole days, both ends included. */
export interface DeviceTax {
  readonly taxId: number;
  readonly taxPercent: Decimal | null;
  readonly taxName: string;
  readonly validFrom: string;
  readonly validTill: string | undefined;
}

export function taxesOn(device: Device, wallSeconds: number): readonly DeviceTax[] {
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
