import type { ConfigResponse, DeviceTax } from '../../fdms/index.ts';
import { decimal, formatDecimal } from '../../kernel/decimal.ts';
import { lasts } from '../../platform/alerts/store.ts';
import { seconds } from '../../platform/clock.ts';
import type { Queryable, Transaction } from '../../platform/database/database.ts';
import { update, upsert } from '../../platform/database/rows.ts';
import type { TaxDoubt } from '../core/device.ts';
import type { DayOutlook } from '../core/fiscal-day.ts';
import type { DeviceKey } from '../core/keys.ts';
import type { LeasedTransaction } from '../lanes/lease-store.ts';
import type { TaxRow } from './device-row.ts';
import { bumpRevision } from './store.ts';

/** The taxes that a configuration lists, valid by whole days. */
export function listedTaxes({ applicableTaxes }: ConfigResponse): DeviceTax[] {
  return applicableTaxes.map((tax) => ({
    taxId: tax.taxID,
    taxPercent: tax.taxPercent === undefined ? null : decimal(tax.taxPercent),
    taxName: tax.taxName,
    validFrom: tax.validFrom.slice(0, 10),
    validTill: tax.validTill?.slice(0, 10),
  }));
}

/** As they are kept: percent as text. */
function taxesText(taxes: readonly DeviceTax[]): string {
  const rows = taxes.map(({ taxId, taxPercent, taxName, validFrom, validTill }): TaxRow => {
    const percent = taxPercent === null ? null : formatDecimal(taxPercent);
    return { taxId, taxPercent: percent, taxName, validFrom, validTill: validTill ?? null };
  });
  return JSON.stringify(rows);
}

/** Keeps a configuration when it differs from the newest one; every version stays. Returns the version in force. */
export async function keepConfiguration(
  tx: Transaction,
  key: DeviceKey,
  configuration: ConfigResponse,
  receivedAt: Date,
  taxes: readonly DeviceTax[] = listedTaxes(configuration),
): Promise<number> {
  const values = [
    key.taxpayerId,
    key.deviceId,
    configuration.deviceSerialNo,
    configuration.qrUrl,
    configuration.taxPayerDayMaxHrs,
    taxesText(taxes),
    configuration.deviceOperatingMode,
    configuration.taxPayerName,
    configuration.taxPayerTIN,
    configuration.vatNumber ?? null,
    configuration.deviceBranchName,
    JSON.stringify(configuration.deviceBranchAddress),
    configuration.deviceBranchContacts === undefined ? null : JSON.stringify(configuration.deviceBranchContacts),
    configuration.taxpayerDayEndNotificationHrs,
    receivedAt,
  ];
  const { rows } = await tx.query<{ version: number }>(
    `with newest as (
       select * from device_configurations where taxpayer_id = $1 and device_id = $2
        order by configuration_version desc limit 1),
     added as (
       insert into device_configurations (taxpayer_id, device_id, configuration_version, serial_number, qr_url,
         day_maximum_hours, taxes, operating_mode, taxpayer_name, taxpayer_tin, vat_number, branch_name, branch_address,
         branch_contacts, day_end_notification_hours, received_at)
       select $1, $2, coalesce((select configuration_version from newest), 0) + 1, $3, $4, $5, $6::jsonb, $7, $8, $9, $10,
              $11, $12::jsonb, $13::jsonb, $14, $15
        where not exists (
          select from newest
           where (serial_number, qr_url, day_maximum_hours, taxes, operating_mode, taxpayer_name, taxpayer_tin, vat_number,
                  branch_name, branch_address, branch_contacts, day_end_notification_hours)
                 is not distinct from ($3, $4, $5, $6::jsonb, $7, $8, $9, $10, $11, $12::jsonb, $13::jsonb, $14))
       returning configuration_version)
     select configuration_version as version from added
     union all select configuration_version from newest order by version desc limit 1`,
    values,
  );
  const version = rows[0]?.version;
  if (version === undefined) throw new Error('a configuration was neither kept nor there');
  // Whether a taxpayer is registered for VAT is the authority's word: a receipt with the wrong one turns red there.
  await tx.query(
    'update taxpayers set vat_number = $2 where taxpayer_id = $1 and tin = $3 and vat_number is distinct from $2',
    [key.taxpayerId, configuration.vatNumber ?? null, configuration.taxPayerTIN.trim()],
  );
  return version;
}

/** Puts a configuration in force on the head. */
export async function putInForce(tx: LeasedTransaction, key: DeviceKey, version: number): Promise<void> {
  await tx.query(
    `update device_heads set configuration_version = $3, revision = revision + 1
      where taxpayer_id = $1 and device_id = $2 and configuration_version <> $3`,
    [key.taxpayerId, key.deviceId, version],
  );
}

/** In the place of the one there was; every instance sees it. */
export async function keepTaxDoubt(tx: LeasedTransaction, key: DeviceKey, doubt: TaxDoubt): Promise<void> {
  const { taxpayerId, deviceId } = key;
  const { percents, sinceSeconds, isRemarked } = doubt;
  const row = {
    percents,
    answer: doubt.answer && taxesText(doubt.answer),
    since: new Date(sinceSeconds * 1000),
    isRemarked,
  };
  await upsert(tx, 'tax_doubts', { taxpayerId, deviceId }, row);
  await bumpRevision(tx, key);
}

