import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { acknowledgeAlert, listAlerts } from '../fiscal/index.ts';
import { recordAudit } from '../platform/audit.ts';
import { inTransaction } from '../platform/database.ts';
import { readPage } from '../platform/http/page.ts';
import { sendProblem } from '../platform/http/problem.ts';
import { acknowledgeAlertDocumentation, listAlertsDocumentation } from './alert-documentation.ts';
import { actorOf, type ConsoleContext } from './context.ts';
import { presentAlert } from './present-alert.ts';
import { closed, DEFAULT_PAGE, Id, nextCursor, page } from './schemas.ts';

interface AlertQuery {
  TaxpayerId?: string;
  IncludeCleared?: boolean;
  Limit?: number;
  Cursor?: string;
}

const AlertId = Type.String({ pattern: '^[0-9]{1,18}$' });

export function alertRoutes(app: FastifyInstance, { pool, allow }: ConsoleContext): void {
  app.get<{ Querystring: AlertQuery }>('/api/admin/alerts', {
    onRequest: allow('viewer'),
    schema: {
      documentation: listAlertsDocumentation,
      querystring: Type.Object(
        {
          TaxpayerId: Type.Optional(Id),
          IncludeCleared: Type.Optional(Type.Boolean()),
          ...page,
          Cursor: Type.Optional(AlertId),
        },
        closed,
      ),
    },
    handler: async (request) => {
      const { TaxpayerId, IncludeCleared, Cursor, Limit: limit = DEFAULT_PAGE } = request.query;
      const filter = {
        isOpenOnly: IncludeCleared !== true,
        taxpayerId: TaxpayerId,
        before: Cursor === undefined ? undefined : BigInt(Cursor),
      };
      const alerts = await readPage(limit, (most) => listAlerts(pool, filter, most));
      return {
        Alerts: alerts.rows.map(presentAlert),
        NextCursor: nextCursor(alerts, (last) => String(last.alertId)),
      };
    },
  });

  app.post<{ Params: { alertId: string } }>('/api/admin/alerts/:alertId/acknowledge', {
    onRequest: allow('operator'),
    schema: { params: Type.Object({ alertId: AlertId }), documentation: acknowledgeAlertDocumentation },
    handler: async (request, reply) => {
      const { actor } = actorOf(request);
      const acknowledged = await inTransaction(pool, async (tx) => {
        const alert = await acknowledgeAlert(tx, BigInt(request.params.alertId), actor);
        if (alert === undefined) return undefined;
        const taxpayerId = alert.taxpayerId ?? undefined;
        const after = presentAlert(alert);
        await recordAudit(tx, {
          actor,
          action: 'alert.acknowledged',
          taxpayerId,
          subject: `alert ${alert.alertId}`,
          before: undefined,
          after,
        });
        return after;
      });
      return acknowledged ?? sendProblem(reply, { code: 'NotFound', detail: 'There is no alert with this number.' });
    },
  });
}
