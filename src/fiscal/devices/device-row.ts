import { LRUCache } from 'lru-cache';
import { HOLD_KINDS } from '../../contract/shared/kinds.ts';
import type { DeviceTax, TaxTable } from '../../fdms/index.ts';
import { decimal } from '../../kernel/decimal.ts';
import { wallOfInstant } from '../../kernel/zone.ts';
import { textsOf } from '../../platform/alerts/store.ts';
import { seconds } from '../../platform/clock.ts';
import type { Device, TaxDoubt } from '../core/device.ts';
import type { Head } from '../core/head.ts';
import type { Hold } from '../core/hold.ts';
import { type HeadRow, headOfRow } from './head-row.ts';

/** A device with its head as it stands now: for reads, and to notice what changed. */
export interface StoredDevice {
  readonly device: Device;
  readonly privateKeyEncrypted: Buffer;
  readonly certificatePem: string | undefined;
  readonly head: Head;
}

type Plain = Omit<Device, 'holds' | 'certificateValidTill' | 'taxTables' | 'taxDoubt'>;
export type DeviceRow = HeadRow &
  Plain & {
    readonly holds: string | null;
    readonly privateKeyEncrypted: Buffer;
    readonly certificatePem: string | null;
    readonly certificateValidTill: Date | null;
    readonly taxTexts: string[] | null;
    readonly taxesReceived: Date[] | null;
    readonly doubtedPercents: string[] | null;
    readonly doubtedAnswer: string | null;
    readonly doubtedSince: Date | null;
    readonly isRemarked: boolean | null;
  };

export function storedOfRow(row: DeviceRow): StoredDevice {
  return {
    device: deviceOfRow(row),
    privateKeyEncrypted: row.privateKeyEncrypted,
    certificatePem: row.certificatePem ?? undefined,
    head: headOfRow(row),
  };
}

function deviceOfRow(row: DeviceRow): Device {
  return {
    taxpayerId: row.taxpayerId,
    deviceId: row.deviceId,
    revision: row.revision,
    keyVersion: row.keyVersion,
    configurationVersion: row.configurationVersion,
    zone: row.zone,
    maintenanceStartMinute: row.maintenanceStartMinute,
    datePolicy: row.datePolicy,
    advanceLimitSeconds: row.advanceLimitSeconds,
    futureLimitSeconds: row.futureLimitSeconds,
    holds: holdsOfText(row.holds),
    serialNumber: row.serialNumber,
    qrUrl: row.qrUrl,
    dayMaximumHours: row.dayMaximumHours,
    dayEndNoticeHours: row.dayEndNoticeHours,
    certificateValidTill: row.certificateValidTill ?? undefined,
    taxTables: tablesOf(row),
    taxDoubt: doubtOf(row),
  };
}

function doubtOf(row: DeviceRow): TaxDoubt | undefined {
  const { doubtedPercents: percents, doubtedAnswer: answer, doubtedSince: since, isRemarked } = row;
  if (percents === null || since === null) return undefined;
  return {
    percents,
    answer: answer === null ? undefined : taxesOfText(answer),
    sinceSeconds: seconds(since),
    isRemarked: isRemarked === true,
  };
}

/** Of a device, by the row of its head (aliased h). */
export const HOLDS = `(select jsonb_agg(jsonb_build_object('kind', o.kind, 'reason', coalesce(o.data ->> 'reason', o.message),
              'by', o.data ->> 'by', 'since', o.since) order by o.since)
            from alerts o where o.tenant_id = h.taxpayer_id and o.device_id = h.device_id and o.kind in (${textsOf(HOLD_KINDS)})
              and o.cleared_at is null) as holds`;

/** As `HOLDS` gathers them. */
export function holdsOfText(text: string | null): readonly Hold[] {
  if (text === null) return [];
  const rows = JSON.parse(text) as (Omit<Hold, 'since'> & { readonly since: string })[];
  return rows.map(({ since, ...hold }) => ({ ...hold, since: new Date(since) }));
}

/** How a tax is kept in `device_configurations.taxes`; the percent is text, because jsonb numbers would become floats here. */
export interface TaxRow {
  readonly taxId: number;
  readonly taxPercent: string | null;
  readonly taxName: string;
  readonly validFrom: string;
  readonly validTill: string | null;
}

/** Newest first. One that lists what the one before it lists says nothing new, and leaves that one in force. */
function tablesOf({ taxTexts: texts, taxesReceived: received, zone }: DeviceRow): TaxTable[] {
  return (texts ?? []).flatMap((text, index) => {
    const at = received?.[index];
    if (at === undefined || text === texts?.[index + 1]) return [];
    return [{ sinceWall: wallOfInstant(zone, seconds(at)), taxes: taxesOfText(text) }];
  });
}

/** As they are kept in `device_configurations.taxes`. */
export function taxesOfText(text: string): readonly DeviceTax[] {
  const known = knownTaxes.get(text);
  if (known !== undefined) return known;
  const taxes = (JSON.parse(text) as TaxRow[]).map((tax) => ({
    ...tax,
    taxPercent: tax.taxPercent === null ? null : decimal(tax.taxPercent),
    validTill: tax.validTill ?? undefined,
  }));
  knownTaxes.set(text, taxes);
  return taxes;
}

/** Thousands of devices share a handful of tax lists. */
const knownTaxes = new LRUCache<string, readonly DeviceTax[]>({ max: 100 });
