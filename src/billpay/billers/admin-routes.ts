import type { FastifyInstance, FastifyRequest } from 'fastify';
import * as contract from '../../contract/billpay/biller.ts';
import * as vendors from '../../contract/billpay/vendor.ts';
import { type Refused, refused, type Violation } from '../../kernel/refusal.ts';
import type { Administration } from '../../platform/http/administration.ts';
import { DEFAULT_PAGE, nextCursor, readPage } from '../../platform/http/page.ts';
import { route } from '../../platform/http/route.ts';
import { NO_BILLER } from '../core/biller.ts';
import { checkBiller } from '../core/check-biller.ts';
import { NO_VENDOR } from '../vendors/change-vendor.ts';
import { findVendor } from '../vendors/store.ts';
import { addBiller, replaceBiller } from './change-biller.ts';
import { changeVisibility } from './change-visibility.ts';
import { parseBiller } from './read-billers.ts';
import { findBillers, listStoredBillers, type StoredBiller } from './store.ts';
import { findViewers, listVisible } from './visibility-store.ts';

export function billerAdminRoutes(app: FastifyInstance, administration: Administration): void {
  const { pool, clock, guard, audited } = administration;
  visibilityAdminRoutes(app, administration);

  route(app, guard, contract.listManagedBillers, async ({ query }) => {
    const billers = await readPage(query.Limit ?? DEFAULT_PAGE, (most) => listStoredBillers(pool, query.Cursor, most));
    return { Billers: billers.rows.map(present), NextCursor: nextCursor(billers, (last) => last.billerCode) };
  });

  route(app, guard, contract.getManagedBiller, async ({ params }) => {
    const [biller] = await findBillers(pool, [params.billerCode]);
    return biller === undefined ? refused(NO_BILLER) : present(biller);
  });

  route(app, guard, contract.addBiller, async ({ request, body }) => {
    const errors = checkBiller(body);
    if (errors.length > 0) return wrong(errors);
    return audited<contract.ManagedBiller>(request, async (tx) => {
      const added = await addBiller(tx, body, clock());
      if (added === undefined) {
        const Message = `there is a biller ${body.Code} already: change it with PUT /api/admin/billers/{billerCode}`;
        return wrong([{ Field: 'Code', Code: 'Duplicate', Message }]);
      }
      const after = present(added);
      return { action: 'biller.added', subject: `biller ${body.Code}`, after, answer: after };
    });
  });

  route(app, guard, contract.replaceBiller, async ({ request, params: { billerCode }, body }) => {
    const errors = checkBiller(body);
    if (body.Code !== billerCode) {
      const Message = `must be ${billerCode}, as in the address: the code of a biller never changes`;
      errors.push({ Field: 'Code', Code: 'Malformed', Message });
    }
    if (errors.length > 0) return wrong(errors);
    return audited<contract.ManagedBiller>(request, async (tx) => {
      const change = await replaceBiller(tx, body, clock());
      if (change === undefined) return refused(NO_BILLER);
      if (change.kind === 'out of date') {
        const Message = `the biller is at revision ${change.revision} by now: read it again and repeat the change`;
        return wrong([{ Field: 'Revision', Code: 'OutOfDate', Message }]);
      }
      const after = present(change.after);
      if (change.kind === 'the same') return { answer: after };
      const before = present(change.before);
      return { action: 'biller.changed', subject: `biller ${billerCode}`, before, after, answer: after };
    });
  });

  route(app, guard, contract.listBillerVendors, async ({ params: { billerCode } }) => {
    const [billers, VendorIds] = await Promise.all([findBillers(pool, [billerCode]), findViewers(pool, billerCode)]);
    return billers.length === 0 ? refused(NO_BILLER) : { VendorIds };
  });
}

function wrong(errors: readonly Violation[]): Refused {
  const many = errors.length === 1 ? 'One thing' : `${errors.length} things`;
  const detail = `${many} must be corrected in this biller; nothing was changed.`;
  return refused({ code: 'InvalidRequest', detail, errors });
}

function present(stored: StoredBiller): contract.ManagedBiller {
  return {
    ...parseBiller(stored),
    Revision: stored.revision,
    ChangedAt: stored.changedAt.toISOString(),
    CreatedAt: stored.createdAt.toISOString(),
  };
}

/** Which vendor sees which biller. */
function visibilityAdminRoutes(app: FastifyInstance, { pool, clock, guard, audited }: Administration): void {
  route(app, guard, vendors.listVendorBillers, async ({ params: { vendorId } }) => {
    if ((await findVendor(pool, vendorId)) === undefined) return refused(NO_VENDOR);
    return { BillerCodes: await listVisible(pool, vendorId) };
  });

  const show = (request: FastifyRequest, vendorId: string, billerCode: string, isVisible: boolean) =>
    audited<vendors.Visibility>(request, async (tx) => {
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
  route(app, guard, vendors.grantBiller, ({ request, params }) =>
    show(request, params.vendorId, params.billerCode, true),
  );
  route(app, guard, vendors.withdrawBiller, ({ request, params }) =>
    show(request, params.vendorId, params.billerCode, false),
  );
}
