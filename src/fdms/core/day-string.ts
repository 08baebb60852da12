/**
 * The text a fiscal day is closed with: specification §13.3.1.
 *
 * The date is the one on which the day was opened, also when it closes after midnight. The taxID of a counter only sorts
 * it and is not part of the text.
 */
import { toCents } from '../../kernel/decimal.ts';
import { type DayCounter, signedCounters } from './day-counters.ts';
import { percentText } from './signing-string.ts';

export interface DayInput {
  readonly deviceId: number;
  readonly fiscalDayNumber: number;
  /** Local date of the opening, `YYYY-MM-DD`. */
  readonly fiscalDayDate: string;
  /** In any order and with zeros: the string sorts them and drops the zeros. */
  readonly counters: readonly DayCounter[];
}

export function dayString(day: DayInput): string {
  return `${day.deviceId}${day.fiscalDayNumber}${day.fiscalDayDate}${countersString(day.counters)}`;
}

/** The counters alone: the authority's own signature on a day has them too. */
export function countersString(counters: readonly DayCounter[]): string {
  let text = '';
  for (const counter of signedCounters(counters)) {
    const kind =
      counter.type === 'BalanceByMoneyType' ? counter.moneyType.toUpperCase() : percentText(counter.taxPercent);
    text += counter.type.toUpperCase() + counter.currency.toUpperCase() + kind + toCents(counter.value);
  }
  return text;
}
