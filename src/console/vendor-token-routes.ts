import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import {
  findVendor,
  issueVendorToken,
  listVendorTokens,
  lockVendorToken,
  revokeVendorToken,
  VENDOR_SCOPES,
  type VendorTokenRecord,
} from '../billpay/index.ts';
import { readInstant } from '../kernel/instant.ts';
import type { Refusal } from '../kernel/refusal.ts';
import { recordAudit } from '../platform/audit.ts';
import { inTransaction } from '../platform/database.ts';
import { bodyOf } from '../platform/http/body.ts';
import { readPage } from '../platform/http/page.ts';
import { sendProblem } from '../platform/http/problem.ts';
import { actorOf, type ConsoleContext } from './context.ts';
import { NO_VENDOR } from './present-vendor.ts';
import { closed, DEFAULT_PAGE, Id, nextCursor, page, textOrNull } from './schemas.ts';
import { vendorTokens } from './vendor-token-documentation.ts';

const NewVendorToken = Type.Object(
  {
    Name: Type.String({ minLength: 1, maxLength: 100, description: 'What uses it; shown in the audit log.' }),
    Scopes: Type.Array(Type.String({ enum: [...VENDOR_SCOPES] }), { minItems: 1, maxItems: 2, uniqueItems: true }),
    ExpiresAt: Type.Optional(textOrNull({ description: 'ISO 8601 with Z or an offset. null: never.', maxLength: 40 })),
  },
  { ...closed, title: 'NewVendorToken' },
);

const NO_TOKEN: Refusal = { code: 'NotFound', detail: 'There is no token with this id.' };
const EXPIRED: Refusal = {
  code: 'InvalidRequest',
  detail: 'The token has errors.',
  errors: [
    {
      Field: 'ExpiresAt',
      Code: 'Malformed',
      Message: 'must be a date and time in the future with Z or an offset, such as 2027-01-31T00:00:00Z',
    },
  ],
};

interface Params {
  vendorId: string;
}

export function vendorTokenRoutes(app: FastifyInstance, { pool, allow, clock }: ConsoleContext): void {
  app.get<{ Params: Params; Querystring: { Limit?: number; Cursor?: string } }>('/api/admin/vendors/:vendorId/tokens', {
    onRequest: allow('admin'),
    schema: {
      params: Type.Object({ vendorId: Id }),
      querystring: Type.Object({ ...page, Cursor: Type.Optional(Id) }, closed),
      documentation: vendorTokens.list,
    },
    handler: async (request, reply) => {
      const { vendorId } = request.params;
      if ((await findVendor(pool, vendorId)) === undefined) return sendProblem(reply, NO_VENDOR);
      const limit = request.query.Limit ?? DEFAULT_PAGE;
      const tokens = await readPage(limit, (most) => listVendorTokens(pool, vendorId, request.query.Cursor, most));
      return { Tokens: tokens.rows.map(present), NextCursor: nextCursor(tokens, (last) => last.tokenId) };
    },
  });

  app.post<{ Params: Params }>('/api/admin/vendors/:vendorId/tokens', {
    onRequest: allow('admin'),
    schema: { params: Type.Object({ vendorId: Id }), body: NewVendorToken, documentation: vendorTokens.issue },
    handler: async (request, reply) => {
      const { vendorId } = request.params;
      if ((await findVendor(pool, vendorId)) === undefined) return sendProblem(reply, NO_VENDOR);
      const { Name, Scopes, ExpiresAt } = bodyOf<Static<typeof NewVendorToken>>(request);
      const expiresAt = typeof ExpiresAt === 'string' ? readInstant(ExpiresAt) : undefined;
      const isWrong = typeof ExpiresAt === 'string' && (expiresAt === undefined || expiresAt <= clock());
      if (isWrong) return sendProblem(reply, EXPIRED);
      const scopes = VENDOR_SCOPES.filter((scope) => Scopes.includes(scope));
      const issued = await inTransaction(pool, async (tx) => {
        const { token, record } = await issueVendorToken(tx, { vendorId, name: Name, scopes, expiresAt }, clock());
        const after = present(record);
        await recordAudit(tx, {
          ...actorOf(request),
          action: 'vendor_token.issued',
          taxpayerId: undefined,
          subject: `token ${record.tokenId}`,
          before: undefined,
          after: { ...after, VendorId: vendorId },
        });
        return { ...after, Token: token };
      });
      return reply.code(201).send(issued);
    },
  });

  app.delete<{ Params: Params & { tokenId: string } }>('/api/admin/vendors/:vendorId/tokens/:tokenId', {
    onRequest: allow('admin'),
    schema: { params: Type.Object({ vendorId: Id, tokenId: Id }), documentation: vendorTokens.revoke },
    handler: async (request, reply) => {
      const { vendorId, tokenId } = request.params;
      const revoked = await inTransaction(pool, async (tx) => {
        const before = await lockVendorToken(tx, vendorId, tokenId);
        if (before === undefined) return undefined;
        if (before.revokedAt !== null) return present(before);
        const revokedAt = clock();
        await revokeVendorToken(tx, vendorId, tokenId, revokedAt);
        const after = present({ ...before, revokedAt });
        await recordAudit(tx, {
          ...actorOf(request),
          action: 'vendor_token.revoked',
          taxpayerId: undefined,
          subject: `token ${tokenId}`,
          before: { ...present(before), VendorId: vendorId },
          after: { ...after, VendorId: vendorId },
        });
        return after;
      });
      return revoked ?? sendProblem(reply, NO_TOKEN);
    },
  });
}

function present(token: VendorTokenRecord) {
  return {
    TokenId: token.tokenId,
    Name: token.name,
    Prefix: token.displayPrefix,
    Scopes: token.scopes,
    ExpiresAt: token.expiresAt?.toISOString() ?? null,
    RevokedAt: token.revokedAt?.toISOString() ?? null,
    CreatedAt: token.createdAt.toISOString(),
  };
}
