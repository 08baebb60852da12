import type { FastifyInstance } from 'fastify';
import { billpayAdminRoutes } from '../billpay/index.ts';
import { DEFAULT_ZONE } from '../contract/shared/values.ts';
import { type Authenticate, fiscalAdminRoutes } from '../fiscal/index.ts';
import { refused } from '../kernel/refusal.ts';
import { createAudited } from '../platform/database/audit.ts';
import { DATABASE_IS_WELL, type DatabaseState } from '../platform/database/primary-watch.ts';
import type { PushService } from '../push/index.ts';
import { auditRoutes } from './audit-routes.ts';
import type { ConsoleContext } from './context.ts';
import { keyRoutes } from './key-routes.ts';
import { operatorRoutes } from './operators/operator-routes.ts';
import { createGuard, principalOf } from './operators/principal.ts';
import { sessionRoutes } from './operators/session-routes.ts';
import { countMinutesRegularly } from './overview/count-minutes.ts';
import { overviewRoutes } from './overview/overview-routes.ts';
import type { AuthorityState } from './overview/read-overview.ts';
import { proofRoutes } from './proof-routes.ts';

export interface ConsoleOptions
  extends Omit<
    ConsoleContext,
    | 'guard'
    | 'audited'
    | 'publicUrl'
    | 'timeZone'
    | 'authorityState'
    | 'databaseState'
    | 'pokeWebhooks'
    | 'reversePayment'
  > {
  readonly authenticate: Authenticate;
  /** The setting PUBLIC_URL. */
  readonly publicUrl?: string | undefined;
  /** Whether the authority answers; without it, it is thought to. */
  readonly breaker?: AuthorityState;
  /** Without it the database is thought to be well. */
  readonly databaseState?: DatabaseState;
  /** Africa/Harare where nothing is said. */
  readonly timeZone?: string;
  readonly pokeWebhooks?: () => void;
  /** Without it there are no endpoints. */
  readonly push?: PushService;
  /** Without it no biller is reached, and no payment reversed. */
  readonly reversePayment?: ConsoleContext['reversePayment'];
}

const NO_BILLERS = { code: 'Unavailable', detail: 'This process reaches no billers.', retryAfterSeconds: 60 } as const;

/** Everything an operator can do, under /api/admin. */
export function registerConsole(
  app: FastifyInstance,
  { authenticate, breaker, push, ...options }: ConsoleOptions,
): void {
  const { publicUrl } = options;
  const context: ConsoleContext = {
    ...options,
    publicUrl,
    timeZone: options.timeZone ?? DEFAULT_ZONE,
    guard: createGuard({ ...options, publicUrl, authenticate }),
    audited: createAudited(options.pool, (request) => principalOf(request).actor),
    databaseState: options.databaseState ?? DATABASE_IS_WELL,
    authorityState: () => breaker ?? { state: 'closed', reason: '' },
    pokeWebhooks: options.pokeWebhooks ?? (() => {}),
    reversePayment: options.reversePayment ?? (async () => refused(NO_BILLERS)),
  };
  sessionRoutes(app, context);
  operatorRoutes(app, context);
  overviewRoutes(app, context);
  countMinutesRegularly(app, context);
  fiscalAdminRoutes(app, context);
  billpayAdminRoutes(app, context);
  proofRoutes(app, context);
  auditRoutes(app, context);
  push?.registerAdministration(app, context);
  keyRoutes(app, context);
}
