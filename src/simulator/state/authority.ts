import type { Log } from '../../platform/logging/log.ts';
import type { DeviceKeys } from '../certificates/device-keys.ts';
import type { Identity } from '../certificates/identity.ts';
import type { Database } from '../store/database.ts';
import type { AuthorityClock } from './authority-clock.ts';
import type { Fault } from './faults.ts';
import type { Switches } from './switches.ts';

/** What every operation works with. */
export interface Authority {
  readonly db: Database;
  readonly identity: Identity;
  readonly deviceKeys: DeviceKeys;
  readonly clock: AuthorityClock;
  readonly log: Log;
  /** Base of the links in QR codes. */
  readonly qrUrl: string;
  switches(): Switches;
  /** The fault that makes a closing fail, if there is one for it. */
  strikeClosing(deviceId: number): Fault | undefined;
  /** Decides a closing that was accepted, after the delay. */
  scheduleClosing(deviceId: number): void;
}
