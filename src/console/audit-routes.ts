import type { FastifyInstance } from 'fastify';
import * as contract from '../contract/console/audit.ts';
import { listAudit } from '../platform/database/audit.ts';
import type { Administration } from '../platform/http/administration.ts';
import { DEFAULT_PAGE, nextCursor, readPage } from '../platform/http/page.ts';
import { route } from '../platform/http/route.ts';

export function auditRoutes(app: FastifyInstance, { pool, guard }: Administration): void {
  route(app, guard, contract.listAudit, async ({ query }) => {
    const before = query.Cursor === undefined ? undefined : BigInt(query.Cursor);
    const filter = { taxpayerId: query.TaxpayerId, subject: query.Subject, action: query.Action, before };
    const entries = await readPage(query.Limit ?? DEFAULT_PAGE, (limit) => listAudit(pool, filter, limit));
    return { Entries: [...entries.rows], NextCursor: nextCursor(entries, (last) => last.Number) };
  });
}
