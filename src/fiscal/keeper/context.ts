import type { Pool } from 'pg';
import type { Gateway } from '../../fdms/index.ts';
import type { TaxRounding } from '../../kernel/tax.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/logging/log.ts';
import type { LaneEvent } from '../core/held-lane.ts';
import type { DeviceKey, ReceiptKey } from '../core/keys.ts';
import type { DeviceRegistry } from '../devices/device-registry.ts';
import type { Evidence } from '../evidence/evidence.ts';
import type { Acknowledged } from '../sealing/acknowledged.ts';
import type { Acceptances } from '../submission/acceptances.ts';
import type { Breaker } from '../submission/breaker.ts';
import type { Sending } from '../submission/sending.ts';
import type { NextReceipt } from '../submission/store.ts';
import type { SubmissionWaiters } from '../submission/waiters.ts';

export interface KeeperOptions {
  readonly pool: Pool;
  readonly gateway: Gateway;
  readonly evidence: Evidence;
  readonly breaker: Breaker;
  readonly devices: DeviceRegistry;
  readonly waiters: SubmissionWaiters;
  readonly acknowledged: Acknowledged;
  readonly sending: Sending;
  readonly clock: Clock;
  readonly log: Log;
  /** How many devices may talk to the authority at once. */
  readonly devicesAtOnce: number;
  /** A call that takes longer than this counts as an outage for everything that waits. */
  readonly slowMs: number;
  /** In which alerts tell times. */
  readonly timeZone: string;
  readonly taxRounding: TaxRounding;
}

/** What the steps of a device work with. */
export interface KeeperContext extends KeeperOptions {
  readonly acceptances: Acceptances;
  /** The receipt as it stands now, which the standby has as well; undefined when there is none. Those after it are kept for their turn. */
  readonly readReceipt: (key: ReceiptKey) => Promise<NextReceipt | undefined>;
  /** For how long a device is to leave the authority alone, and that it asked for this. */
  readonly quietSeconds: (key: DeviceKey) => number;
  readonly keepQuiet: (key: DeviceKey, seconds: number) => void;
  /** These lanes are to look at the tables at once. */
  readonly poke: (keys: readonly DeviceKey[]) => void;
}

/** The outcome of a step: continue with the next one, also after a receipt that was accepted, or leave the lane alone for a while. */
export type StepOutcome = { readonly kind: 'continue' } | Pause | Extract<LaneEvent<never>, { kind: 'accepted' }>;

export interface Pause {
  readonly kind: 'pause';
  readonly seconds: number;
  readonly error: string;
  readonly isOutage: boolean;
}

export const CONTINUE: StepOutcome = { kind: 'continue' };

export function pause(seconds: number, error: string, isOutage = false): Pause {
  return { kind: 'pause', seconds, error, isOutage };
}
