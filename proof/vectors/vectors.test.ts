import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { CannotRun } from '../common/run.ts';
import { checkVectors } from './run.ts';
import { differencesOf, VECTOR_KINDS, type VectorKind } from './vectors.ts';

const main = fileURLToPath(new URL('../main.ts', import.meta.url));
const ownVectors = fileURLToPath(new URL('../../test/vectors', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'vectors-'));
afterAll(() => rmSync(scratch, { recursive: true }));

type Json = string | number | boolean | null | Json[] | { [name: string]: Json };
type Path = readonly (string | number)[];

const UNCHECKED = /^(name|source|note)$/;
const OPTIONAL = /^(name|source|note|signature|publicKeyPem|algorithm|qr)$/;

function own(kind: VectorKind): { [name: string]: Json }[] {
  return JSON.parse(readFileSync(join(ownVectors, `${kind}.json`), 'utf8'));
}

/** In this process; `runProgram` starts it as a user does. */
function run(...paths: string[]) {
  try {
    const { failed, lines } = checkVectors(paths);
    return { status: failed.length === 0 ? 0 : 1, lines, last: lines.at(-1), stderr: '' };
  } catch (error) {
    if (!(error instanceof CannotRun)) throw error;
    return { status: 2, lines: [], last: undefined, stderr: `${error.message}\n` };
  }
}

function runProgram(...paths: string[]) {
  return spawnSync(process.execPath, [main, 'vectors', ...paths], { encoding: 'utf8', cwd: scratch });
}

function file(name: string, content: Json | Buffer): string {
  const path = join(scratch, name);
  writeFileSync(path, Buffer.isBuffer(content) ? content : JSON.stringify(content));
  return path;
}

/** Where in a vector something stands that must come out exactly, or that goes into what must. */
function pathsThatMatter(vector: Json, path: Path = []): Path[] {
  if (typeof vector === 'object' && vector !== null) {
    return Object.entries(vector).flatMap(([name, value]) => pathsThatMatter(value, [...path, name]));
  }
  const name = path.at(-1);
  if (vector === null || UNCHECKED.test(String(name))) return [];
  // A taxID only sorts, and matters where its change moves an entry.
  return name === 'taxId' ? [] : [path];
}

function at(value: Json, path: Path): Json {
  return path.reduce<Json>((inner, name) => (inner as { [name: string]: Json })[name] ?? null, value);
}

function replaced(value: Json, [name, ...rest]: Path, by: Json): Json {
  if (name === undefined) return by;
  const copy = structuredClone(value) as { [name: string]: Json };
  copy[name] = replaced(copy[name] ?? null, rest, by);
  return copy;
}

/** Every single-character change that stays a different value: digits and letters to their neighbours. */
function changes(value: Json): Json[] {
  if (typeof value === 'number') return [value + 1, value * 10];
  if (typeof value !== 'string') return [];
  return [...value.matchAll(/[0-9A-Za-z]/g)].map(({ index, 0: character }) => {
    const other = character === '9' ? '8' : character === 'z' ? 'y' : character === 'Z' ? 'Y' : next(character);
    return value.slice(0, index) + other + value.slice(index + 1);
  });
}

function next(character: string): string {
  return String.fromCharCode(character.charCodeAt(0) + 1);
}

function dayOf(date: Json): string {
  return JSON.stringify(date).slice(1, 11);
}

/** Only the day of a date goes into a QR code; a zero counter is dropped whatever it is called. */
function isWithoutEffect(kind: VectorKind, vector: Json, path: Path, change: Json): boolean {
  if (kind === 'qr' && path[0] === 'date') return dayOf(change) === dayOf(at(vector, path));
  if (path[0] !== 'counters' || path.at(-1) === 'value') return false;
  return at(vector, [...path.slice(0, 2), 'value']) === '0.00';
}

describe("the project's own vectors", () => {
  test('all pass', () => {
    const { status, lines, last, stderr } = run();
    expect({ status, last, stderr }).toEqual({ status: 0, last: '21 passed, 0 failed', stderr: '' });
    expect(lines.filter((line) => line.startsWith('ok   receipts  '))).toHaveLength(15);
    expect(lines.filter((line) => line.startsWith('ok   days      '))).toHaveLength(3);
    expect(lines.filter((line) => line.startsWith('ok   qr        '))).toHaveLength(3);
    expect(lines[0]).toBe('ok   receipts  spec-CN2');
  });

  test('are the same by folder, by file and by a file of another name', () => {
    expect(run(ownVectors).last).toBe('21 passed, 0 failed');
    expect(run(join(ownVectors, 'qr.json')).last).toBe('3 passed, 0 failed');
    expect(run(file('mixed.json', VECTOR_KINDS.flatMap(own))).last).toBe('21 passed, 0 failed');
    expect(run(join(ownVectors, 'qr.json'), join(ownVectors, 'days.json')).last).toBe('6 passed, 0 failed');
  });

  test('are printed by the program as they come out here, with exit code 0, 1 or 2', () => {
    const failing = file(
      'failing.json',
      own('qr').map((vector) => ({ ...vector, deviceId: 1 })),
    );
    const paths = [ownVectors, failing, join(scratch, 'nowhere')];
    expect(paths.map((path) => run(path).status)).toEqual([0, 1, 2]);
    for (const path of paths) {
      const [{ status, lines, stderr }, program] = [run(path), runProgram(path)];
      expect([program.status, program.stderr]).toEqual([status, stderr]);
      expect(program.stdout).toContain(lines.join('\n'));
    }
  });

  for (const kind of VECTOR_KINDS) {
    for (const vector of own(kind)) {
      test(`a changed character anywhere that matters fails ${kind} ${JSON.stringify(vector['name'])}`, () => {
        for (const path of pathsThatMatter(vector)) {
          for (const change of changes(at(vector, path))) {
            if (isWithoutEffect(kind, vector, path, change)) continue;
            const differences = differencesOf(kind, asRead(replaced(vector, path, change)));
            expect(differences, `${path.join('.')} changed to ${JSON.stringify(change)}`).not.toEqual([]);
          }
        }
      });
    }
  }

  test('a missing or null required field, or one of another type, fails the vector', () => {
    for (const kind of VECTOR_KINDS) {
      const optional = kind === 'qr' ? UNCHECKED : OPTIONAL;
      for (const vector of own(kind)) {
        for (const name of Object.keys(vector).filter((field) => !optional.test(field))) {
          const { [name]: _removed, ...rest } = vector;
          expect(differencesOf(kind, asRead(rest)), name).not.toEqual([]);
          for (const wrong of [true, [], {}, [null], 'x', '']) {
            const isSame = JSON.stringify(wrong) === JSON.stringify(vector[name]);
            if (!isSame) expect(differencesOf(kind, asRead({ ...vector, [name]: wrong })), name).not.toEqual([]);
          }
        }
      }
    }
  });
});

