import { expect, test } from 'vitest';
import { isMessage } from '../mutation/is-message.mjs';
import { isGoodEnough, type StrykerReport, scoresOf, tablesOf } from '../mutation/report.ts';

const mutant = (status: string, line = 1) => ({
  mutatorName: 'EqualityOperator',
  replacement: 'a >= b',
  status,
  location: { start: { line, column: 8 }, end: { line, column: 13 } },
});

function reportOf(path: string, killed: number, survived: number): StrykerReport {
  const mutants = [
    ...Array.from({ length: killed }, () => mutant('Killed')),
    ...Array.from({ length: survived }, () => mutant('Survived')),
    mutant('Ignored'),
  ];
  return { files: { [path]: { source: 'return a > b;', mutants } } };
}

test.each([
  ['src/fiscal/core/seal.ts', 90, true],
  ['src/fiscal/core/seal.ts', 89, false],
  ['src/fiscal/core/outage.ts', 80, true],
  ['src/fiscal/core/outage.ts', 79, false],
])('%s with %i of 100 found: good enough is %s', (path, killed, isGood) => {
  const scores = scoresOf(reportOf(path, killed, 100 - killed));
  expect(scores.map(isGoodEnough)).toEqual([isGood]);
});

test('the report names each survivor with what became of it, and a mutant that takes too long is found', () => {
  const { files } = reportOf('src/fiscal/core/seal.ts', 3, 1);
  const [file] = Object.values(files);
  const mutants = [...(file?.mutants ?? []), mutant('Timeout'), mutant('NoCoverage')];
  const scores = scoresOf({ files: { 'src/fiscal/core/seal.ts': { source: 'return a > b;', mutants } } });
  expect(scores).toMatchObject([{ detected: 4, total: 6, left: 1 }]);
  expect(tablesOf(scores)).toContain('| **src/fiscal/core/seal.ts** | 6 | 4 | 66.7 % |');
  expect(tablesOf(scores)).toContain('| 1 | `` a > b `` | `` a >= b `` | not looked into |');
  expect(tablesOf(scores)).toContain('no test reaches it');
});

test('texts of two words are messages; codes, names and what is signed are not', () => {
  const text = (value: string) => isMessage({ type: 'StringLiteral', value });
  const template = (...raw: string[]) =>
    isMessage({ type: 'TemplateLiteral', quasis: raw.map((one) => ({ value: { raw: one } })) });
  expect([text('must not be empty'), template('day ', ' is open'), template('', ' is missing')]).toEqual([
    true,
    true,
    true,
  ]);
  expect([text('RCPT035'), text('SaleByTax'), text(', '), text(''), template('', ':', ''), template('', '')]).toEqual(
    Array.from({ length: 6 }, () => false),
  );
  expect(isMessage({ type: 'NumericLiteral' })).toBe(false);
});
