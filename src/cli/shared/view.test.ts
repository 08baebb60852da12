import { PassThrough } from 'node:stream';
import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { decimal } from '../../contract/shared/schemas.ts';
import { parseExactJson } from '../../platform/json/exact-json.ts';
import { exactValue } from '../../platform/json/exact-value.ts';
import { distanceTo, instantText, momentIn, momentOfWall } from './moment.ts';
import { itemsText } from './pages.ts';
import { amount, shown } from './shown.ts';
import { didYouMean } from './suggestion.ts';
import { tablePrinter } from './table.ts';
import { harmless, openTerminal, widthOf } from './terminal.ts';

test('no digit of a number is lost when it is shown', () => {
  const schema = Type.Object({ Total: decimal(), Small: decimal(), Whole: decimal() });
  const text = '{"Total":9999999999999999.99,"Small":0.1,"Whole":10.00}';
  const value = exactValue(schema)(parseExactJson(Buffer.from(text))) as Type.Static<typeof schema>;
  expect(amount(value.Total)).toBe('9999999999999999.99');
  expect(amount(value.Small)).toBe('0.10');
  expect(amount(value.Whole)).toBe('10.00');
  expect(shown([value.Total, null])).toBe('9999999999999999.99, –');
});

test('items of a page keep the spelling of their numbers', () => {
  const page = '{"Receipts":[{"A":1.10,"B":1e2},{"C":9999999999999999.99,"D":"1.10"}],"NextCursor":"x"}';
  expect(itemsText(page, 'Receipts')).toBe('{"A":1.10,"B":1e2},{"C":9999999999999999.99,"D":"1.10"}');
  expect(itemsText('{"Receipts":[]}', 'Receipts')).toBe('');
});

test('a name cannot move the cursor, end a row or turn the writing direction', () => {
  expect(harmless('a\u001b[2Jb\nc\u202ed')).toBe('a\\u001b[2Jb\\u000ac\\u202ed');
});

test('columns align by what a terminal shows, and numbers to the right', () => {
  const output = new PassThrough();
  const terminal = openTerminal({ input: output, output, errors: output }, false);
  const print = tablePrinter<readonly [string, string]>(terminal, [
    { title: 'NAME', value: ([name]) => name },
    { title: 'TOTAL', value: ([, total]) => total },
  ]);
  print([
    ['茶', '1.00'],
    ['Café', '1234.50'],
  ]);
  print([['Zoë', '2.00']]);
  expect(output.read().toString()).toBe('NAME    TOTAL\n茶       1.00\nCafé  1234.50\nZoë      2.00\n');
  expect(widthOf('e\u0301')).toBe(1);
});

test('moments are told in words', () => {
  const now = new Date('2026-11-15T10:00:00Z');
  expect(momentIn('Africa/Harare', '2026-11-15T22:30:55.655Z')).toBe('2026-11-16 00:30:55 +02:00');
  expect(momentIn('UTC', '2026-11-15T22:30:55Z')).toBe('2026-11-15 22:30:55 +00:00');
  expect(momentIn('Africa/Harare', 'never')).toBe('never');
  expect(momentOfWall('Africa/Harare', '2026-11-15T09:00:00', 'America/Sao_Paulo')).toBe('2026-11-15 14:00:00 +02:00');
  expect(instantText('Africa/Harare', '2026-11-15')).toBe('2026-11-14T22:00:00.000Z');
  expect(instantText('Africa/Harare', '2026-11-15T00:00:00Z')).toBe('2026-11-15T00:00:00Z');
  expect(distanceTo('2026-11-15T21:40:00Z', now)).toBe('in 11 h 40 min');
  expect(distanceTo('2026-11-15T09:57:00Z', now)).toBe('3 min ago');
  expect(distanceTo('2026-12-15T10:00:00Z', now)).toBe('in 30 days');
});

test('only what is near is suggested', () => {
  expect(didYouMean('lst', ['list', 'set'])).toBe(' Did you mean list?');
  expect(didYouMean('sing', ['sign', 'receipt'])).toBe(' Did you mean sign?');
  expect(didYouMean('rotate', ['rotate-master'])).toBe(' Did you mean rotate-master?');
  expect(didYouMean('banana', ['list', 'set'])).toBe('');
});
