import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Pool } from 'pg';
import { confirmEndpoint, forOperators, forTenants, type SharedOperations } from '../contract/endpoints/endpoint.ts';
import { MOST_SHOWN } from '../contract/endpoints/endpoint-shapes.ts';
import { Refused, refused } from '../kernel/refusal.ts';
import { type Audited, createAudited } from '../platform/database/audit.ts';
import { inTransaction } from '../platform/database/database.ts';
import { type EventSource, tenantGuard, tenantOf } from '../platform/events/tenant-guard.ts';
import type { Administration } from '../platform/http/administration.ts';
import { DEFAULT_PAGE, nextCursor, readPage } from '../platform/http/page.ts';
import { type Guard, route } from '../platform/http/route.ts';
import { listAttempts, listSetAside } from './attempt-store.ts';
import { changeEndpoint, NO_ENDPOINT, removeEndpoint, resumeEndpoint, rotateSecret } from './change-endpoint.ts';
import { confirmAddress } from './confirm-endpoint.ts';
import type { Owner } from './core/endpoint.ts';
import { createEndpoint } from './create-endpoint.ts';
import { type EndpointFilter, findEndpoint, listEndpoints } from './endpoint-store.ts';
import { findPosition } from './find-position.ts';
import { presentEndpoint } from './present-endpoint.ts';
import { recordSent, resendEvent, type SendingContext, sendTest } from './send-by-hand.ts';

export interface RoutesContext extends Omit<SendingContext, 'scope' | 'caller'> {
  readonly pool: Pool;
  /** Something may be due sooner than it is looked for. */
  readonly poke: () => void;
}

/** On whose behalf these routes are called. */
interface Callers {
  readonly guard: Guard;
  readonly audited: Audited;
  readonly contextOf: (request: FastifyRequest) => SendingContext;
}

export function tenantRoutes(
  app: FastifyInstance,
  context: RoutesContext,
  sources: readonly [EventSource, ...EventSource[]],
): void {
  const audited = createAudited(context.pool, (request) => {
    const { name, tokenId } = tenantOf(request);
    return { actor: `${name} (token ${tokenId})` };
  });
  const contextOf = (request: FastifyRequest) => {
    return { ...context, scope: tenantOf(request).tenantId, caller: 'token' as const };
  };
  const callers = { guard: tenantGuard(sources), audited, contextOf };
  const ownerOf = (request: FastifyRequest): Owner => {
    const { source, tenantId } = tenantOf(request);
    return source.kind === 'taxpayer'
      ? { taxpayerId: tenantId, vendorId: null, billerCode: null }
      : { taxpayerId: null, vendorId: tenantId, billerCode: null };
  };
  route(app, callers.guard, forTenants.listEndpoints, ({ request, query }) =>
    listPage(contextOf(request), { after: query.Cursor }, query.Limit),
  );
  route(app, callers.guard, forTenants.createEndpoint, ({ request, body }) =>
    audited(request, (tx, actor) => createEndpoint(tx, contextOf(request), ownerOf(request), body, actor)),
  );
  endpointRoutes(app, context, forTenants, callers);
}

export function operatorRoutes(
  app: FastifyInstance,
  context: RoutesContext,
  { guard, audited, isOperator }: Pick<Administration, 'guard' | 'audited' | 'isOperator'>,
): void {
  // Whose endpoint it is was asked before, where a tenant's people are let in.
  const contextOf = (request: FastifyRequest) => {
    return { ...context, scope: undefined, caller: isOperator(request) ? ('operator' as const) : ('person' as const) };
  };
  route(app, guard, forOperators.listEndpoints, ({ request, query }) => {
    const { TaxpayerId: taxpayerId, VendorId: vendorId, BillerCode: billerCode, State: state, Cursor: after } = query;
    return listPage(contextOf(request), { taxpayerId, vendorId, billerCode, state, after }, query.Limit);
  });
  route(app, guard, forOperators.createEndpoint, async ({ request, body }) => {
    const {
      TaxpayerId: taxpayerId = null,
      VendorId: vendorId = null,
      BillerCode: billerCode = null,
      ...settings
    } = body;
    if (taxpayerId !== null && (vendorId ?? billerCode) !== null) return refused(TWO_OWNERS);
    const by = contextOf(request);
    const owner = { taxpayerId, vendorId, billerCode };
    const created = await audited(request, (tx, actor) => createEndpoint(tx, by, owner, settings, actor));
    if (created instanceof Refused || created.State !== 'Unconfirmed') return created;
    const sent = await sendTest(by, created.EndpointId);
    if (!(sent instanceof Refused)) await audited(request, (tx) => recordSent(tx, by, 'endpoint.tested', sent));
    return created;
  });
  route(app, guard, confirmEndpoint, async ({ body }) => {
    const answer = await inTransaction(context.pool, (tx) => confirmAddress(tx, context, body.Token));
    context.poke();
    return answer;
  });
  endpointRoutes(app, context, forOperators, { guard, audited, contextOf });
}

