/**
 * A month's sales and VAT: the sum of the fiscal days that were opened in it, counted as each of their Z reports is. Pure, so that a month
 * cannot differ from its days by more than what is added up.
 */

import { type DeviceTax, sumCounters } from '../../fdms/index.ts';
import { add } from '../../kernel/decimal.ts';
import { type CurrencyReport, type DocumentSum, reportCurrencies, reportDocuments } from './day-report.ts';
import { counterName, type KeptCounters, type OtherCounter } from './kept-counters.ts';

/** The closed days of a device in a month, added up. */
export interface DeviceSum {
  readonly deviceId: number;
  readonly serialNumber: string;
  readonly days: number;
  readonly counters: KeptCounters;
}

/** The documents of one cashier on one device. */
export interface CashierSum extends DocumentSum {
  readonly deviceId: number;
  /** Null: the receipts name nobody. */
  readonly cashier: string | null;
}

export interface CashierReport extends Pick<CurrencyReport, 'documents' | 'totalDocuments'> {
  readonly cashier: string | null;
  readonly currency: string;
}

export interface MonthSums {
  readonly currencies: readonly CurrencyReport[];
  readonly devices: readonly (Omit<DeviceSum, 'counters'> & { readonly currencies: readonly CurrencyReport[] })[];
  readonly cashiers: readonly CashierReport[];
}

/** `taxes` gives the names, newest first. */
export function sumMonth(
  devices: readonly DeviceSum[],
  cashiers: readonly CashierSum[],
  taxes: readonly DeviceTax[],
): MonthSums {
  const total = addCounters(devices.map(({ counters }) => counters));
  const byDevice = Map.groupBy(cashiers, ({ deviceId }) => deviceId);
  return {
    currencies: reportCurrencies(total, cashiers, taxes),
    devices: devices.map(({ counters, ...device }) => {
      return { ...device, currencies: reportCurrencies(counters, byDevice.get(device.deviceId) ?? [], taxes) };
    }),
    cashiers: [...Map.groupBy(cashiers, ({ cashier, currency }) => JSON.stringify([cashier, currency])).values()]
      .flatMap((own) =>
        own.slice(0, 1).map(({ cashier, currency }) => ({ cashier, currency, ...reportDocuments(own) })),
      )
      .toSorted((a, b) => (a.cashier ?? '').localeCompare(b.cashier ?? '') || a.currency.localeCompare(b.currency)),
  };
}

/** Those of several days or devices as one. */
export function addCounters(parts: readonly KeptCounters[]): KeptCounters {
  const others = new Map<string, OtherCounter>();
  for (const one of parts.flatMap((part) => part.others)) {
    const key = `${one.currency} ${one.taxId} ${counterName(one)}`;
    const before = others.get(key);
    others.set(key, before === undefined ? one : { ...one, value: add(before.value, one.value) });
  }
  return { counted: sumCounters(parts.flatMap(({ counted }) => counted)), others: [...others.values()] };
}