/** Numbers arrive as their text, as the reader of the files leaves them. */
function asRead(vector: Json): unknown {
  return JSON.parse(JSON.stringify(vector), (_key, value: unknown) =>
    typeof value === 'number' ? String(value) : value,
  );
}

describe('the process', () => {
  test('a changed vector fails alone, with what was expected and what came out', () => {
    const folder = join(scratch, 'folder');
    cpSync(ownVectors, folder, { recursive: true });
    const receipts = own('receipts');
    writeFileSync(join(folder, 'receipts.json'), JSON.stringify(replaced(receipts, [3, 'total'], '-9450.01')));
    const { status, lines, last, stderr } = run(folder);
    expect({ status, last, stderr }).toEqual({ status: 1, last: '20 passed, 1 failed', stderr: '' });
    const failures = lines.filter((line) => !line.startsWith('ok   ')).slice(0, -1);
    expect(failures).toHaveLength(1);
    expect(failures[0]).toMatch(
      /^FAIL receipts {2}spec-CN1-rule-correct: canonical: expected 321CREDITNOTE\S+-945000A\S+ got 321CREDITNOTE\S+-945001A\S+; hash: expected vtYl\S+ got \S+=$/,
    );
  });

  test('a malformed vector fails alone, whatever it is', () => {
    const [good] = own('receipts');
    const bad: Json[] = [null, 1, 'text', [], {}, { name: 'no\nfields', receiptType: 'FiscalInvoice' }];
    const { status, lines, last } = run(file('receipts.json', [...bad, good ?? null]));
    expect({ status, last }).toEqual({ status: 1, last: '1 passed, 6 failed' });
    expect(lines).toHaveLength(8);
    expect(lines[0]).toBe('FAIL receipts  number 1: malformed: the vector is not an object');
    expect(lines[5]).toBe('FAIL receipts  no\\u000afields: malformed: previousHash is missing, not text');
  });

  test('amounts may be JSON numbers, also long ones', () => {
    const asNumbers = JSON.stringify(own('days')).replace(/"(-?\d+\.\d\d)"/g, '$1');
    expect(run(file('numbers.json', Buffer.from(asNumbers))).last).toBe('3 passed, 0 failed');
    const long = { name: 'long', deviceId: 1, fiscalDayNo: 2, fiscalDayDate: '2026-01-01', hash: '' };
    const text = JSON.stringify([{ ...long, canonical: '', counters: [] }]).replace(
      '"counters":[]',
      '"counters":[{"type":"SaleByTax","currency":"USD","taxId":1,"taxPercent":15,"value":9999999999999999.99}]',
    );
    expect(run(file('long.json', Buffer.from(text))).lines[0]).toContain(
      'got 122026-01-01SALEBYTAXUSD15.00999999999999999999;',
    );
  });

  test.each([
    ['a missing path', () => join(scratch, 'nowhere'), /nowhere cannot be read: ENOENT/],
    [
      'a folder without vectors',
      () => mkdtempSync(join(scratch, 'empty-')),
      /holds none of receipts\.json, days\.json, qr\.json/,
    ],
    ['no JSON', () => file('broken.json', Buffer.from('[{')), /broken\.json is not JSON/],
    ['no UTF-8', () => file('latin.json', Buffer.from([0x5b, 0xe9, 0x5d])), /latin\.json cannot be read/],
    ['no array', () => file('object.json', {}), /object\.json is not a JSON array/],
    ['an empty array', () => file('days.json', []), /there are no vectors in/],
    ['an array of something else', () => file('other.json', [{ a: 1 }]), /holds nothing with the fields of a receipt/],
  ])('%s: one line and exit code 2', (_what, path, message) => {
    const { status, lines, stderr } = run(path());
    expect({ status, lines }).toEqual({ status: 2, lines: [] });
    expect(stderr).toMatch(message);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });
});
