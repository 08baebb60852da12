import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { addVendor, changeVendor, findVendor, listVendors, rotateWebhookSecret } from '../billpay/index.ts';
import { CODE_PATTERN } from '../kernel/code.ts';
import { newId } from '../kernel/ids.ts';
import type { Violation } from '../kernel/refusal.ts';
import { recordAudit } from '../platform/audit.ts';
import { inTransaction, isDuplicate } from '../platform/database.ts';
import { bodyOf } from '../platform/http/body.ts';
import { readPage } from '../platform/http/page.ts';
import { sendProblem } from '../platform/http/problem.ts';
import { urlFault } from '../platform/outgoing.ts';
import { actorOf, type ConsoleContext } from './context.ts';
import { NO_VENDOR, presentVendor } from './present-vendor.ts';
import { closed, DEFAULT_PAGE, Id, nextCursor, page, textOrNull } from './schemas.ts';
import {
  addVendorDocumentation,
  changeVendorDocumentation,
  getVendorDocumentation,
  listVendorsDocumentation,
  rotateWebhookSecretDocumentation,
} from './vendor-documentation.ts';

/** Goes into a header as it is. */
const secret = (description: string) =>
  Type.Optional(textOrNull({ pattern: '^[!-~]{1,500}$', description: `${description} Visible ASCII, no spaces.` }));
const settings = {
  CallbackUrl: Type.Optional(
    textOrNull({ maxLength: 2000, description: 'http or https. null: the vendor is not told of changes.' }),
  ),
  CallbackToken: secret('What the vendor wants as bearer token on its webhook.'),
  FiscalToken: secret("The vendor's own token at the signing service."),
  FiscalDeviceId: Type.Optional(
    Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      minimum: 1,
      maximum: 2_147_483_647,
      description: "The vendor's device that signs its invoices.",
    }),
  ),
};
const Name = Type.String({ minLength: 1, maxLength: 250 });
const NewVendor = Type.Object(
  {
    Code: Type.String({
      pattern: CODE_PATTERN,
      description: '1 to 50 letters, digits, _ and -; it never changes.',
    }),
    Name,
    ...settings,
  },
  { ...closed, title: 'NewVendor' },
);
const VendorChange = Type.Partial(Type.Object({ Name, Suspended: Type.Boolean(), ...settings }), {
  ...closed,
  title: 'VendorChange',
});
type VendorChange = Static<typeof VendorChange>;
interface Params {
  vendorId: string;
}
const params = Type.Object({ vendorId: Id });

