import type { FastifyInstance } from 'fastify';
import * as contract from '../../contract/fiscal/alert.ts';
import { alertKindOf } from '../../contract/shared/kinds.ts';
import { refused } from '../../kernel/refusal.ts';
import type { Administration } from '../../platform/http/administration.ts';
import { DEFAULT_PAGE, nextCursor, readPage } from '../../platform/http/page.ts';
import { route } from '../../platform/http/route.ts';
import { type AlertRecord, acknowledgeAlert, listAlerts, subjectOf } from './store.ts';

export function alertAdminRoutes(app: FastifyInstance, { pool, guard, audited }: Administration): void {
  route(app, guard, contract.listAlerts, async ({ query }) => {
    const filter = {
      isOpenOnly: query.IncludeCleared !== true,
      taxpayerId: query.TaxpayerId,
      before: query.Cursor === undefined ? undefined : BigInt(query.Cursor),
    };
    const alerts = await readPage(query.Limit ?? DEFAULT_PAGE, (limit) => listAlerts(pool, filter, limit));
    return { Alerts: alerts.rows.map(presentAlert), NextCursor: nextCursor(alerts, (last) => String(last.alertId)) };
  });

  route(app, guard, contract.acknowledgeAlert, ({ request, params }) =>
    audited(request, async (tx, actor) => {
      const alert = await acknowledgeAlert(tx, BigInt(params.alertId), actor);
      if (alert === undefined) return refused({ code: 'NotFound', detail: 'There is no alert with this number.' });
      const taxpayerId = alert.taxpayerId ?? undefined;
      const after = presentAlert(alert);
      return { action: 'alert.acknowledged', taxpayerId, subject: `alert ${alert.alertId}`, after, answer: after };
    }),
  );
}

export function presentAlert(alert: AlertRecord): contract.Alert {
  return {
    Number: String(alert.alertId),
    TaxpayerId: alert.taxpayerId,
    VendorId: alert.vendorId,
    AuthorityDeviceId: alert.deviceId,
    Kind: alertKindOf(alert.kind),
    Subject: subjectOf(alert),
    Message: alert.message,
    RaisedAt: alert.raisedAt.toISOString(),
    AcknowledgedAt: alert.acknowledgedAt?.toISOString() ?? null,
    AcknowledgedBy: alert.acknowledgedBy,
    ClearedAt: alert.clearedAt?.toISOString() ?? null,
  };
}
