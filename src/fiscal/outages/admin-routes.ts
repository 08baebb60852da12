import type { FastifyInstance } from 'fastify';
import * as contract from '../../contract/fiscal/outage.ts';
import { readInstantField } from '../../kernel/instant.ts';
import { type Refusal, Refused, refused, type Violation } from '../../kernel/refusal.ts';
import { settle } from '../../platform/alerts/store.ts';
import type { Queryable } from '../../platform/database/database.ts';
import type { Administration } from '../../platform/http/administration.ts';
import { DEFAULT_PAGE, nextCursor, readPage } from '../../platform/http/page.ts';
import { route } from '../../platform/http/route.ts';
import { untilAlone } from '../../platform/work/regular-work.ts';
import { findOutage, LOOK, listOutages, lockOutage, type StoredOutage, updateOutage } from './store.ts';
import { writeReport } from './write-report.ts';

const NO_OUTAGE: Refusal = { code: 'NotFound', detail: 'There is no outage with this number.' };
/** More devices of one taxpayer than a report would name. */
const MAX_REPORTED = 200;

export function outageAdminRoutes(app: FastifyInstance, { pool, clock, guard, audited }: Administration): void {
  route(app, guard, contract.listOutages, async ({ query }) => {
    const [state, number] = query.Cursor?.split('-') ?? [];
    const after = number === undefined ? undefined : { isOpen: state === 'open', number };
    const filter = { taxpayerId: query.TaxpayerId, deviceId: query.AuthorityDeviceId, after };
    const page = await readPage(query.Limit ?? DEFAULT_PAGE, (limit) => listOutages(pool, filter, limit));
    const cursorOf = ({ IsOpen, Number: number }: StoredOutage) => `${IsOpen ? 'open' : 'over'}-${number}`;
    return { Outages: page.rows.map(presentOutage), NextCursor: nextCursor(page, cursorOf) };
  });

  route(app, guard, contract.getOutage, async ({ params }) => {
    const outage = await findOutage(pool, params.outageId);
    return outage === undefined ? refused(NO_OUTAGE) : withReport(pool, outage);
  });

  route(app, guard, contract.changeOutage, ({ request, params, body }) =>
    audited(request, async (tx) => {
      await untilAlone(tx, LOOK);
      const before = await lockOutage(tx, params.outageId);
      if (before === undefined) return refused(NO_OUTAGE);
      const changed = change(before, body, clock());
      if (changed instanceof Refused) return changed;
      const key = { taxpayerId: before.TaxpayerId, deviceId: before.AuthorityDeviceId };
      await updateOutage(tx, changed);
      if (changed.ReferenceNumber !== null && before.EndedAt === null) await settle(tx, 'ReportDue', key);
      const answer = await withReport(tx, (await findOutage(tx, params.outageId)) ?? changed);
      const { Report: _report, ...after } = answer;
      return {
        action: 'outage.changed',
        taxpayerId: before.TaxpayerId,
        subject: `device ${key.deviceId}`,
        before: presentOutage(before),
        after,
        answer,
      };
    }),
  );
}

function change(before: StoredOutage, body: contract.OutageChange, now: Date): StoredOutage | Refused {
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

function presentOutage({ zone: _zone, ...outage }: StoredOutage): contract.Outage {
  return outage;
}

/** One report for all devices of the taxpayer that are out of use now, this one first. */
async function withReport(db: Queryable, outage: StoredOutage): Promise<contract.OutageWithReport> {
  const filter = { taxpayerId: outage.TaxpayerId, deviceId: undefined, after: undefined };
  const open = await listOutages(db, filter, MAX_REPORTED);
  const others = open.filter(({ EndedAt, Number: number }) => EndedAt === null && number !== outage.Number);
  return { ...presentOutage(outage), Report: await writeReport(db, outage, others) };
}
