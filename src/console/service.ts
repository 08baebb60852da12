import type { FastifyInstance } from 'fastify';
import { billpayAdminRoutes } from '../billpay/index.ts';
import * as key from '../contract/console/key.ts';
import * as overview from '../contract/console/overview.ts';
import * as token from '../contract/platform/token.ts';
import type { EndpointService } from '../endpoints/index.ts';
import { type Authenticate, findTillsBehind, fiscalAdminRoutes } from '../fiscal/index.ts';
import { type Refusal, Refused, refused } from '../kernel/refusal.ts';
import { createAudited } from '../platform/database/audit.ts';
import type { Administration } from '../platform/http/administration.ts';
import { DEFAULT_PAGE, nextCursor, readPage } from '../platform/http/page.ts';
import { route } from '../platform/http/route.ts';
import { issueTokenTo, presentToken, readOwner, revokeTokenAt } from '../platform/tokens/administer-tokens.ts';
import { listTokens } from '../platform/tokens/store.ts';
import { auditRoutes } from './audit-routes.ts';
import type { ConsoleContext } from './context.ts';
import { OverviewReader, readTaxpayer } from './overview/read-overview.ts';
import { invitationRoutes } from './people/invitation-routes.ts';
import { openIdRoutes } from './people/openid/openid-routes.ts';
import { personRoutes } from './people/person-routes.ts';
import { createGuard, principalOf } from './people/principal.ts';
import { passkeyRoutes } from './people/second-factor/passkey-routes.ts';
import { secondFactorRoutes } from './people/second-factor/second-factor-routes.ts';
import { sessionRoutes } from './people/session-routes.ts';
import { practiceRoutes } from './practices/practice-routes.ts';
import { proofRoutes } from './proof-routes.ts';
import { rotateMasterKey } from './rotate-master-key.ts';

export interface ConsoleOptions extends Omit<ConsoleContext, 'guard' | 'audited' | 'isOperator' | 'nameOf'> {
  readonly authenticate: Authenticate;
  readonly endpoints: EndpointService;
}

/** Everything that people can do, under /api/admin. */
export function registerConsole(app: FastifyInstance, { endpoints, ...options }: ConsoleOptions): void {
  const context: ConsoleContext = {
    ...options,
    guard: createGuard(options),
    audited: createAudited(options.pool, (request) => {
      const { actor, tenant } = principalOf(request);
      return { actor, isOfInstallation: tenant.kind === 'installation' };
    }),
    isOperator: (request) => principalOf(request).tenant.kind === 'installation',
    nameOf: (request) => principalOf(request).name,
  };
  sessionRoutes(app, context);
  personRoutes(app, context);
  practiceRoutes(app, context);
  secondFactorRoutes(app, context);
  passkeyRoutes(app, context);
  openIdRoutes(app, context);
  invitationRoutes(app, context);
  overviewRoutes(app, context);
  tokenRoutes(app, context);
  fiscalAdminRoutes(app, context);
  billpayAdminRoutes(app, context);
  proofRoutes(app, context);
  auditRoutes(app, context);
  endpoints.registerAdministration(app, context);
  keyRoutes(app, context);
}

const NO_NEW_KEY: Refusal = {
  code: 'InvalidRequest',
  detail:
    'There is no new master key to rotate to: put it in front of the old one (MASTER_KEY="new,old", or as the first line of MASTER_KEY_FILE) on every instance, restart them one by one, and call this again.',
};

function keyRoutes(app: FastifyInstance, { pool, masterKeys, guard }: ConsoleContext): void {
  route(app, guard, key.rotateMasterKey, async ({ request }) => {
    const outcome = await rotateMasterKey(pool, masterKeys, principalOf(request).actor);
    if (outcome.kind === 'needs-new-key') return refused(NO_NEW_KEY);
    return { Rewrapped: outcome.rewrapped, Remaining: outcome.remaining };
  });
}

/** Tokens of taxpayers, vendors, billers and the operators. */
function tokenRoutes(app: FastifyInstance, { pool, clock, guard, audited }: Administration): void {
  route(app, guard, token.listTokens, async ({ query }) => {
    const owner = readOwner(query);
    if (owner instanceof Refused) return owner;
    const tokens = await readPage(query.Limit ?? DEFAULT_PAGE, (most) => listTokens(pool, owner, query.Cursor, most));
    const { TaxpayerId: taxpayerId } = query;
    const tills = taxpayerId === undefined ? undefined : await findTillsBehind(pool, [{ taxpayerId }]);
    const Tokens = tokens.rows.map((one) => ({
      ...presentToken(one, clock()),
      ...(tills && { TillsBehind: tills.filter(({ TokenId }) => TokenId === one.TokenId) }),
    }));
    return { Tokens, NextCursor: nextCursor(tokens, (last) => last.TokenId) };
  });
  route(app, guard, token.issueToken, ({ request, body }) =>
    audited(request, (tx, actor) => issueTokenTo(tx, body, clock(), actor)),
  );
  route(app, guard, token.revokeToken, ({ request, params, query }) =>
    audited(request, (tx) => revokeTokenAt(tx, params.tokenId, query, clock())),
  );
}

/** The state of everything at a glance. */
function overviewRoutes(
  app: FastifyInstance,
  context: Administration & ConstructorParameters<typeof OverviewReader>[0],
): void {
  const reader = new OverviewReader(context);
  route(app, context.guard, overview.getOverview, () => reader.read());
  route(app, context.guard, overview.getTaxpayerOverview, ({ params }) => readTaxpayer(context, params.taxpayerId));
}
