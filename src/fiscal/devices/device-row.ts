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

export interface DeviceRow extends HeadRow {
  key_version: number;
  configuration_version: number;
  zone: string;
  maintenance_start_minute: number;
  date_policy: 'advance' | 'strict';
  advance_limit_seconds: number;
  future_limit_seconds: number;
  holds: string | null;
  serial_number: string;
  qr_url: string;
  day_maximum_hours: number;
  day_end_notification_hours: number;
  private_key_encrypted: Buffer;
  certificate_pem: string | null;
  certificate_valid_till: Date | null;
  tax_texts: string[] | null;
  taxes_received: Date[] | null;
  doubted_percents: string[] | null;
  doubted_answer: string | null;
  doubted_since: Date | null;
  is_remarked: boolean | null;
}

export function storedOfRow(row: DeviceRow): StoredDevice {
  return {
    device: deviceOfRow(row),
    privateKeyEncrypted: row.private_key_encrypted,
    certificatePem: row.certificate_pem ?? undefined,
    head: headOfRow(row),
  };
}

function deviceOfRow(row: DeviceRow): Device {
  return {
    taxpayerId: row.taxpayer_id,
    deviceId: row.device_id,
    revision: row.revision,
    keyVersion: row.key_version,
    configurationVersion: row.configuration_version,
    zone: row.zone,
    maintenanceStartMinute: row.maintenance_start_minute,
    datePolicy: row.date_policy,
    advanceLimitSeconds: row.advance_limit_seconds,
    futureLimitSeconds: row.future_limit_seconds,
    holds: holdsOfText(row.holds),
    serialNumber: row.serial_number,
    qrUrl: row.qr_url,
    dayMaximumHours: row.day_maximum_hours,
    dayEndNoticeHours: row.day_end_notification_hours,
    certificateValidTill: row.certificate_valid_till ?? undefined,
    taxTables: tablesOf(row),
    taxDoubt: doubtOf(row),
  };
}

function doubtOf(row: DeviceRow): TaxDoubt | undefined {
  const { doubted_percents: percents, doubted_answer: answer, doubted_since: since, is_remarked: isRemarked } = row;
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
function tablesOf({ tax_texts: texts, taxes_received: received, zone }: DeviceRow): TaxTable[] {
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