export async function endTaxDoubt(tx: LeasedTransaction, key: DeviceKey): Promise<void> {
  await tx.query('delete from tax_doubts where taxpayer_id = $1 and device_id = $2', [key.taxpayerId, key.deviceId]);
  await bumpRevision(tx, key);
}

export async function storeCertificate(
  tx: Transaction,
  key: DeviceKey,
  keyVersion: number,
  certificate: { readonly pem: string; readonly validTill: Date },
): Promise<void> {
  const { taxpayerId, deviceId } = key;
  const { pem: certificatePem, validTill: certificateValidTill } = certificate;
  await update(tx, 'device_keys', { taxpayerId, deviceId, keyVersion }, { certificatePem, certificateValidTill });
}

/** How a device stands: its day, what keeps that from being opened or closed, and what waits for the authority. */
export interface StoredOutlook extends DayOutlook {
  /** References of the day's receipts that the authority marked red, the first few: with one of them no closing succeeds. */
  readonly redReferences: readonly string[];
  /** Sealed, and not settled at the authority yet. */
  readonly waitingReceipts: number;
  /** When the first of them was sealed. */
  readonly waitingSince: Date | undefined;
  /** Nothing is submitted until an operator decides. */
  readonly isStopped: boolean;
  readonly stoppedBy: { readonly reference: string; readonly globalCounter: number } | undefined;
  /** What stands in the way of submitting, in words. */
  readonly error: string | undefined;
  readonly connectedAt: Date | undefined;
}

type OutlookRow = Pick<StoredOutlook, 'dayState' | 'isHeldUp' | 'redReferences' | 'waitingReceipts' | 'isStopped'> & {
  readonly deviceId: number;
  readonly requested: 'open' | 'close' | null;
  readonly reopenAfter: Date | null;
  readonly error: string | null;
  readonly reference: string | null;
  readonly globalCounter: number | null;
  readonly connectedAt: Date | null;
  readonly sealedAt: Date | null;
};

/** Undefined when there is no such device. */
export async function readOutlook(
  db: Queryable,
  taxpayerId: string,
  deviceId: number,
): Promise<StoredOutlook | undefined> {
  return (await readOutlooks(db, [{ taxpayerId, deviceId }])).get(deviceId);
}

/** Of a page of devices at once, by id. */
export async function readOutlooks(
  db: Queryable,
  keys: readonly DeviceKey[],
): Promise<ReadonlyMap<number, StoredOutlook>> {
  const { rows } = await db.query<OutlookRow>({
    name: 'read-outlooks',
    text: `select h.device_id as "deviceId", h.day_state as "dayState", l.requested, l.reopen_after as "reopenAfter",
                  l.device_id is null or l.stopped_reason is not null
                    or (l.is_outage and h.day_state in ('Closing', 'CloseInitiated'))
                    or ${lasts('h', ['DeviceRefused', 'Refused', 'DayOpenElsewhere'])} as "isHeldUp",
                  array(select r.reference
                          from submissions s join receipts r using (taxpayer_id, device_id, global_counter)
                         where s.taxpayer_id = h.taxpayer_id and s.device_id = h.device_id and s.worst_colour = 'Red'
                           and r.fiscal_day_number = h.fiscal_day_number
                         order by s.global_counter limit 5) as "redReferences",
                  h.global_counter - coalesce(l.submitted_through, 0) as "waitingReceipts",
                  l.stopped_reason is not null as "isStopped",
                  coalesce(l.stopped_reason, l.error) as error, l.pinged_at as "connectedAt",
                  n.reference, n.global_counter as "globalCounter", n.sealed_at as "sealedAt"
             from unnest($1::uuid[], $2::integer[]) as k (taxpayer_id, device_id)
             join device_heads h using (taxpayer_id, device_id)
             left join device_lanes l using (taxpayer_id, device_id)
             left join lateral (
               select r.reference, r.global_counter, r.sealed_at from receipts r
                where r.taxpayer_id = h.taxpayer_id and r.device_id = h.device_id
                  and r.global_counter = coalesce(l.submitted_through, 0) + 1 limit 1) n
               on h.global_counter > coalesce(l.submitted_through, 0)`,
    values: [keys.map((key) => key.taxpayerId), keys.map((key) => key.deviceId)],
  });
  return new Map(rows.map((row) => [row.deviceId, outlookOfRow(row)]));
}

function outlookOfRow(row: OutlookRow): StoredOutlook {
  const { dayState, reference, globalCounter, isStopped } = row;
  return {
    dayState,
    requested: row.requested ?? undefined,
    reopenAfterSeconds: row.reopenAfter === null ? undefined : seconds(row.reopenAfter),
    isHeldUp: row.isHeldUp,
    redReferences: dayState === 'Closed' ? [] : row.redReferences,
    waitingReceipts: row.waitingReceipts,
    waitingSince: row.sealedAt ?? undefined,
    isStopped,
    stoppedBy: isStopped && reference !== null && globalCounter !== null ? { reference, globalCounter } : undefined,
    error: row.error ?? undefined,
    connectedAt: row.connectedAt ?? undefined,
  };
}
