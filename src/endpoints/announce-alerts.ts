import type { Pool } from 'pg';
import type { AlertEvent } from '../contract/platform/event.ts';
import { alertKindOf } from '../contract/shared/kinds.ts';
import { inTransaction } from '../platform/database/database.ts';
import { INSTALLATION_ID } from '../platform/events/feed.ts';
import { lockCounters, recordEvents } from '../platform/events/store.ts';
import { findUnannounced, lockUnannounced, markAnnounced, type NewsOfAlert } from './alert-store.ts';

const AT_ONCE = 100;

/** Makes events of alerts that were raised or are settled. Whoever raises one writes nothing more for that. */
export async function announceAll(pool: Pool): Promise<void> {
  while ((await announceAlerts(pool)) === AT_ONCE);
}

/** Of each alert once, whichever instance does it. Returns how many it took. */
export async function announceAlerts(pool: Pool): Promise<number> {
  const waiting = await findUnannounced(pool, AT_ONCE);
  if (waiting.length === 0) return 0;
  return inTransaction(pool, async (tx) => {
    // Counters first, the other way round than where alerts are raised. No alert is waited for, so that cannot end in a deadlock, whatever
    // order others keep.
    await lockCounters(tx, [...new Set(waiting.flatMap(({ taxpayerId, vendorId }) => told(taxpayerId, vendorId)))]);
    const alerts = await lockUnannounced(tx, waiting);
    const now = new Date();
    const events = alerts.flatMap((alert) => eventsOf(alert, now));
    await recordEvents(
      tx,
      events.flatMap((event) =>
        told(event.data.TaxpayerId, event.data.VendorId).map((tenantId) => ({ ...event, tenantId })),
      ),
    );
    await markAnnounced(tx, alerts);
    return alerts.length;
  });
}

/** Whom an alert is told: its owner, if it has one, and the installation. */
function told(taxpayerId: string | null, vendorId: string | null): string[] {
  return [taxpayerId ?? vendorId ?? [], INSTALLATION_ID].flat();
}

export function eventsOf(alert: NewsOfAlert, at: Date): AlertEvent[] {
  if (alert.isBrief) return [];
  const data = {
    AlertId: String(alert.alertId),
    Kind: alertKindOf(alert.kind),
    Message: alert.message,
    AuthorityDeviceId: alert.deviceId,
    TaxpayerId: alert.taxpayerId,
    VendorId: alert.vendorId,
    TenantName: alert.tenantName,
    EndpointId: alert.endpointId,
    RaisedAt: alert.raisedAt.toISOString(),
  };
  return [
    ...(alert.isAnnounced ? [] : [{ type: 'alert.raised', at, data } as const]),
    ...(alert.clearedAt === null
      ? []
      : [{ type: 'alert.solved', at, data: { ...data, SolvedAt: alert.clearedAt.toISOString() } } as const]),
  ];
}
