import type { FastifyInstance } from 'fastify';
import * as contract from '../../contract/fiscal/alert.ts';
import { readInstantField } from '../../kernel/instant.ts';
import { type Refusal, Refused, refused, type Violation } from '../../kernel/refusal.ts';
import { settle } from '../../platform/alerts/store.ts';
import type { Queryable } from '../../platform/database/database.ts';
import type { Administration } from '../../platform/http/administration.ts';
import { DEFAULT_PAGE, nextCursor, readPage } from '../../platform/http/page.ts';
import { route } from '../../platform/http/route.ts';
import { untilAlone } from '../../platform/work/regular-work.ts';
import { LOOK, listReported, updateOutage } from './outage-store.ts';
import { acknowledgeAlert, findAlert, listAlerts } from './store.ts';
import { writeReport } from './write-report.ts';

const NO_ALERT: Refusal = { code: 'NotFound', detail: 'There is no alert with this number.' };
const NO_OUTAGE: Refusal = { code: 'NotFound', detail: 'There is no outage with an alert of this number.' };

export function alertAdminRoutes(app: FastifyInstance, { pool, clock, guard, audited }: Administration): void {
  route(app, guard, contract.listAlerts, async ({ query }) => {
    const filter = {
      isOpenOnly: query.IncludeCleared !== true,
      taxpayerId: query.TaxpayerId,
      deviceId: query.AuthorityDeviceId,
      before: query.Cursor === undefined ? undefined : BigInt(query.Cursor),
    };
    const alerts = await readPage(query.Limit ?? DEFAULT_PAGE, (limit) => listAlerts(pool, filter, limit));
    return { Alerts: [...alerts.rows], NextCursor: nextCursor(alerts, (last) => last.Number) };
  });

  route(app, guard, contract.getAlert, async ({ params }) => {
    const alert = await findAlert(pool, BigInt(params.alertId));
    return alert === undefined ? refused(NO_ALERT) : withReport(pool, alert);
  });

  route(app, guard, contract.changeOutage, ({ request, params, body }) =>
    audited(request, async (tx) => {
      const alertId = BigInt(params.alertId);
      await untilAlone(tx, LOOK);
      const alert = await findAlert(tx, alertId);
      const before = alert?.Outage;
      if (!before || alert.TaxpayerId === null || alert.AuthorityDeviceId === null) return refused(NO_OUTAGE);
      const changed = change(before, body, clock());
      if (changed instanceof Refused) return changed;
      await updateOutage(tx, alertId, changed);
      const { TaxpayerId: taxpayerId, AuthorityDeviceId: deviceId } = alert;
      const isReported = changed.ReferenceNumber !== null && before.EndedAt === null;
      const answer = await withReport(tx, { ...alert, Outage: changed });
      if (isReported) await settle(tx, 'ReportDue', { taxpayerId, deviceId });
      return {
        action: 'outage.changed',
        taxpayerId,
        subject: `device ${deviceId}`,
        before,
        after: changed,
        answer,
      };
    }),
  );

  route(app, guard, contract.acknowledgeAlert, ({ request, params }) =>
    audited(request, async (tx, actor) => {
      const alertId = BigInt(params.alertId);
      await acknowledgeAlert(tx, alertId, actor);
      const after = await findAlert(tx, alertId);
      if (after === undefined) return refused(NO_ALERT);
      return {
        action: 'alert.acknowledged',
        taxpayerId: after.TaxpayerId ?? undefined,
        subject: `alert ${alertId}`,
        after,
        answer: after,
      };
    }),
  );
}

function change(before: contract.Outage, body: contract.OutageChange, now: Date): contract.Outage | Refused {
  const errors: Violation[] = [];
  const givenAt = readInstantField('ReportedAt', body.ReportedAt, errors)?.toISOString();
  const { ReferenceNumber = before.ReferenceNumber, SalesRecording = before.SalesRecording } = body;
  const { Acquitted: isAcquitted = before.AcquittedAt !== null } = body;
  if (ReferenceNumber === null && (givenAt !== undefined || isAcquitted)) {
    const Message =
      'is the number that the authority gave for the report: without it nothing was reported or acquitted';
    errors.push({ Field: 'ReferenceNumber', Code: 'Required', Message });
  }
  if (isAcquitted && before.EndedAt === null) {
    const Message = 'must be false: the outage is not over, it can be acquitted when the device seals again';
    errors.push({ Field: 'Acquitted', Code: 'NotOneOf', Message });
  }
  if (errors.length > 0) return refused({ code: 'InvalidRequest', detail: 'The outage was not changed.', errors });
  const ReportedAt = ReferenceNumber === null ? null : (givenAt ?? before.ReportedAt ?? now.toISOString());
  const AcquittedAt = isAcquitted ? (before.AcquittedAt ?? now.toISOString()) : null;
  return { ...before, SalesRecording, ReferenceNumber, ReportedAt, AcquittedAt };
}

async function withReport(db: Queryable, alert: contract.Alert): Promise<contract.AlertWithReport> {
  const reported = alert.Outage === null ? [] : await listReported(db, BigInt(alert.Number));
  return { ...alert, Report: await writeReport(db, reported) };
}
