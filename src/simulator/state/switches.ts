import type { Rounding } from '../core/rounding.ts';

/** What the protocol leaves open or the real authority is known to do differently at times; changed through the control API. */
export interface Switches {
  /** How long an accepted CloseDay stays undecided. */
  readonly closeDelayMs: number;
  readonly rounding: Rounding;
  /** By how much price × quantity, taxes and sales may differ (RCPT024, 026, 027). */
  readonly toleranceCents: number;
  /** How far ahead of the authority's clock a receipt may be dated (RCPT031). */
  readonly futureAllowanceSeconds: number;
  /** How long before its day's opening a receipt may be dated (RCPT014). */
  readonly openingAllowanceSeconds: number;
  /** How long after its day's maximum length a receipt may be dated (RCPT041). */
  readonly dayEndAllowanceSeconds: number;
  /** By how much a receipt must be later than the one before it (RCPT030). */
  readonly minimumGapSeconds: number;
  /** What serverDate and fiscalDayClosed have after their seconds, sent and signed: a fraction, or a zone. */
  readonly dateSuffix: string;
  /** GetStatus reports the number of the receipt with the latest date, not the highest number (seen live). */
  readonly hasLastNumberQuirk: boolean;
  /** After a day was closed by hand, numbers it lacks are no longer waited for. The protocol does not say so. */
  readonly doesManualCloseSettleGaps: boolean;
  readonly reportingFrequencyMinutes: number;
  readonly models: readonly DeviceModel[];
  readonly blacklistedModels: readonly DeviceModel[];
}

export interface DeviceModel {
  readonly name: string;
  readonly version: string;
}

export const DEFAULT_SWITCHES: Switches = Object.freeze({
  closeDelayMs: 200,
  rounding: 'half-even',
  toleranceCents: 0,
  futureAllowanceSeconds: 600,
  openingAllowanceSeconds: 0,
  dayEndAllowanceSeconds: 0,
  minimumGapSeconds: 1,
  dateSuffix: '',
  hasLastNumberQuirk: false,
  doesManualCloseSettleGaps: false,
  reportingFrequencyMinutes: 5,
  models: [{ name: 'Server', version: 'v1' }],
  blacklistedModels: [],
});
