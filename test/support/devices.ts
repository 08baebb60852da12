import type { DeviceTax, TaxTable } from '../../src/fdms/core/device-tax.ts';
import type { Device } from '../../src/fiscal/core/device.ts';
import type { Head } from '../../src/fiscal/core/head.ts';
import type { Hold } from '../../src/fiscal/core/hold.ts';
import { decimal, ZERO } from '../../src/kernel/decimal.ts';
import { parseWall } from '../../src/kernel/zone.ts';

export function deviceTax(taxId: number, percent: string | null, validFrom: string, validTill?: string): DeviceTax {
  return {
    taxId,
    taxPercent: percent === null ? null : decimal(percent),
    taxName: `Tax ${taxId}`,
    validFrom,
    validTill,
  };
}

export function taxTable(since: string, taxes: readonly DeviceTax[]): TaxTable {
  return { sinceWall: wall(since), taxes };
}

/** A device in Harare with the taxes of 2026 (15 % until the end of 2025), its window at 02:00, and the default limits. */
export function device(changes: Partial<Device> = {}): Device {
  return {
    taxpayerId: '0190a000-0000-7000-8000-000000000001',
    deviceId: 1001,
    revision: 1,
    keyVersion: 1,
    configurationVersion: 1,
    zone: 'Africa/Harare',
    maintenanceStartMinute: 120,
    datePolicy: 'advance',
    advanceLimitSeconds: 300,
    futureLimitSeconds: 120,
    holds: [],
    serialNumber: 'SN-1001',
    qrUrl: 'https://verify.example.com',
    dayMaximumHours: 24,
    dayEndNoticeHours: 2,
    certificateValidTill: undefined,
    taxDoubt: undefined,
    taxTables: [
      taxTable('2020-01-01T00:00:00', [
        deviceTax(1, null, '2020-01-01'),
        deviceTax(2, '0', '2020-01-01'),
        deviceTax(3, '15', '2020-01-01', '2025-12-31'),
        deviceTax(517, '15.5', '2026-01-01'),
      ]),
    ],
    ...changes,
  };
}

export function hold(kind: Hold['kind'], reason: string): Hold {
  return { kind, reason, since: new Date('2026-11-15T10:00:00Z') };
}

/** Day 1 of that device, opened at 06:00 local on 15 November 2026, without a receipt. */
export function head(changes: Partial<Head> = {}): Head {
  return {
    taxpayerId: '0190a000-0000-7000-8000-000000000001',
    deviceId: 1001,
    revision: 1,
    dayState: 'Opened',
    fiscalDayNumber: 1,
    dayOpenedAtSeconds: instant('2026-11-15T06:00:00+02:00'),
    fiscalDayCounter: 0,
    globalCounter: 0,
    lastHash: undefined,
    lastWallSeconds: undefined,
    dayVolume: ZERO,
    ...changes,
  };
}

/** Unix seconds of a date with an offset. */
export function instant(text: string): number {
  return Date.parse(text) / 1000;
}

/** A wall time from its text. */
export function wall(text: string): number {
  const seconds = parseWall(text);
  if (seconds === undefined) throw new RangeError(`${text} is no wall time`);
  return seconds;
}
