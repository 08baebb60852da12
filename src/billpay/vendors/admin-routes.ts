import type { FastifyInstance } from 'fastify';
import * as contract from '../../contract/billpay/vendor.ts';
import { newId } from '../../kernel/ids.ts';
import { Refused, refused, type Violation } from '../../kernel/refusal.ts';
import { isDuplicate } from '../../platform/database/database.ts';
import type { Administration } from '../../platform/http/administration.ts';
import { DEFAULT_PAGE, nextCursor, readPage } from '../../platform/http/page.ts';
import { route } from '../../platform/http/route.ts';
import { urlFault } from '../../platform/network/outgoing.ts';
import type { MasterKeys } from '../../platform/secrets/master-keys.ts';
import { addVendor, rotateWebhookSecret } from './add-vendor.ts';
import { changeVendor, NO_VENDOR } from './change-vendor.ts';
import { findVendor, listVendors } from './store.ts';

export interface VendorAdministration extends Administration {
  readonly masterKeys: MasterKeys;
  /** Whether a vendor's callback may lead to this machine or its network. */
  readonly webhookAllowsPrivate: boolean;
}

export function vendorAdminRoutes(app: FastifyInstance, administration: VendorAdministration): void {
  const { pool, clock, guard, audited, masterKeys, webhookAllowsPrivate } = administration;

  const urlErrors = (url: string | null | undefined): Violation[] => {
    const fault = typeof url === 'string' ? urlFault(url, webhookAllowsPrivate) : undefined;
    return fault === undefined ? [] : [{ Field: 'CallbackUrl', Code: 'AddressRefused', Message: fault }];
  };

  route(app, guard, contract.listVendors, async ({ query }) => {
    const vendors = await readPage(query.Limit ?? DEFAULT_PAGE, (limit) => listVendors(pool, query.Cursor, limit));
    return { Vendors: [...vendors.rows], NextCursor: nextCursor(vendors, (last) => last.VendorId) };
  });

  route(app, guard, contract.getVendor, async ({ params }) => {
    return (await findVendor(pool, params.vendorId)) ?? refused(NO_VENDOR);
  });

  route(app, guard, contract.addVendor, async ({ request, body }) => {
    const errors = urlErrors(body.CallbackUrl);
    if (errors.length > 0) return refused({ ...WRONG, errors });
    const { Code, ...settings } = body;
    const vendorId = newId();
    try {
      return await audited(request, async (tx) => {
        const vendor = { vendorId, vendorCode: Code, name: body.Name };
        const { webhookSecret } = await addVendor(tx, masterKeys, vendor, clock());
        const set = await changeVendor(tx, masterKeys, vendorId, settings, clock());
        if (set instanceof Refused) return set;
        const { subject, answer: after } = set;
        return { action: 'vendor.added', subject, after, answer: { ...after, WebhookSecret: webhookSecret } };
      });
    } catch (error) {
      if (!isDuplicate(error, 'vendors_vendor_code_key')) throw error;
      const taken = { Field: 'Code', Code: 'Duplicate', Message: `there is a vendor ${Code} already` };
      return refused({ ...WRONG, errors: [taken] });
    }
  });

  route(app, guard, contract.changeVendor, async ({ request, params, body }) => {
    const errors = urlErrors(body.CallbackUrl);
    if (errors.length > 0) return refused({ ...WRONG, errors });
    return audited(request, (tx) => changeVendor(tx, masterKeys, params.vendorId, body, clock()));
  });

  route(app, guard, contract.rotateWebhookSecret, ({ request, params: { vendorId } }) =>
    audited(request, async (tx) => {
      if ((await findVendor(tx, vendorId)) === undefined) return refused(NO_VENDOR);
      const WebhookSecret = await rotateWebhookSecret(tx, masterKeys, vendorId);
      return {
        action: 'vendor.webhook_secret_rotated',
        subject: `vendor ${vendorId}`,
        answer: { VendorId: vendorId, WebhookSecret },
      };
    }),
  );
}

const WRONG = { code: 'InvalidRequest', detail: 'The vendor has errors.' } as const;
