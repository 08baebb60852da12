import { expect, test } from 'vitest';
import { isMessage } from './is-message.mjs';
import { type Floors, floorOf, raised, type StrykerReport, scoresOf, tablesOf } from './report.ts';

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

test('the floor of a file may only rise, and a file without one needs 90 of 100', () => {
  const after = (path: string, killed: number, floors: Floors, isThere = true) => {
    const scores = scoresOf(reportOf(path, killed, 100 - killed));
    return raised(floors, scores, () => isThere);
  };
  expect(floorOf('seal.ts', { 'seal.ts': 80 })).toBe(80);
  expect(floorOf('seal.ts', {})).toBe(90);
  expect(after('seal.ts', 85, { 'seal.ts': 80, 'lane.ts': 70 })).toEqual({ 'lane.ts': 70, 'seal.ts': 85 });
  expect(after('seal.ts', 79, { 'seal.ts': 80 })).toEqual({ 'seal.ts': 80 });
  expect(after('seal.ts', 90, {})).toEqual({ 'seal.ts': 90 });
  expect(after('seal.ts', 89, {})).toEqual({});
  expect(after('seal.ts', 90, { 'seal.ts': 80 }, false)).toEqual({});
});

test('the report names each survivor with what became of it, and a mutant that takes too long is found', () => {
  const { files } = reportOf('src/fiscal/core/seal.ts', 3, 1);
  const [file] = Object.values(files);
  const mutants = [...(file?.mutants ?? []), mutant('Timeout'), mutant('NoCoverage')];
  const scores = scoresOf({ files: { 'src/fiscal/core/seal.ts': { source: 'return a > b;', mutants } } });
  expect(scores).toMatchObject([{ detected: 4, total: 6, left: 1 }]);
  const tables = tablesOf(scores, { 'src/fiscal/core/seal.ts': 66 });
  expect(tables).toContain('| src/fiscal/core/seal.ts | 6 | 4 | 66.7 % | 66 % |');
  expect(tables).toContain('| 1 | `` a > b `` | `` a >= b `` |  |');
  expect(tables).toContain('no test reaches it');
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
