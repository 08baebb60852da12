import type { FastifyInstance } from 'fastify';
import * as contract from '../../contract/fiscal/outage.ts';
import { readInstantField } from '../../kernel/instant.ts';
import { type Refusal, Refused, refused, type Violation } from '../../kernel/refusal.ts';
import type { Queryable } from '../../platform/database/database.ts';
import type { Administration } from '../../platform/http/administration.ts';
import { DEFAULT_PAGE, nextCursor, readPage } from '../../platform/http/page.ts';
import { route } from '../../platform/http/route.ts';
import { clearSubjects } from '../alerts/store.ts';
import { REPORT_AFTER_SECONDS } from '../core/outage.ts';
import { reportText } from '../core/outage-report.ts';
import { sellerFacts } from '../printing/core/seller.ts';
import { findSeller } from '../printing/store.ts';
import { subjectOf } from './look-for-outages.ts';
import { findOutage, listOutages, lockOutage, type OutageRecord, updateOutage } from './store.ts';

const NO_OUTAGE: Refusal = { code: 'NotFound', detail: 'There is no outage with this number.' };
/** More devices of one taxpayer than a report would name. */
const MAX_REPORTED = 200;

export function outageAdminRoutes(app: FastifyInstance, { pool, clock, guard, audited }: Administration): void {
  route(app, guard, contract.listOutages, async ({ query }) => {
    const [state, id] = query.Cursor?.split('-') ?? [];
    const after = id === undefined ? undefined : { isOpen: state === 'open', outageId: BigInt(id) };
    const filter = { taxpayerId: query.TaxpayerId, deviceId: query.AuthorityDeviceId, after };
    const page = await readPage(query.Limit ?? DEFAULT_PAGE, (limit) => listOutages(pool, filter, limit));
    const cursorOf = ({ isOpen, outageId }: OutageRecord) => `${isOpen ? 'open' : 'over'}-${outageId}`;
    return { Outages: page.rows.map(presentOutage), NextCursor: nextCursor(page, cursorOf) };
  });

  route(app, guard, contract.getOutage, async ({ params }) => {
    const outage = await findOutage(pool, BigInt(params.outageId));
    return outage === undefined ? refused(NO_OUTAGE) : withReport(pool, outage);
  });

  route(app, guard, contract.changeOutage, ({ request, params, body }) =>
    audited(request, async (tx) => {
      const outageId = BigInt(params.outageId);
      await lockOutage(tx, outageId);
      const before = await findOutage(tx, outageId);
      if (before === undefined) return refused(NO_OUTAGE);
      const changed = change(before, body, clock());
      if (changed instanceof Refused) return changed;
      await updateOutage(tx, changed);
      if (changed.referenceNumber !== null) await clearSubjects(tx, 'ReportDue', [subjectOf(changed)]);
      const after = await findOutage(tx, outageId);
      if (after === undefined) throw new Error(`outage ${outageId} was deleted while it was locked`);
      return {
        action: 'outage.changed',
        taxpayerId: after.taxpayerId,
        subject: subjectOf(after),
        before: presentOutage(before),
        after: presentOutage(after),
        answer: await withReport(tx, after),
      };
    }),
  );
}

function change(before: OutageRecord, body: contract.OutageChange, now: Date): OutageRecord | Refused {
  const errors: Violation[] = [];
  const givenAt = readInstantField('ReportedAt', body.ReportedAt, errors);
  const { ReferenceNumber: referenceNumber = before.referenceNumber } = body;
  const { SalesRecording: salesRecording = before.salesRecording } = body;
  const reportedAt = referenceNumber === null ? null : (givenAt ?? before.reportedAt ?? now);
  const { Acquitted: isAcquitted = before.acquittedAt !== null } = body;
  if (referenceNumber === null && (givenAt !== undefined || isAcquitted)) {
    const Message =
      'is the number that the authority gave for the report: without it nothing was reported or acquitted';
    errors.push({ Field: 'ReferenceNumber', Code: 'Required', Message });
  }
  if (isAcquitted && before.endedAt === null) {
    const Message = 'must be false: the outage is not over, it can be acquitted when the device seals again';
    errors.push({ Field: 'Acquitted', Code: 'NotOneOf', Message });
  }
  if (errors.length > 0) return refused({ code: 'InvalidRequest', detail: 'The outage was not changed.', errors });
  const acquittedAt = isAcquitted ? (before.acquittedAt ?? now) : null;
  return { ...before, salesRecording, referenceNumber, reportedAt, acquittedAt };
}

function presentOutage(outage: OutageRecord): contract.Outage {
  return {
    Number: String(outage.outageId),
    TaxpayerId: outage.taxpayerId,
    AuthorityDeviceId: outage.deviceId,
    SerialNumber: outage.serialNumber,
    Code: outage.code,
    Problem: outage.problem,
    BeganAt: outage.beganAt.toISOString(),
    ReportDueAt: new Date(outage.beganAt.getTime() + REPORT_AFTER_SECONDS * 1000).toISOString(),
    EndedAt: outage.endedAt?.toISOString() ?? null,
    IsOpen: outage.isOpen,
    SalesRecording: outage.salesRecording,
    ReferenceNumber: outage.referenceNumber,
    ReportedAt: outage.reportedAt?.toISOString() ?? null,
    AcquittedAt: outage.acquittedAt?.toISOString() ?? null,
  };
}

/** One report for all devices of the taxpayer that are out of use now, this one first. */
async function withReport(db: Queryable, outage: OutageRecord): Promise<contract.OutageWithReport> {
  const { taxpayerId, outageId, salesRecording } = outage;
  const seller = sellerFacts(await findSeller(db, outage));
  const open = await listOutages(db, { taxpayerId, deviceId: undefined, after: undefined }, MAX_REPORTED);
  const others = open.filter((other) => other.endedAt === null && other.outageId !== outageId);
  const contacts = [seller.phone, seller.email, ...seller.address.filter((part) => part !== '')];
  const facts = { tin: seller.tin, name: seller.name, branch: seller.branchName, contacts, salesRecording };
  return { ...presentOutage(outage), Report: reportText({ ...facts, devices: [outage, ...others] }) };
}
