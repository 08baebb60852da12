import type { DAY_STATES } from '../../contract/shared/values.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import type { DeviceKey } from './keys.ts';

export type DayState = (typeof DAY_STATES)[number];

/** The last sealed receipt of a device and the state of its fiscal day: what the next receipt is sealed onto. */
export interface Head extends DeviceKey {
  readonly revision: number;
  readonly dayState: DayState;
  readonly fiscalDayNumber: number;
  readonly dayOpenedAtSeconds: number | undefined;
  readonly fiscalDayCounter: number;
  readonly globalCounter: number;
  /** Undefined before the first receipt of the day: the hash chain lives inside one fiscal day. */
  readonly lastHash: Buffer | undefined;
  /** Device local time of the last receipt; runs on across days. */
  readonly lastWallSeconds: number | undefined;
  /** Sum of the absolute amounts of the day: no counter of the day can be larger. */
  readonly dayVolume: Decimal;
}