const TWO_OWNERS = {
  code: 'InvalidRequest',
  detail:
    'Give TaxpayerId or VendorId (with BillerCode for one of its billers), not both; neither for an endpoint of the installation.',
} as const;

async function listPage(context: SendingContext, filter: EndpointFilter, limit = DEFAULT_PAGE) {
  const all = { ...filter, tenantId: context.scope };
  const endpoints = await readPage(limit, (most) => listEndpoints(context.pool, all, most));
  return {
    Endpoints: endpoints.rows.map((endpoint) => presentEndpoint(endpoint, context)),
    NextCursor: nextCursor(endpoints, (last) => last.endpointId),
  };
}

/** All that tenants and operators do with an endpoint alike. */
function endpointRoutes(
  app: FastifyInstance,
  { pool, poke, transports }: RoutesContext,
  operations: SharedOperations,
  { guard, audited, contextOf }: Callers,
): void {
  /** What has changed may be due at once, and over another connection. */
  const begunAgain = <Answer>(endpointId: string, answer: Answer): Answer => {
    transports.web.forget(endpointId);
    poke();
    return answer;
  };

  route(app, guard, operations.getEndpoint, async ({ request, params: { endpointId } }) => {
    const context = contextOf(request);
    const endpoint = await findEndpoint(pool, endpointId, context.scope);
    if (endpoint === undefined) return refused(NO_ENDPOINT);
    return {
      ...presentEndpoint(endpoint, context),
      SetAside: await listSetAside(pool, endpointId),
      Attempts: await listAttempts(pool, endpointId, undefined, MOST_SHOWN.attempts),
    };
  });

  route(app, guard, operations.listEndpointAttempts, async ({ request, params: { endpointId }, query }) => {
    const endpoint = await findEndpoint(pool, endpointId, contextOf(request).scope);
    if (endpoint === undefined) return refused(NO_ENDPOINT);
    const before = query.Cursor === undefined ? undefined : BigInt(query.Cursor);
    const attempts = await readPage(query.Limit ?? DEFAULT_PAGE, (most) =>
      listAttempts(pool, endpointId, before, most),
    );
    return { Attempts: [...attempts.rows], NextCursor: nextCursor(attempts, (last) => last.AttemptId) };
  });

  route(app, guard, operations.changeEndpoint, async ({ request, params: { endpointId }, body }) => {
    const changed = await audited(request, (tx) => changeEndpoint(tx, contextOf(request), endpointId, body));
    return begunAgain(endpointId, changed);
  });

  route(app, guard, operations.deleteEndpoint, async ({ request, params: { endpointId } }) => {
    const removed = await audited(request, (tx) => removeEndpoint(tx, contextOf(request), endpointId));
    return begunAgain(endpointId, removed);
  });

  route(app, guard, operations.rotateEndpointSecret, ({ request, params, body }) =>
    audited(request, (tx) => rotateSecret(tx, contextOf(request), params.endpointId, body)),
  );

  route(app, guard, operations.resumeEndpoint, async ({ request, params: { endpointId }, body }) => {
    const context = contextOf(request);
    const endpoint = await findEndpoint(pool, endpointId, context.scope);
    if (endpoint === undefined) return refused(NO_ENDPOINT);
    const after = await findPosition(context.feed, endpoint, body);
    if (after instanceof Refused) return after;
    return begunAgain(endpointId, await audited(request, (tx) => resumeEndpoint(tx, context, endpointId, after)));
  });

  route(app, guard, operations.testEndpoint, async ({ request, params }) => {
    const sent = await sendTest(contextOf(request), params.endpointId);
    if (sent instanceof Refused) return sent;
    return audited(request, (tx) => recordSent(tx, contextOf(request), 'endpoint.tested', sent));
  });

  route(app, guard, operations.resendEvent, async ({ request, params, body }) => {
    const sent = await resendEvent(contextOf(request), params.endpointId, BigInt(body.Number));
    if (sent instanceof Refused) return sent;
    return audited(request, (tx) => recordSent(tx, contextOf(request), 'endpoint.event_resent', sent));
  });
}
