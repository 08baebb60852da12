import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { centred, columnsOf, padLeft, padRight, wrapText } from './columns.ts';

test.each([
  ['abc', 3],
  ['Ωмega', 5],
  ['中文', 4],
  ['e\u0301', 1],
  ['👍🏽', 2],
  ['❤️', 2],
  ['कि', 1],
  ['क्ष', 2],
  ['น้ำ', 2],
  ['', 0],
])('%j takes %i columns', (text, columns) => {
  expect(columnsOf(text)).toBe(columns);
});

test('padding fills up to the columns', () => {
  expect([padRight('中', 4), padLeft('ab', 4), centred('abc', 8)]).toEqual(['中  ', '  ab', '  abc   ']);
});

test('a text is broken between words, and inside one only when it is longer than a line', () => {
  expect(wrapText('the quick brown fox', 9)).toEqual(['the quick', 'brown fox']);
  expect(wrapText('a supercalifragilistic b', 8)).toEqual(['a', 'supercal', 'ifragili', 'stic b']);
  expect(wrapText('', 8)).toEqual(['']);
});

test('where a script writes no spaces, a line is filled and broken between its words or characters', () => {
  expect(wrapText('大米 有机绿茶铁观音', 12)).toEqual(['大米 有机绿', '茶铁观音']);
  expect(wrapText('新鲜的牛奶。好', 10)).toEqual(['新鲜的牛', '奶。好']);
  expect(wrapText('苹果（红）', 6)).toEqual(['苹果', '（红）']);
  expect(wrapText('ข้าวหอมมะลิ', 6)).toEqual(['ข้าวหอม', 'มะลิ']);
});

test('no line is wider than asked for, and no letter is lost', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), fc.integer({ min: 12, max: 60 }), (text, width) => {
      const lines = wrapText(text, width);
      for (const line of lines) expect(columnsOf(line)).toBeLessThanOrEqual(width);
      expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
    }),
  );
});
