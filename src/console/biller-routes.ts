import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import {
  addBiller,
  type Biller,
  checkBiller,
  findBillers,
  listStoredBillers,
  ManagedBillerSchema,
  NO_BILLER,
  readManagedBiller,
  replaceBiller,
  type StoredBiller,
  type WireManagedBiller,
} from '../billpay/index.ts';
import type { Violation } from '../kernel/refusal.ts';
import { recordAudit } from '../platform/audit.ts';
import { inTransaction, type Transaction } from '../platform/database.ts';
import type { ExactJson } from '../platform/http/exact-json.ts';
import { readPage } from '../platform/http/page.ts';
import { sendProblem } from '../platform/http/problem.ts';
import {
  addBillerDocumentation,
  getManagedBillerDocumentation,
  listManagedBillersDocumentation,
  replaceBillerDocumentation,
} from './biller-documentation.ts';
import { actorOf, type ConsoleContext } from './context.ts';
import { BillerCode, closed, DEFAULT_PAGE, nextCursor, page } from './schemas.ts';

interface Params {
  billerCode: string;
}
const params = Type.Object({ billerCode: BillerCode });

export function billerAdminRoutes(app: FastifyInstance, { pool, allow, clock }: ConsoleContext): void {
  app.get<{ Querystring: { Limit?: number; Cursor?: string } }>('/api/admin/billers', {
    onRequest: allow('viewer'),
    schema: {
      querystring: Type.Object({ ...page, Cursor: Type.Optional(BillerCode) }, closed),
      documentation: listManagedBillersDocumentation,
    },
    handler: async (request, reply) => {
      const limit = request.query.Limit ?? DEFAULT_PAGE;
      const billers = await readPage(limit, (most) => listStoredBillers(pool, request.query.Cursor, most));
      const next = JSON.stringify(nextCursor(billers, (last) => last.billerCode));
      return sendText(reply, `{"Billers":[${billers.rows.map(managedText).join(',')}],"NextCursor":${next}}`);
    },
  });

  app.get<{ Params: Params }>('/api/admin/billers/:billerCode', {
    onRequest: allow('viewer'),
    schema: { params, documentation: getManagedBillerDocumentation },
    handler: async (request, reply) => {
      const [biller] = await findBillers(pool, [request.params.billerCode]);
      return biller ? sendText(reply, managedText(biller)) : sendProblem(reply, NO_BILLER);
    },
  });

  app.post('/api/admin/billers', {
    onRequest: allow('operator'),
    schema: { body: ManagedBillerSchema, documentation: addBillerDocumentation },
    handler: async (request, reply) => {
      const read = readBody(request);
      if (Array.isArray(read)) return refuse(reply, read);
      const added = await inTransaction(pool, async (tx) => {
        const stored = await addBiller(tx, read.biller, clock());
        if (stored !== undefined) await audit(tx, request, 'biller.added', undefined, stored);
        return stored;
      });
      if (added !== undefined) return sendText(reply.code(201), managedText(added));
      const Message = `there is a biller ${read.biller.code} already: change it with PUT /api/admin/billers/{billerCode}`;
      return refuse(reply, [{ Field: 'Code', Code: 'Duplicate', Message }]);
    },
  });

  app.put<{ Params: Params }>('/api/admin/billers/:billerCode', {
    onRequest: allow('operator'),
    schema: { params, body: ManagedBillerSchema, documentation: replaceBillerDocumentation },
    handler: async (request, reply) => {
      const { billerCode } = request.params;
      const read = readBody(request, billerCode);
      if (Array.isArray(read)) return refuse(reply, read);
      const change = await inTransaction(pool, async (tx) => {
        const made = await replaceBiller(tx, read.biller, clock(), read.revision);
        if (made?.kind === 'changed') await audit(tx, request, 'biller.changed', made.before, made.after);
        return made;
      });
      if (change === undefined) return sendProblem(reply, NO_BILLER);
      if (change.kind !== 'out of date') return sendText(reply, managedText(change.after));
      const Message = `the biller is at revision ${change.revision} by now: read it again and repeat the change`;
      return refuse(reply, [{ Field: 'Revision', Code: 'OutOfDate', Message }]);
    },
  });
}

function readBody(
  request: FastifyRequest,
  code?: string,
): { readonly biller: Biller; readonly revision: number | undefined } | Violation[] {
  const { value, numberText } = request.body as ExactJson;
  const wire = value as WireManagedBiller;
  const violations = checkBiller(wire, numberText);
  if (code !== undefined && wire.Code !== code) {
    const Message = `must be ${code}, as in the address: the code of a biller never changes`;
    violations.push({ Field: 'Code', Code: 'Malformed', Message });
  }
  if (violations.length > 0) return violations;
  return { biller: readManagedBiller(wire, numberText), revision: wire.Revision ?? undefined };
}

function refuse(reply: FastifyReply, errors: readonly Violation[]): FastifyReply {
  const many = errors.length === 1 ? 'One thing' : `${errors.length} things`;
  const detail = `${many} must be corrected in this biller; nothing was changed.`;
  return sendProblem(reply, { code: 'InvalidRequest', detail, errors });
}

async function audit(
  tx: Transaction,
  request: FastifyRequest,
  action: string,
  before: StoredBiller | undefined,
  after: StoredBiller,
): Promise<void> {
  const present = (biller: StoredBiller) => JSON.parse(managedText(biller)) as object;
  await recordAudit(tx, {
    ...actorOf(request),
    action,
    taxpayerId: undefined,
    subject: `biller ${after.billerCode}`,
    before: before && present(before),
    after: present(after),
  });
}

/** What is ours is spliced onto the stored text, which keeps every digit. */
function managedText(biller: StoredBiller): string {
  const { connector, revision, changedAt, createdAt } = biller;
  return (
    `${biller.configuration.slice(0, -1)},"Connector":"${connector}","Revision":${revision},` +
    `"ChangedAt":"${changedAt.toISOString()}","CreatedAt":"${createdAt.toISOString()}"}`
  );
}

function sendText(reply: FastifyReply, text: string): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(text);
}
