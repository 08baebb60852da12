/** A day's counters as they are kept: those of the protocol, and what else a person at the authority may have closed it with. */

import {
  countersString,
  type DayCounter,
  MONEY_TYPES,
  percentText,
  signedCounters,
  TAX_COUNTER_TYPES,
} from '../../fdms/index.ts';
import { type Decimal, decimal, formatDecimal, signOf, toCents } from '../../kernel/decimal.ts';

/** Of a type or money type that is not known here. Nothing here counts such a thing: it is kept, shown and never computed with. */
export interface OtherCounter {
  readonly type: string;
  readonly currency: string;
  readonly taxId: number | undefined;
  readonly taxPercent: Decimal | null;
  readonly moneyType: string | undefined;
  readonly value: Decimal;
}

export interface KeptCounters {
  readonly counted: readonly DayCounter[];
  readonly others: readonly OtherCounter[];
}

/** Decimals as text, as everywhere in jsonb. */
export interface CounterText {
  readonly type: string;
  readonly currency: string;
  readonly taxId?: number | undefined;
  readonly taxPercent?: string | null | undefined;
  readonly moneyType?: string | undefined;
  readonly value: string;
}

export function readCounters(texts: readonly CounterText[]): KeptCounters {
  const counted: DayCounter[] = [];
  const others: OtherCounter[] = [];
  for (const text of texts) {
    const counter = counterOf(text);
    if (counter === undefined) others.push(otherOf(text));
    else counted.push(counter);
  }
  return { counted: signedCounters(counted), others };
}

export function parseCounters(json: string): KeptCounters {
  return readCounters(JSON.parse(json) as CounterText[]);
}

export function countersText({ counted, others }: KeptCounters): string {
  return JSON.stringify(
    [...counted, ...others].map((counter) => ({
      ...counter,
      value: formatDecimal(counter.value),
      ...('taxPercent' in counter
        ? { taxPercent: counter.taxPercent === null ? null : formatDecimal(counter.taxPercent) }
        : {}),
    })),
  );
}

/** As in the authority's signature on the day. How it spells counters not known here is a guess: like the others, after them. */
export function keptCountersString({ counted, others }: KeptCounters): string {
  const spelled = others
    .filter((counter) => signOf(counter.value) !== 0)
    .map(({ type, currency, moneyType, taxPercent, value }) =>
      [
        type.toUpperCase(),
        currency.toUpperCase(),
        moneyType?.toUpperCase() ?? percentText(taxPercent),
        toCents(value),
      ].join(''),
    );
  return countersString(counted) + spelled.join('');
}

/** For people: the type, and what it is split by. */
export function counterName({ type, moneyType, taxPercent }: OtherCounter): string {
  return `${type} ${moneyType ?? (taxPercent === null ? 'exempt' : `${formatDecimal(taxPercent)} %`)}`;
}

function counterOf(text: CounterText): DayCounter | undefined {
  const { currency } = text;
  const value = decimal(text.value);
  if (text.type === 'BalanceByMoneyType') {
    const moneyType = MONEY_TYPES.find((name) => name === text.moneyType);
    return moneyType && { type: 'BalanceByMoneyType', currency, moneyType, value };
  }
  const type = TAX_COUNTER_TYPES.find((name) => name === text.type);
  return type && { type, currency, taxId: text.taxId ?? 0, taxPercent: percentOf(text), value };
}

function otherOf(text: CounterText): OtherCounter {
  const { type, currency, taxId, moneyType } = text;
  return { type, currency, taxId, taxPercent: percentOf(text), moneyType, value: decimal(text.value) };
}

function percentOf({ taxPercent }: CounterText): Decimal | null {
  return taxPercent === undefined || taxPercent === null ? null : decimal(taxPercent);
}
