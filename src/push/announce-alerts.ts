import type { Pool } from 'pg';
import type { AlertEvent } from '../contract/platform/event.ts';
import { ENDPOINT_ALERTS } from '../contract/shared/values.ts';
import { inTransaction, type Transaction } from '../platform/database/database.ts';
import type { FeedWriter } from '../platform/events/feed.ts';
import type { Log } from '../platform/logging/log.ts';
import { type DueWork, regularly } from '../platform/work/due.ts';
import { findUnannounced, lockUnannounced, markAnnounced, type NewsOfAlert, recordAlertEvents } from './alert-store.ts';

const LOOK_EVERY_MS = 2000;
const AT_ONCE = 100;

export interface AnnouncerContext {
  readonly pool: Pool;
  readonly log: Log;
  readonly taxpayers: FeedWriter<AlertEvent>;
  readonly vendors: FeedWriter<AlertEvent>;
}

/** Makes events of alerts that were raised or are settled. Whoever raises one writes nothing more for that. */
export function createAnnouncer(context: AnnouncerContext): DueWork<never> {
  const work = async () => {
    while ((await announceAlerts(context)) === AT_ONCE);
  };
  return regularly(LOOK_EVERY_MS, work, context.log);
}

/** Of each alert once, whichever instance does it. Returns how many it took. */
export async function announceAlerts({ pool, taxpayers, vendors }: AnnouncerContext): Promise<number> {
  const waiting = await findUnannounced(pool, AT_ONCE);
  if (waiting.length === 0) return 0;
  const idsOf = (part: 'taxpayerId' | 'vendorId') => [...new Set(waiting.flatMap((alert) => alert[part] ?? []))];
  const [taxpayerIds, vendorIds] = [idsOf('taxpayerId'), idsOf('vendorId')];
  return inTransaction(pool, async (tx) => {
    // Counters first, the other way round than where alerts are raised. No alert is waited for, so that cannot end in a deadlock, whatever
    // order others keep.
    await lockCounters(tx, taxpayers, taxpayerIds);
    await lockCounters(tx, vendors, vendorIds);
    const alerts = await lockUnannounced(tx, waiting);
    const now = new Date();
    const events = alerts.flatMap((alert) => eventsOf(alert, now));
    const recordOf = async (writer: FeedWriter<AlertEvent>, part: 'TaxpayerId' | 'VendorId') => {
      const own = events.flatMap((event) =>
        event.data[part] === null ? [] : [{ ...event, tenantId: event.data[part] }],
      );
      if (own.length > 0) await writer.record(tx, own);
    };
    await recordOf(taxpayers, 'TaxpayerId');
    await recordOf(vendors, 'VendorId');
    if (events.length > 0) await recordAlertEvents(tx, events);
    await markAnnounced(tx, alerts);
    return alerts.length;
  });
}

async function lockCounters(tx: Transaction, { lock }: FeedWriter<AlertEvent>, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await lock(tx, ids);
}

export function eventsOf(alert: NewsOfAlert, at: Date): AlertEvent[] {
  if (alert.isBrief) return [];
  const data = {
    AlertId: String(alert.alertId),
    Kind: alert.kind,
    Message: alert.message,
    AuthorityDeviceId: alert.deviceId,
    TaxpayerId: alert.taxpayerId,
    VendorId: alert.vendorId,
    TenantName: alert.tenantName,
    EndpointId: ENDPOINT_ALERTS.some((kind) => kind === alert.kind) ? alert.subject : null,
    RaisedAt: alert.raisedAt.toISOString(),
  };
  return [
    ...(alert.isAnnounced ? [] : [{ type: 'alert.raised', at, data } as const]),
    ...(alert.clearedAt === null
      ? []
      : [{ type: 'alert.solved', at, data: { ...data, SolvedAt: alert.clearedAt.toISOString() } } as const]),
  ];
}
