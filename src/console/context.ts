import type { PaymentWork } from '../billpay/index.ts';
import type { Gateway } from '../fdms/index.ts';
import type { DatabaseState } from '../platform/database/primary-watch.ts';
import type { SessionContext } from './operators/session-routes.ts';
import type { AuthorityState } from './overview/read-overview.ts';

/** What the administration routes are given. */
export interface ConsoleContext extends SessionContext {
  readonly gateway: Gateway;
  /** Wakes a device: something new is due for it. */
  readonly poke: (taxpayerId: string, deviceId: number) => void;
  /** Whether a vendor's webhook may lead to this machine or its network; not by default. */
  readonly webhookAllowsPrivate?: boolean;
  readonly authorityState: () => AuthorityState;
  readonly databaseState: DatabaseState;
  /** A webhook may be due sooner than it is looked for. */
  readonly pokeWebhooks: () => void;
  /** Asks the biller to take a payment back, then writes it. */
  readonly reversePayment: PaymentWork['reverse'];
}
