import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { changeVisibility, findVendor, listVisible } from '../billpay/index.ts';
import { recordAudit } from '../platform/audit.ts';
import { inTransaction } from '../platform/database.ts';
import { sendProblem } from '../platform/http/problem.ts';
import { NO_BILLER } from './biller-routes.ts';
import { actorOf, type ConsoleContext } from './context.ts';
import { NO_VENDOR } from './present-vendor.ts';
import { BillerCode, Id } from './schemas.ts';
import {
  grantBillerDocumentation,
  listVendorBillersDocumentation,
  withdrawBillerDocumentation,
} from './vendor-documentation.ts';

interface Params {
  vendorId: string;
  billerCode: string;
}
const params = Type.Object({ vendorId: Id, billerCode: BillerCode });

/** Which vendor sees which biller. */
export function vendorBillerRoutes(app: FastifyInstance, { pool, allow, clock }: ConsoleContext): void {
  app.get<{ Params: { vendorId: string } }>('/api/admin/vendors/:vendorId/billers', {
    onRequest: allow('viewer'),
    schema: { params: Type.Object({ vendorId: Id }), documentation: listVendorBillersDocumentation },
    handler: async (request, reply) => {
      const { vendorId } = request.params;
      if ((await findVendor(pool, vendorId)) === undefined) return sendProblem(reply, NO_VENDOR);
      return { BillerCodes: await listVisible(pool, vendorId) };
    },
  });

  async function change(request: FastifyRequest<{ Params: Params }>, reply: FastifyReply, isVisible: boolean) {
    const { vendorId, billerCode } = request.params;
    if ((await findVendor(pool, vendorId)) === undefined) return sendProblem(reply, NO_VENDOR);
    const isChanged = await inTransaction(pool, async (tx) => {
      const changed = await changeVisibility(tx, vendorId, billerCode, isVisible, clock());
      if (changed === true)
        await recordAudit(tx, {
          ...actorOf(request),
          action: isVisible ? 'biller.granted' : 'biller.withdrawn',
          taxpayerId: undefined,
          subject: `vendor ${vendorId}`,
          before: { BillerCode: billerCode, Visible: !isVisible },
          after: { BillerCode: billerCode, Visible: isVisible },
        });
      return changed;
    });
    if (isChanged === undefined) return sendProblem(reply, NO_BILLER);
    return { VendorId: vendorId, BillerCode: billerCode, Visible: isVisible };
  }

  app.put<{ Params: Params }>('/api/admin/vendors/:vendorId/billers/:billerCode', {
    onRequest: allow('operator'),
    schema: { params, documentation: grantBillerDocumentation },
    handler: (request, reply) => change(request, reply, true),
  });

  app.delete<{ Params: Params }>('/api/admin/vendors/:vendorId/billers/:billerCode', {
    onRequest: allow('operator'),
    schema: { params, documentation: withdrawBillerDocumentation },
    handler: (request, reply) => change(request, reply, false),
  });
}
