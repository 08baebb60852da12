import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { device, deviceTax, taxTable, wall } from '../../../test/support/devices.ts';
import { formatWall } from '../../kernel/zone.ts';
import { type TaxTable, taxesOn } from './device-tax.ts';
import { percentText } from './signing-string.ts';
import { taxPeriods } from './tax-periods.ts';

const history = (...taxTables: TaxTable[]) =>
  taxPeriods(device({ taxTables })).map(({ tax, sinceWall, endWall }) => [
    tax.taxId,
    formatWall(sinceWall),
    endWall === Infinity ? undefined : formatWall(endWall),
  ]);

test('a tax ends when a configuration is received that does not list it, and another begins', () => {
  const before = taxTable('2025-06-01T09:00:00', [deviceTax(2, '0', '2020-01-01'), deviceTax(1, '15', '2020-01-01')]);
  const after = taxTable('2026-01-01T05:00:00', [
    deviceTax(2, '0', '2020-01-01'),
    deviceTax(517, '15.5', '2020-01-01'),
  ]);
  expect(history(after, before)).toEqual([
    [1, '2020-01-01T00:00:00', '2026-01-01T05:00:00'],
    [2, '2020-01-01T00:00:00', undefined],
    [517, '2026-01-01T05:00:00', undefined],
  ]);
});

test('a tax that ends by its own date or begins by it does so at midnight, whenever the list was received', () => {
  const one = taxTable('2025-06-01T09:00:00', [
    deviceTax(3, '15', '2020-01-01', '2025-12-31'),
    deviceTax(517, '15.5', '2026-01-01'),
  ]);
  const two = taxTable('2026-02-01T05:00:00', [deviceTax(517, '15.5', '2026-01-01')]);
  expect(history(two, one)).toEqual([
    [3, '2020-01-01T00:00:00', '2026-01-01T00:00:00'],
    [517, '2026-01-01T00:00:00', undefined],
  ]);
});

test('a tax without a first day has been in force for as long as can be said', () => {
  const table = taxTable('2025-06-01T09:00:00', [deviceTax(1, '15', '0001-01-01')]);
  expect(taxPeriods(device({ taxTables: [table] }))[0]?.sinceWall).toBe(Number.NEGATIVE_INFINITY);
});

test('another percentage under the same id is another tax', () => {
  const one = taxTable('2025-06-01T09:00:00', [deviceTax(1, '15', '2020-01-01')]);
  const two = taxTable('2026-02-01T05:00:00', [deviceTax(1, '15.5', '2020-01-01')]);
  expect(taxPeriods(device({ taxTables: [two, one] })).map((one) => [one.tax.taxPercent, one.endWall])).toEqual([
    [deviceTax(1, '15', '').taxPercent, wall('2026-02-01T05:00:00')],
    [deviceTax(1, '15.5', '').taxPercent, Infinity],
  ]);
});

test('a list that is replaced in the second it was received was never in force', () => {
  const one = taxTable('2025-06-01T09:00:00', [deviceTax(1, '15', '2020-01-01')]);
  const wrong = taxTable('2026-02-01T05:00:00', [deviceTax(2, '14', '2020-01-01')]);
  const right = taxTable('2026-02-01T05:00:00', [deviceTax(3, '15.5', '2020-01-01')]);
  expect(history(right, wrong, one).map(([id]) => id)).toEqual([1, 3]);
});

const day = fc.integer({ min: 1, max: 28 }).map((number) => `2026-02-${String(number).padStart(2, '0')}`);
const moment = fc
  .tuple(day, fc.constantFrom('00:00:00', '05:00:00', '23:59:59'))
  .map(([date, time]) => `${date}T${time}`);
const anyTax = fc
  .tuple(fc.integer({ min: 1, max: 3 }), fc.constantFrom('15', '15.5', null), day, fc.option(day, { nil: undefined }))
  .map(([id, percent, from, till]) => deviceTax(id, percent, from, till));
const anyTable = fc.tuple(moment, fc.array(anyTax, { minLength: 1, maxLength: 4 }));

test('for any configurations and any date, the newest that was there by then decides alone, and the periods say the same', () => {
  fc.assert(
    // Also when a clock went back and a later one was received at an earlier time.
    fc.property(fc.array(anyTable, { minLength: 1, maxLength: 5 }), moment, (received, date) => {
      const newestFirst = received.toReversed().map(([since, taxes]) => taxTable(since, taxes));
      const here = device({ taxTables: newestFirst });
      const inForce = received.findLast(([since]) => since <= date) ?? received[0];
      const expected = (inForce?.[1] ?? []).filter(
        (tax) => tax.validFrom <= date.slice(0, 10) && date.slice(0, 10) <= (tax.validTill ?? '9999'),
      );
      expect(taxesOn(here, wall(date))).toEqual(expected);
      const keys = (taxes: typeof expected) =>
        new Set(taxes.map((tax) => `${tax.taxId}:${percentText(tax.taxPercent)}`));
      const running = taxPeriods(here).filter((one) => one.sinceWall <= wall(date) && wall(date) < one.endWall);
      expect(keys(running.map((one) => one.tax))).toEqual(keys(expected));
    }),
  );
});
