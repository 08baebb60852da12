import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import {
  countOperatorTokens,
  findTaxpayer,
  issueToken,
  listTokens,
  lockToken,
  NO_TAXPAYER,
  revokeToken,
  TAXPAYER_SCOPES,
  type TokenRecord,
} from '../fiscal/index.ts';
import { readInstant } from '../kernel/instant.ts';
import type { Refusal } from '../kernel/refusal.ts';
import { recordAudit } from '../platform/audit.ts';
import { inTransaction } from '../platform/database.ts';
import { bodyOf } from '../platform/http/body.ts';
import { readPage } from '../platform/http/page.ts';
import { sendProblem } from '../platform/http/problem.ts';
import { actorOf, type ConsoleContext } from './context.ts';
import { closed, DEFAULT_PAGE, Id, nextCursor, page, textOrNull } from './schemas.ts';
import { operatorTokens, taxpayerTokens } from './token-documentation.ts';

const ExpiresAt = Type.Optional(
  textOrNull({ description: 'ISO 8601 with Z or an offset. null: never.', maxLength: 40 }),
);
const Name = Type.String({ minLength: 1, maxLength: 100, description: 'What or who uses it; shown in the audit log.' });

const NewTaxpayerToken = Type.Object(
  {
    Name,
    Scopes: Type.Array(Type.String({ enum: TAXPAYER_SCOPES }), { minItems: 1, maxItems: 2, uniqueItems: true }),
    DefaultCashier: Type.Optional(
      textOrNull({ minLength: 1, maxLength: 20, description: 'Replaces Cashier on every receipt.' }),
    ),
    ExpiresAt,
  },
  { ...closed, title: 'NewToken' },
);
const NewOperatorToken = Type.Object({ Name, ExpiresAt }, { ...closed, title: 'NewOperatorToken' });
type NewToken =
  | Static<typeof NewTaxpayerToken>
  | (Static<typeof NewOperatorToken> & { Scopes?: undefined; DefaultCashier?: undefined });

const NO_TOKEN: Refusal = { code: 'NotFound', detail: 'There is no token with this id.' };
const LAST_TOKEN: Refusal = {
  code: 'InvalidRequest',
  detail: 'This is the last token of an operator: issue another one first, or nobody can administer this installation.',
};

type PageQuery = { Limit?: number; Cursor?: string };
const pageQuery = Type.Object({ ...page, Cursor: Type.Optional(Id) }, closed);
const ofTaxpayer = { taxpayerId: Id };

/** Tokens of taxpayers and, under /api/admin/tokens, those of operators: the same story twice, told once. */
export function tokenRoutes(app: FastifyInstance, context: ConsoleContext): void {
  const { allow, pool } = context;

  app.get<{ Querystring: PageQuery; Params: { taxpayerId: string } }>('/api/admin/taxpayers/:taxpayerId/tokens', {
    onRequest: allow('admin'),
    schema: { querystring: pageQuery, params: Type.Object(ofTaxpayer), documentation: taxpayerTokens.list },
    handler: async (request, reply) => {
      const { taxpayerId } = request.params;
      if ((await findTaxpayer(pool, taxpayerId)) === undefined) return sendProblem(reply, NO_TAXPAYER);
      return list(context, taxpayerId, request.query);
    },
  });
  app.post<{ Params: { taxpayerId: string } }>('/api/admin/taxpayers/:taxpayerId/tokens', {
    onRequest: allow('admin'),
    schema: { body: NewTaxpayerToken, params: Type.Object(ofTaxpayer), documentation: taxpayerTokens.issue },
    handler: async (request, reply) => {
      const { taxpayerId } = request.params;
      if ((await findTaxpayer(pool, taxpayerId)) === undefined) return sendProblem(reply, NO_TAXPAYER);
      return issue(context, taxpayerId, request, reply);
    },
  });
  app.delete<{ Params: { taxpayerId: string; tokenId: string } }>('/api/admin/taxpayers/:taxpayerId/tokens/:tokenId', {
    onRequest: allow('admin'),
    schema: { params: Type.Object({ ...ofTaxpayer, tokenId: Id }), documentation: taxpayerTokens.revoke },
    handler: (request, reply) => revoke(context, request.params.taxpayerId, request.params.tokenId, request, reply),
  });

  app.get<{ Querystring: PageQuery }>('/api/admin/tokens', {
    onRequest: allow('admin'),
    schema: { querystring: pageQuery, documentation: operatorTokens.list },
    handler: (request) => list(context, null, request.query),
  });
  app.post('/api/admin/tokens', {
    onRequest: allow('admin'),
    schema: { body: NewOperatorToken, documentation: operatorTokens.issue },
    handler: (request, reply) => issue(context, null, request, reply),
  });
  app.delete<{ Params: { tokenId: string } }>('/api/admin/tokens/:tokenId', {
    onRequest: allow('admin'),
    schema: { params: Type.Object({ tokenId: Id }), documentation: operatorTokens.revoke },
    handler: (request, reply) => revoke(context, null, request.params.tokenId, request, reply),
  });
}

