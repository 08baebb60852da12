import type { BillpayAdministration } from '../billpay/index.ts';
import type { FiscalAdministration } from '../fiscal/index.ts';
import type { DatabaseState } from '../platform/database/primary-watch.ts';
import type { SessionContext } from './operators/session-routes.ts';
import type { AuthorityState } from './overview/read-overview.ts';

/** What the administration routes are given. */
export interface ConsoleContext extends SessionContext, FiscalAdministration, BillpayAdministration {
  readonly authorityState: AuthorityState;
  readonly databaseState: DatabaseState;
}
