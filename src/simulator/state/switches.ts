import type { Rounding } from '../core/rounding.ts';

export interface DeviceModel {
  readonly name: string;
  readonly version: string;
}

/** What the protocol leaves open or the real authority is known to do differently at times; changed through the control API. */
export const DEFAULT_SWITCHES = {
  /** How long an accepted CloseDay stays undecided. */
  closeDelayMs: 200,
  rounding: 'half-even' as Rounding,
  /** By how much price × quantity, taxes and sales may differ (RCPT024, 026, 027). */
  toleranceCents: 0,
  /** How far ahead of the authority's clock a receipt may be dated (RCPT031). */
  futureAllowanceSeconds: 600,
  /** How long before its day's opening a receipt may be dated (RCPT014). */
  openingAllowanceSeconds: 0,
  /** How long after its day's maximum length a receipt may be dated (RCPT041). */
  dayEndAllowanceSeconds: 0,
  /** By how much a receipt must be later than the one before it (RCPT030). */
  minimumGapSeconds: 1,
  /** What serverDate and fiscalDayClosed have after their seconds, sent and signed: a fraction, or a zone. */
  dateSuffix: '',
  /** GetStatus reports the number of the receipt with the latest date, not the highest number (seen live). */
  hasLastNumberQuirk: false,
  /** After a day was closed by hand, numbers it lacks are no longer waited for. The protocol does not say so. */
  doesManualCloseSettleGaps: false,
  reportingFrequencyMinutes: 5,
  models: [{ name: 'Server', version: 'v1' }] as readonly DeviceModel[],
  blacklistedModels: [] as readonly DeviceModel[],
};
export type Switches = Readonly<typeof DEFAULT_SWITCHES>;