async function list({ pool }: ConsoleContext, taxpayerId: string | null, query: PageQuery) {
  const limit = query.Limit ?? DEFAULT_PAGE;
  const tokens = await readPage(limit, (most) => listTokens(pool, taxpayerId, query.Cursor, most));
  return { Tokens: tokens.rows.map(presentToken), NextCursor: nextCursor(tokens, (last) => last.tokenId) };
}

async function issue(
  { pool, clock }: ConsoleContext,
  taxpayerId: string | null,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const body = bodyOf<NewToken>(request);
  const expiresAt = readExpiry(body.ExpiresAt, clock());
  if (expiresAt === 'wrong') {
    const Message = 'ExpiresAt must be a date and time in the future with Z or an offset, such as 2027-01-31T00:00:00Z';
    const errors = [{ Field: 'ExpiresAt', Code: 'Malformed', Message }];
    return sendProblem(reply, { code: 'InvalidRequest', detail: 'The token has errors.', errors });
  }
  const issued = await inTransaction(pool, async (tx) => {
    const { tokenId, token } = await issueToken(tx, {
      taxpayerId,
      name: body.Name,
      scopes: body.Scopes === undefined ? ['admin'] : TAXPAYER_SCOPES.filter((scope) => body.Scopes.includes(scope)),
      defaultCashier: body.DefaultCashier ?? undefined,
      expiresAt,
    });
    const record = await lockToken(tx, taxpayerId, tokenId);
    if (record === undefined) throw new Error('the token that was just issued is not there');
    const after = presentToken(record);
    await recordAudit(tx, {
      ...actorOf(request),
      action: 'token.issued',
      taxpayerId: taxpayerId ?? undefined,
      subject: `token ${tokenId}`,
      before: undefined,
      after,
    });
    return { ...after, Token: token };
  });
  return reply.code(201).send(issued);
}

async function revoke(
  { pool, clock }: ConsoleContext,
  taxpayerId: string | null,
  tokenId: string,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const outcome = await inTransaction(pool, async (tx) => {
    const before = await lockToken(tx, taxpayerId, tokenId);
    if (before === undefined) return NO_TOKEN;
    if (before.revokedAt !== null) return presentToken(before);
    if (taxpayerId === null && (await countOperatorTokens(tx)) === 1) return LAST_TOKEN;
    const revokedAt = clock();
    await revokeToken(tx, tokenId, revokedAt);
    const after = presentToken({ ...before, revokedAt });
    await recordAudit(tx, {
      ...actorOf(request),
      action: 'token.revoked',
      taxpayerId: taxpayerId ?? undefined,
      subject: `token ${tokenId}`,
      before: presentToken(before),
      after,
    });
    return after;
  });
  return 'code' in outcome ? sendProblem(reply, outcome) : outcome;
}

function readExpiry(text: string | null | undefined, now: Date): Date | undefined | 'wrong' {
  if (text === null || text === undefined) return undefined;
  const date = readInstant(text);
  return date === undefined || date <= now ? 'wrong' : date;
}

function presentToken(token: TokenRecord) {
  return {
    TokenId: token.tokenId,
    Name: token.name,
    Prefix: token.displayPrefix,
    Scopes: token.scopes,
    DefaultCashier: token.defaultCashier,
    ExpiresAt: token.expiresAt?.toISOString() ?? null,
    RevokedAt: token.revokedAt?.toISOString() ?? null,
    CreatedAt: token.createdAt.toISOString(),
  };
}
