import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { listAudit } from '../platform/audit.ts';
import { readPage } from '../platform/http/page.ts';
import { listAuditDocumentation } from './audit-documentation.ts';
import type { ConsoleContext } from './context.ts';
import { closed, DEFAULT_PAGE, Id, nextCursor, page } from './schemas.ts';

interface AuditQuery {
  TaxpayerId?: string;
  Subject?: string;
  Action?: string;
  Limit?: number;
  Cursor?: string;
}

export function auditRoutes(app: FastifyInstance, { pool, allow }: ConsoleContext): void {
  app.get<{ Querystring: AuditQuery }>('/api/admin/audit', {
    onRequest: allow('viewer'),
    schema: {
      documentation: listAuditDocumentation,
      querystring: Type.Object(
        {
          TaxpayerId: Type.Optional(Id),
          Subject: Type.Optional(Type.String({ maxLength: 100, description: 'For example `device 1001`.' })),
          Action: Type.Optional(Type.String({ maxLength: 100, description: 'For example `token.issued`.' })),
          ...page,
          Cursor: Type.Optional(Type.String({ pattern: '^[0-9]{1,18}$' })),
        },
        closed,
      ),
    },
    handler: async (request) => {
      const { TaxpayerId, Subject, Action, Cursor, Limit: limit = DEFAULT_PAGE } = request.query;
      const before = Cursor === undefined ? undefined : BigInt(Cursor);
      const filter = { taxpayerId: TaxpayerId, subject: Subject, action: Action, before };
      const entries = await readPage(limit, (most) => listAudit(pool, filter, most));
      return { Entries: entries.rows, NextCursor: nextCursor(entries, (last) => last.Number) };
    },
  });
}
