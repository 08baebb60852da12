import type { Pool } from 'pg';
import type { Gateway } from '../../fdms/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/logging/log.ts';
import type { DeviceKey } from '../core/keys.ts';
import type { DeviceRegistry } from '../devices/device-registry.ts';
import type { Evidence } from '../evidence/evidence.ts';
import type { Acknowledged } from '../sealing/acknowledged.ts';
import type { Acceptances } from '../submission/acceptances.ts';
import type { Breaker } from '../submission/breaker.ts';
import type { SubmissionWaiters } from '../submission/waiters.ts';
import type { DevicePauses } from './device-pauses.ts';
import type { ReceiptsAhead } from './receipts-ahead.ts';
import type { LaneSituation } from './situation-store.ts';

export interface KeeperContext {
  readonly pool: Pool;
  readonly gateway: Gateway;
  readonly evidence: Evidence;
  readonly breaker: Breaker;
  readonly carePauses: DevicePauses;
  /** What the authority asked for with Retry-After. */
  readonly requestedPauses: DevicePauses;
  readonly devices: DeviceRegistry;
  readonly waiters: SubmissionWaiters;
  readonly acceptances: Acceptances;
  readonly acknowledged: Acknowledged;
  readonly ahead: ReceiptsAhead;
  readonly clock: Clock;
  readonly log: Log;
  readonly stopping: AbortSignal;
  /** How the lane stands, in the tables. */
  readonly look: (key: DeviceKey) => Promise<LaneSituation>;
  /** These lanes are to look at the tables at once. */
  readonly poke: (lanes: readonly DeviceKey[]) => void;
  /** A call that takes longer than this counts as an outage for everything that waits. */
  readonly slowMs: number;
  /** In which alerts tell times. */
  readonly timeZone: string;
}

/** The outcome of a step: continue with the next one, or leave the lane alone for a while. */
export type StepOutcome =
  | { readonly kind: 'continue' }
  | { readonly kind: 'pause'; readonly seconds: number; readonly error: string; readonly isOutage: boolean };

export const CONTINUE: StepOutcome = { kind: 'continue' };

export function pause(seconds: number, error: string, isOutage = false): StepOutcome {
  return { kind: 'pause', seconds, error, isOutage };
}
