import type { Queryable } from '../../platform/database.ts';
import type { SubmissionState } from '../receipts/sealed-receipt.ts';

/** What an operator sees at one glance. Each statement reads as much as there are devices, or a bounded piece of an index. */
export interface DeviceCounts {
  readonly dayStates: Readonly<Record<string, number>>;
  readonly blocked: number;
  readonly stopped: number;
  /** The stopped ones by the state of their day. */
  readonly stoppedDayStates: Readonly<Record<string, number>>;
}

export async function countDevices(db: Queryable): Promise<DeviceCounts> {
  const { rows } = await db.query<{ state: string; devices: number; blocked: number; stopped: number }>({
    name: 'count-devices',
    text: `select h.day_state as state, count(*)::integer as devices,
                  count(*) filter (where d.blocked_reason is not null or d.is_blocked_by_authority)::integer as blocked,
                  count(*) filter (where l.stopped_reason is not null)::integer as stopped
             from device_heads h
             join devices d using (taxpayer_id, device_id)
             left join device_lanes l using (taxpayer_id, device_id)
            group by 1`,
  });
  return {
    dayStates: Object.fromEntries(rows.map((row) => [row.state, row.devices])),
    blocked: rows.reduce((sum, row) => sum + row.blocked, 0),
    stopped: rows.reduce((sum, row) => sum + row.stopped, 0),
    stoppedDayStates: Object.fromEntries(rows.flatMap((row) => (row.stopped > 0 ? [[row.state, row.stopped]] : []))),
  };
}

export interface DeviceDeadline {
  readonly taxpayerId: string;
  readonly deviceId: number;
  readonly zone: string;
  readonly at: Date;
}

/** Certificates in use that end before then, the first first. */
export async function findExpiringCertificates(db: Queryable, before: Date, limit: number): Promise<DeviceDeadline[]> {
  const { rows } = await db.query<DeviceDeadline>(
    `select h.taxpayer_id as "taxpayerId", h.device_id as "deviceId", d.zone, k.certificate_valid_till as at
       from device_heads h
       join devices d using (taxpayer_id, device_id)
       join device_keys k using (taxpayer_id, device_id, key_version)
      where k.certificate_valid_till < $1 order by k.certificate_valid_till limit $2`,
    [before, limit],
  );
  return rows;
}

/** Open days that reach the authority's maximum before then, the first first. */
export async function findEndingDays(db: Queryable, before: Date, limit: number): Promise<DeviceDeadline[]> {
  const { rows } = await db.query<DeviceDeadline>(
    `select h.taxpayer_id as "taxpayerId", h.device_id as "deviceId", d.zone,
            h.day_opened_at + make_interval(hours => c.day_maximum_hours) as at
       from device_heads h
       join devices d using (taxpayer_id, device_id)
       join device_configurations c using (taxpayer_id, device_id, configuration_version)
      where h.day_state <> 'Closed' and h.day_opened_at + make_interval(hours => c.day_maximum_hours) < $1
      order by 4 limit $2`,
    [before, limit],
  );
  return rows;
}

export interface LatestReceipt {
  readonly taxpayerId: string;
  readonly deviceId: number;
  readonly globalCounter: number;
  readonly reference: string;
  readonly type: string;
  readonly currency: string;
  readonly total: string;
  readonly sealedAt: Date;
  readonly zone: string;
  readonly state: SubmissionState;
  readonly worstColour: 'Red' | 'Grey' | 'Yellow' | null;
}

export async function findLatestReceipts(db: Queryable, limit: number): Promise<LatestReceipt[]> {
  const { rows } = await db.query<LatestReceipt>({
    name: 'find-latest-receipts',
    text: `select r.taxpayer_id as "taxpayerId", r.device_id as "deviceId", r.global_counter as "globalCounter", r.reference,
                  r.type, r.currency, r.total, r.sealed_at as "sealedAt", d.zone, coalesce(s.state, 'Pending') as state,
                  s.worst_colour as "worstColour"
             from (select taxpayer_id, device_id, global_counter, reference, type, currency, total, sealed_at
                     from receipts order by sealed_at desc limit $1) r
             join devices d using (taxpayer_id, device_id)
             left join submissions s using (taxpayer_id, device_id, global_counter)
            order by r.sealed_at desc, r.device_id desc, r.global_counter desc`,
    values: [limit],
  });
  return rows;
}
