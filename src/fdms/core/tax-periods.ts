import { parseWall } from '../../kernel/zone.ts';
import { type DeviceTax, isSameTax, type TaxedDevice } from './device-tax.ts';

const DAY_SECONDS = 86_400;

/** A tax in force without a break, in device local time; without end: Infinity. */
export interface TaxPeriod {
  /** In its newest words. */
  readonly tax: DeviceTax;
  readonly sinceWall: number;
  /** No longer from this second on. */
  readonly endWall: number;
}

/** Since when each id and percentage has been in force and until when, the first first: the history behind `taxesOn`. */
export function taxPeriods({ taxTables }: TaxedDevice): TaxPeriod[] {
  const periods: TaxPeriod[] = [];
  for (const [newer, table] of [...taxTables.entries()].toReversed()) {
    const isFirst = newer === taxTables.length - 1;
    const next = Math.min(...taxTables.slice(0, newer).map(({ sinceWall }) => sinceWall));
    for (const tax of table.taxes) {
      const sinceWall = Math.max(startOf(tax.validFrom), isFirst ? Number.NEGATIVE_INFINITY : table.sinceWall);
      const endWall = Math.min(next, tax.validTill === undefined ? Infinity : startOf(tax.validTill) + DAY_SECONDS);
      if (sinceWall < endWall) continueOrAdd(periods, { tax, sinceWall, endWall });
    }
  }
  return periods.toSorted((a, b) => a.sinceWall - b.sinceWall || a.tax.taxId - b.tax.taxId);
}

function continueOrAdd(periods: TaxPeriod[], period: TaxPeriod): void {
  const { tax, sinceWall } = period;
  const at = periods.findIndex((one) => one.endWall === sinceWall && isSameTax(one.tax, tax));
  const before = periods[at];
  if (before === undefined) periods.push(period);
  else periods[at] = { ...period, sinceWall: before.sinceWall };
}

/** The first day of all stands for none, and 30 February is none: such a tax is in force for as long as it is listed. */
function startOf(day: string): number {
  return (day > '0001-01-01' ? parseWall(`${day}T00:00:00`) : undefined) ?? Number.NEGATIVE_INFINITY;
}
