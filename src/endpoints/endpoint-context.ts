import type { Clock } from '../platform/clock.ts';
import type { MasterKeys } from '../platform/secrets/master-keys.ts';
import type { AddressRules } from './check-settings.ts';

/** What the changes of endpoints need to know, and on whose behalf they are made. */
export interface EndpointContext extends AddressRules {
  readonly masterKeys: MasterKeys;
  readonly clock: Clock;
  readonly senderAddresses: readonly string[];
  /** The tenant whose endpoints these are; undefined for operators, who see all. */
  readonly scope: string | undefined;
}
