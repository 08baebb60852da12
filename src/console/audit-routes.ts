import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import * as contract from '../contract/console/audit.ts';
import { CSV_START, csvLine } from '../kernel/csv.ts';
import { readInstantField } from '../kernel/instant.ts';
import { Refused, refused, type Violation } from '../kernel/refusal.ts';
import { formatZoned } from '../kernel/zone.ts';
import { type AuditFilter, listAudit } from '../platform/database/audit.ts';
import type { Queryable } from '../platform/database/database.ts';
import type { Administration } from '../platform/http/administration.ts';
import { sendCsv } from '../platform/http/csv.ts';
import { DEFAULT_PAGE, nextCursor, readPage } from '../platform/http/page.ts';
import { route } from '../platform/http/route.ts';

type Column = keyof typeof contract.AUDIT_CSV;
const COLUMNS = Object.keys(contract.AUDIT_CSV) as Column[];
const LINES_AT_ONCE = 400;

export function auditRoutes(app: FastifyInstance, context: Administration & { readonly timeZone: string }): void {
  const { pool, guard, audited } = context;

  route(app, guard, contract.listAudit, async ({ request, query }) => {
    const before = query.Cursor === undefined ? undefined : BigInt(query.Cursor);
    const filter = readFilter(query, !context.isOperator(request));
    if (filter instanceof Refused) return filter;
    const entries = await readPage(query.Limit ?? DEFAULT_PAGE, (limit) =>
      listAudit(pool, { ...filter, before }, limit),
    );
    return { Entries: [...entries.rows], NextCursor: nextCursor(entries, (last) => last.Number) };
  });

  route(app, guard, contract.downloadAudit, async ({ request, reply, query }) => {
    const filter = readFilter(query, !context.isOperator(request));
    if (filter instanceof Refused) return filter;
    await audited(request, async () => ({
      action: 'audit.downloaded',
      taxpayerId: query.TaxpayerId,
      subject: 'audit log',
      after: query,
      answer: undefined,
    }));
    return sendCsv(reply, context, 'audit', auditCsv(pool, filter, context.timeZone));
  });
}

type Query = Static<(typeof contract.downloadAudit)['query']>;

function readFilter(
  { TaxpayerId: taxpayerId, Subject: subject, Action: action, From, To }: Query,
  isForTenant: boolean,
) {
  const errors: Violation[] = [];
  const [from, to] = [readInstantField('From', From, errors), readInstantField('To', To, errors)];
  if (errors.length > 0) return refused({ code: 'InvalidRequest', detail: 'The query has errors.', errors });
  return { taxpayerId, subject, action, from, to, isForTenant };
}

async function* auditCsv(db: Queryable, filter: AuditFilter, zone: string): AsyncGenerator<string> {
  yield `${CSV_START}${csvLine(COLUMNS)}`;
  for (let before: bigint | undefined; ; ) {
    const entries = await listAudit(db, { ...filter, before }, LINES_AT_ONCE);
    const cells = entries.map(({ At, Before, After, ...entry }) => ({
      ...entry,
      At: formatZoned(zone, Math.floor(Date.parse(At) / 1000)),
      Before: Before && JSON.stringify(Before),
      After: After && JSON.stringify(After),
    }));
    yield cells.map((line) => csvLine(COLUMNS.map((name) => line[name]))).join('');
    const last = entries.at(-1);
    if (last === undefined || entries.length < LINES_AT_ONCE) return;
    before = BigInt(last.Number);
  }
}
