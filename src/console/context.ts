import type { BillpayAdministration } from '../billpay/index.ts';
import type { FiscalAdministration } from '../fiscal/index.ts';
import type { DatabaseState } from '../platform/database/primary-watch.ts';
import type { AuthorityState } from './overview/read-overview.ts';
import type { SessionContext } from './people/session-routes.ts';

/** What the administration routes are given. */
export interface ConsoleContext extends SessionContext, FiscalAdministration, BillpayAdministration {
  readonly authorityState: AuthorityState;
  readonly databaseState: DatabaseState;
}
