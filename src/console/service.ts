import type { FastifyInstance } from 'fastify';
import { billpayAdminRoutes } from '../billpay/index.ts';
import type { EndpointService } from '../endpoints/index.ts';
import { type Authenticate, fiscalAdminRoutes } from '../fiscal/index.ts';
import { createAudited } from '../platform/database/audit.ts';
import { auditRoutes } from './audit-routes.ts';
import type { ConsoleContext } from './context.ts';
import { keyRoutes } from './key-routes.ts';
import { overviewRoutes } from './overview/overview-routes.ts';
import { invitationRoutes } from './people/invitation-routes.ts';
import { openIdRoutes } from './people/openid/openid-routes.ts';
import { personRoutes } from './people/person-routes.ts';
import { createGuard, principalOf } from './people/principal.ts';
import { passkeyRoutes } from './people/second-factor/passkey-routes.ts';
import { secondFactorRoutes } from './people/second-factor/second-factor-routes.ts';
import { sessionRoutes } from './people/session-routes.ts';
import { practiceRoutes } from './practices/practice-routes.ts';
import { proofRoutes } from './proof-routes.ts';
import { tokenRoutes } from './token-routes.ts';

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
