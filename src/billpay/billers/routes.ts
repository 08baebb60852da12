import type { FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import { etagOf, isKnown } from '../../platform/http/etag.ts';
import { sendProblem } from '../../platform/http/problem.ts';
import type { AuthenticateVendor } from '../vendors/authenticate.ts';
import { requireVendor, vendorOf } from '../vendors/require-vendor.ts';
import { listBillersDocumentation } from './biller-documentation.ts';
import { type ListBillersQuery, ListBillersQuerySchema, readListBillersQuery } from './list-query.ts';
import { listForVendor } from './visibility-store.ts';

/** Nothing the vendor may know of has ever changed. */
const NEVER = new Date(0);

export function billerRoutes(
  app: FastifyInstance,
  { pool, authenticate }: { readonly pool: Pool; readonly authenticate: AuthenticateVendor },
): void {
  app.get<{ Querystring: ListBillersQuery }>('/api/payment/ListBillers', {
    onRequest: requireVendor(authenticate, 'read'),
    schema: { querystring: ListBillersQuerySchema, documentation: listBillersDocumentation },
    handler: async (request, reply) => {
      const filter = readListBillersQuery(request.query);
      if (Array.isArray(filter)) {
        return sendProblem(reply, { code: 'InvalidRequest', detail: 'The query has errors.', errors: filter });
      }
      const { vendorId } = vendorOf(request);
      const { configurations, asOf = NEVER } = await listForVendor(pool, { ...filter, vendorId });
      const body = `{"Billers":[${configurations.join(',')}],"AsOf":"${asOf.toISOString()}"}`;
      const etag = etagOf(body);
      reply.header('etag', etag).header('cache-control', 'private, no-cache').header('vary', 'Authorization');
      if (isKnown(request.headers['if-none-match'], etag)) return reply.code(304).send();
      return reply.type('application/json; charset=utf-8').send(body);
    },
  });
}
