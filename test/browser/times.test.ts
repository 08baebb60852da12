import { readdir, readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { timesIn } from '../../web/src/parts/times.ts';

test("times are those of the installation's zone, wherever the person sits", () => {
  const { moment, momentOfWall, clockTime, dateOnly, startOfDay, fieldText, readField, label } =
    timesIn('Africa/Harare');
  const late = '2026-11-15T22:30:07.123Z';
  expect(moment(late)).toBe('16 Nov 2026, 00:30');
  expect(moment(late, true)).toBe('16 Nov 2026, 00:30:07');
  expect([clockTime(late), dateOnly(late), moment(null)]).toEqual(['00:30', '16 Nov 2026', '–']);
  expect(momentOfWall('2026-11-15T09:00:00', 'America/Sao_Paulo')).toBe('15 Nov 2026, 14:00');
  expect([startOfDay('2026-11-15'), startOfDay('2026-11-15', 1), startOfDay('')]).toEqual([
    '2026-11-14T22:00:00.000Z',
    '2026-11-15T22:00:00.000Z',
    undefined,
  ]);
  expect(readField(fieldText(late))).toBe('2026-11-15T22:30:00.000Z');
  expect(readField('2026-02-30T10:00')).toBeUndefined();
  expect(label).toBe('Africa/Harare (UTC+02:00)');
});

/** What writes or reads a time in the zone of the browser. */
const BROWSERS_OWN =
  /toLocale\w*\(|DateTimeFormat|\.get(?:FullYear|Month|Date|Day|Hours|Minutes)\(|\.to(?:Date|Time)String\(\)|new Date\(`/;

test('no page writes or reads a time in any other way', async () => {
  const folder = resolve(import.meta.dirname, '../../web/src');
  const files = (await readdir(folder, { recursive: true })).filter((name) => /\.tsx?$/.test(name));
  const found: string[] = [];
  for (const file of files.filter((name) => name !== 'parts/times.ts')) {
    if (BROWSERS_OWN.test(await readFile(resolve(folder, file), 'utf8'))) found.push(file);
  }
  expect(files.length).toBeGreaterThan(50);
  expect(found).toEqual([]);
});
