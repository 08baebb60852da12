import { expect, test } from 'vitest';
import { itemsText, viewJson } from './json-view.ts';
import { distanceTo, localMoment, moment } from './moment.ts';
import { didYouMean } from './suggestion.ts';
import { tablePrinter } from './table.ts';
import { harmless, type Terminal, widthOf } from './terminal.ts';

test('no digit of a number is lost when it is shown', () => {
  const view = viewJson('{"Total":9999999999999999.99,"Small":0.1,"Whole":10.00,"List":[12345678901234567890,null]}');
  expect(view.amount('Total')).toBe('9999999999999999.99');
  expect(view.amount('Small')).toBe('0.10');
  expect(view.amount('Whole')).toBe('10.00');
  expect(view.text('List')).toBe('12345678901234567890, –');
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
  const lines: string[] = [];
  const terminal: Terminal = {
    print: (line) => lines.push(line),
    printRaw: () => {},
    note: () => {},
    dim: (text) => text,
    progress: () => {},
    endProgress: () => {},
  };
  const print = tablePrinter<readonly [string, string]>(terminal, [
    { title: 'NAME', value: ([name]) => name },
    { title: 'TOTAL', value: ([, total]) => total, isNumber: true },
  ]);
  print([
    ['茶', '1.00'],
    ['Café', '1234.50'],
  ]);
  print([['Zoë', '2.00']]);
  expect(lines).toEqual(['NAME    TOTAL', '茶       1.00', 'Café  1234.50', 'Zoë      2.00']);
  expect(widthOf('e\u0301')).toBe(1);
});

test('moments are told in words', () => {
  const now = new Date('2026-11-15T10:00:00Z');
  expect(moment('2026-11-15T02:06:55.655Z')).toBe('2026-11-15 02:06:55 UTC');
  expect(moment('never')).toBe('never');
  expect(localMoment('2026-11-15T22:30:00Z', 'Africa/Harare')).toBe('2026-11-16 00:30');
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