export function vendorRoutes(app: FastifyInstance, context: ConsoleContext): void {
  const { pool, masterKeys, allow, clock } = context;

  app.get<{ Querystring: { Limit?: number; Cursor?: string } }>('/api/admin/vendors', {
    onRequest: allow('viewer'),
    schema: {
      querystring: Type.Object({ ...page, Cursor: Type.Optional(Id) }, closed),
      documentation: listVendorsDocumentation,
    },
    handler: async (request) => {
      const limit = request.query.Limit ?? DEFAULT_PAGE;
      const vendors = await readPage(limit, (most) => listVendors(pool, request.query.Cursor, most));
      return {
        Vendors: vendors.rows.map(presentVendor),
        NextCursor: nextCursor(vendors, (last) => last.vendorId),
      };
    },
  });

  app.post('/api/admin/vendors', {
    onRequest: allow('admin'),
    schema: { body: NewVendor, documentation: addVendorDocumentation },
    handler: async (request, reply) => {
      const body = bodyOf<Static<typeof NewVendor>>(request);
      const errors = checkUrl(context, body.CallbackUrl);
      if (errors.length > 0) return sendProblem(reply, { ...WRONG, errors });
      const vendorId = newId();
      const vendor = { vendorId, vendorCode: body.Code, name: body.Name };
      try {
        const added = await inTransaction(pool, async (tx) => {
          const { webhookSecret } = await addVendor(tx, masterKeys, vendor, clock());
          const change = await changeVendor(tx, masterKeys, vendorId, read(body), clock());
          if (change === undefined) throw new Error('the vendor that was just added is not there');
          const after = presentVendor(change.after);
          const subject = `vendor ${vendorId}`;
          const { actor } = actorOf(request);
          await recordAudit(tx, {
            actor,
            action: 'vendor.added',
            taxpayerId: undefined,
            subject,
            before: undefined,
            after,
          });
          return { ...after, WebhookSecret: webhookSecret };
        });
        return await reply.code(201).send(added);
      } catch (error) {
        if (!isDuplicate(error, 'vendors_vendor_code_key')) throw error;
        const taken = { Field: 'Code', Code: 'Duplicate', Message: `there is a vendor ${body.Code} already` };
        return sendProblem(reply, { ...WRONG, errors: [taken] });
      }
    },
  });

  app.get<{ Params: Params }>('/api/admin/vendors/:vendorId', {
    onRequest: allow('viewer'),
    schema: { params, documentation: getVendorDocumentation },
    handler: async (request, reply) => {
      const vendor = await findVendor(pool, request.params.vendorId);
      return vendor ? presentVendor(vendor) : sendProblem(reply, NO_VENDOR);
    },
  });

  app.patch<{ Params: Params }>('/api/admin/vendors/:vendorId', {
    onRequest: allow('admin'),
    schema: { params, body: VendorChange, documentation: changeVendorDocumentation },
    handler: async (request, reply) => {
      const body = bodyOf<VendorChange>(request);
      const errors = checkUrl(context, body.CallbackUrl);
      if (errors.length > 0) return sendProblem(reply, { ...WRONG, errors });
      const { vendorId } = request.params;
      const changed = await inTransaction(pool, async (tx) => {
        const change = await changeVendor(tx, masterKeys, vendorId, read(body), clock());
        if (change === undefined) return undefined;
        const after = presentVendor(change.after);
        await recordAudit(tx, {
          ...actorOf(request),
          action: 'vendor.changed',
          taxpayerId: undefined,
          subject: `vendor ${vendorId}`,
          before: presentVendor(change.before),
          after: { ...after, ...replaced(body) },
        });
        return after;
      });
      return changed ?? sendProblem(reply, NO_VENDOR);
    },
  });

  app.post<{ Params: Params }>('/api/admin/vendors/:vendorId/webhook-secret', {
    onRequest: allow('admin'),
    schema: { params, documentation: rotateWebhookSecretDocumentation },
    handler: async (request, reply) => {
      const { vendorId } = request.params;
      if ((await findVendor(pool, vendorId)) === undefined) return sendProblem(reply, NO_VENDOR);
      return inTransaction(pool, async (tx) => {
        const WebhookSecret = await rotateWebhookSecret(tx, masterKeys, vendorId);
        await recordAudit(tx, {
          ...actorOf(request),
          action: 'vendor.webhook_secret_rotated',
          taxpayerId: undefined,
          subject: `vendor ${vendorId}`,
          before: undefined,
          after: undefined,
        });
        return { VendorId: vendorId, WebhookSecret };
      });
    },
  });
}

const WRONG = { code: 'InvalidRequest', detail: 'The vendor has errors.' } as const;

function read(body: VendorChange) {
  return {
    name: body.Name,
    isSuspended: body.Suspended,
    callbackUrl: body.CallbackUrl,
    callbackToken: body.CallbackToken,
    fiscalToken: body.FiscalToken,
    fiscalDeviceId: body.FiscalDeviceId,
  };
}

/** A secret put in the place of another leaves no trace in what is shown: the audit log says that it happened. */
function replaced(body: VendorChange) {
  const names = (['CallbackToken', 'FiscalToken'] as const).filter((name) => typeof body[name] === 'string');
  return names.length === 0 ? {} : { Replaced: names };
}

function checkUrl({ webhookAllowsPrivate = false }: ConsoleContext, url: string | null | undefined): Violation[] {
  const fault = typeof url === 'string' ? urlFault(url, webhookAllowsPrivate) : undefined;
  return fault === undefined ? [] : [{ Field: 'CallbackUrl', Code: 'AddressRefused', Message: fault }];
}
