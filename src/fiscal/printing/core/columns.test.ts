import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { centred, columnsOf, oneColumnEach, padLeft, padRight, wrapText } from './columns.ts';

test.each([
  ['abc', 3],
  ['Ωмega', 5],
  ['中文', 4],
  ['e\u0301', 1],
  ['👍🏽', 2],
  ['', 0],
])('%j takes %i columns', (text, columns) => {
  expect(columnsOf(text)).toBe(columns);
});

test('for a printer of one byte a column, what takes another width is a question mark', () => {
  expect(oneColumnEach('Café 中 e\u0302\u0323 👍🏽')).toBe('Café ? ? ?');
});

test('padding fills up to the columns', () => {
  expect([padRight('中', 4), padLeft('ab', 4), centred('abc', 8)]).toEqual(['中  ', '  ab', '  abc   ']);
});

test('a text is broken between words, and inside one only when it is longer than a line', () => {
  expect(wrapText('the quick brown fox', 9)).toEqual(['the quick', 'brown fox']);
  expect(wrapText('a supercalifragilistic b', 8)).toEqual(['a', 'supercal', 'ifragili', 'stic b']);
  expect(wrapText('', 8)).toEqual(['']);
});

test('no line is wider than asked for, and no letter is lost', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), fc.integer({ min: 2, max: 60 }), (text, width) => {
      const lines = wrapText(text, width);
      for (const line of lines) expect(columnsOf(line)).toBeLessThanOrEqual(width);
      expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
    }),
  );
});
