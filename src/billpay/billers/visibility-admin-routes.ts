import type { FastifyInstance, FastifyRequest } from 'fastify';
import * as contract from '../../contract/billpay/vendor.ts';
import { refused } from '../../kernel/refusal.ts';
import type { Administration } from '../../platform/http/administration.ts';
import { route } from '../../platform/http/route.ts';
import { NO_BILLER } from '../core/biller.ts';
import { NO_VENDOR } from '../vendors/change-vendor.ts';
import { findVendor } from '../vendors/store.ts';
import { changeVisibility } from './change-visibility.ts';
import { listVisible } from './visibility-store.ts';

/** Which vendor sees which biller. */
export function visibilityAdminRoutes(app: FastifyInstance, { pool, clock, guard, audited }: Administration): void {
  route(app, guard, contract.listVendorBillers, async ({ params: { vendorId } }) => {
    if ((await findVendor(pool, vendorId)) === undefined) return refused(NO_VENDOR);
    return { BillerCodes: await listVisible(pool, vendorId) };
  });

  const show = (request: FastifyRequest, vendorId: string, billerCode: string, isVisible: boolean) =>
    audited<contract.Visibility>(request, async (tx) => {
      if ((await findVendor(tx, vendorId)) === undefined) return refused(NO_VENDOR);
      const isChanged = await changeVisibility(tx, vendorId, billerCode, isVisible, clock());
      if (isChanged === undefined) return refused(NO_BILLER);
      const answer = { VendorId: vendorId, BillerCode: billerCode, Visible: isVisible };
      if (!isChanged) return { answer };
      return {
        action: isVisible ? 'biller.granted' : 'biller.withdrawn',
        subject: `vendor ${vendorId}`,
        before: { BillerCode: billerCode, Visible: !isVisible },
        after: { BillerCode: billerCode, Visible: isVisible },
        answer,
      };
    });

  route(app, guard, contract.grantBiller, ({ request, params }) =>
    show(request, params.vendorId, params.billerCode, true),
  );

  route(app, guard, contract.withdrawBiller, ({ request, params }) =>
    show(request, params.vendorId, params.billerCode, false),
  );
}
