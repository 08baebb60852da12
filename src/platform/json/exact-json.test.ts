import { Big } from 'big.js';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../test/support/property-runs.ts';
import { workedMs } from '../../../test/support/slow-machine.ts';
import { formatDecimal, readDecimal } from '../../kernel/decimal.ts';
import { JsonRefusal, parseExactJson } from './exact-json.ts';

const parse = (text: string) => parseExactJson(Buffer.from(text, 'utf8'));

function refusalOf(body: string | Buffer): string {
  try {
    parseExactJson(Buffer.from(body));
  } catch (error) {
    if (error instanceof JsonRefusal) return error.message;
    throw error;
  }
  throw new Error('the body was accepted');
}

/** The number text of the field `n` of an object. */
function textOf(number: string): string {
  const { value, numberText } = parse(`{"n":${number}}`);
  return numberText(value as object, 'n');
}

test('a decimal is its text read', () => {
  const digits = (most: number) => fc.stringMatching(new RegExp(`^\\d{1,${most}}$`));
  const number = fc
    .tuple(fc.constantFrom('', '-'), digits(18), fc.option(digits(8)), fc.constantFrom('', 'e2', 'e-3'))
    .map(([minus, whole, fraction, exponent]) => {
      return `${minus}${whole.replace(/^0+(?=\d)/, '')}${fraction === null ? '' : `.${fraction}`}${exponent}`;
    });
  fc.assert(
    fc.property(number, (text) => {
      const { value, decimal } = parse(`{"n":${text}}`);
      expect(decimal(Object(value), 'n')).toEqual(readDecimal(text));
    }),
    runs(2_000),
  );
  expect(() => parse('{"n":"1"}').decimal({ n: '1' }, 'n')).toThrow('n holds no number');
});

describe('numbers', () => {
  test.each([
    ['9999999999999999.99', '9999999999999999.99'],
    ['0.1', '0.1'],
    ['0.0000001', '1e-7'],
    ['-0.000000000001', '-1e-12'],
    ['999999999999999', '999999999999999'],
    ['-99999999999.99', '-99999999999.99'],
    ['10.00', '10'],
    ['1e2', '1e2'],
    ['1E-7', '1E-7'],
    ['1e21', '1e21'],
    ['1000000000000000000000', '1000000000000000000000'],
    ['-0', '-0'],
    ['-0.00', '-0.00'],
    ['-0.5', '-0.5'],
    ['0', '0'],
    ['1e400', '1e400'],
    ['-1e50000000', '-1e50000000'],
  ])('%s is read as the text %s', (sent, text) => {
    expect(textOf(sent)).toBe(text);
  });

  test('beyond the range of a float they stay finite in the value', () => {
    expect(parse('[1e400, -1e400]').value).toEqual([Number.MAX_VALUE, -Number.MAX_VALUE]);
  });

  test('negative zero is a plain zero in the value', () => {
    expect(parse('[-0, -0.0]').value).toEqual([0, 0]);
  });

  test('equal keys of different objects keep their own text', () => {
    const { value, numberText } = parse(
      '{"a":{"n":1.00000000000000001},"b":{"n":1.00000000000000002},"n":1,"c":[1e1,2e1]}',
    );
    const { a, b, c } = value as { a: object; b: object; c: object };
    expect([numberText(a, 'n'), numberText(b, 'n'), numberText(value as object, 'n')]).toEqual([
      '1.00000000000000001',
      '1.00000000000000002',
      '1',
    ]);
    expect([numberText(c, 0), numberText(c, '1')]).toEqual(['1e1', '2e1']);
  });

  test('digits inside strings are not numbers', () => {
    expect(parse('{"a":"12345678901234567890","b":"-0 1e5 \\" : {"}').value).toEqual({
      a: '12345678901234567890',
      b: '-0 1e5 " : {',
    });
  });

  test('asking for the text of something else is a bug, not an answer', () => {
    const { value, numberText } = parse('{"a":"1"}');
    expect(() => numberText(value as object, 'a')).toThrow(TypeError);
    expect(() => numberText(value as object, 'toString')).toThrow(TypeError);
  });

  test('any number of up to 15 characters without exponent is exact by its float alone', () => {
    fc.assert(
      fc.property(shortNumber, (text) => {
        expect(formatDecimal(readDecimal(textOf(text)))).toBe(naive(text));
      }),
      runs(5_000),
    );
  });
});

describe('refusals say what and where', () => {
  test.each([
    ['an empty body', '', 'The body is empty; a JSON document is expected.'],
    ['blanks only', ' \n ', 'The body is empty; a JSON document is expected.'],
    ['a byte order mark', '\ufeff{}', 'The body begins with a byte order mark; send the JSON without it.'],
    ['a cut document', '{"a":1', 'The body is not valid JSON: a comma or } is expected where the document ends.'],
    ['a missing value', '{"a":}', 'The body is not valid JSON: a value is expected at line 1, column 6.'],
    [
      'a trailing comma',
      '{\n  "a": 1,\n}',
      'The body is not valid JSON: a key in double quotes is expected at line 3, column 1.',
    ],
    ['single quotes', "{'a':1}", 'The body is not valid JSON: a key in double quotes is expected at line 1, column 2.'],
    ['a missing colon', '{"a" 1}', 'The body is not valid JSON: a colon is expected at line 1, column 6.'],
    ['a missing comma', '[1 2]', 'The body is not valid JSON: a comma or ] is expected at line 1, column 4.'],
    [
      'a second document',
      '{}{}',
      'The body is not valid JSON: the end of the document is expected at line 1, column 3.',
    ],
    ['a leading zero', '[01]', 'The body is not valid JSON: a comma or ] is expected at line 1, column 3.'],
    ['NaN', '[NaN]', 'The body is not valid JSON: a value is expected at line 1, column 2.'],
    ['a bare word', 'hello', 'The body is not valid JSON: a value is expected at line 1, column 1.'],
    [
      'an open string',
      '["a',
      'The body is not valid JSON: the closing quote (or a valid escape) is expected where the document ends.',
    ],
    [
      'a wrong escape',
      '["\\x"]',
      'The body is not valid JSON: the closing quote (or a valid escape) is expected at line 1, column 3.',
    ],
    [
      'a raw control character',
      '["a\u0000"]',
      'The body is not valid JSON: the closing quote (or a valid escape) is expected at line 1, column 4.',
    ],
    ['a duplicate key', '{"a":1,"b":2,"a":3}', 'The key "a" occurs twice, again at line 1, column 14.'],
    ['a duplicate key, escaped', '{"a":1,"\\u0061":1}', 'The key "a" occurs twice, again at line 1, column 8.'],
    [
      'a duplicate key inside',
      '{"L":[{},{"X":{"y":1,"y":1e2}}]}',
      'The key "L[1].X.y" occurs twice, again at line 1, column 22.',
    ],
    ['\\u0000 in a string', '{"a":"x\\u0000"}', 'The character \\u0000 at byte 7 is not allowed.'],
    ['\\u0000 in a key', '{"\\u0000":1}', 'The character \\u0000 at byte 2 is not allowed.'],
    [
      'a lone high surrogate',
      '["\\ud83d"]',
      'The escape \\ud83d at byte 2 is half of a surrogate pair and not a character.',
    ],
    [
      'a lone low surrogate',
      '["\\uDE00"]',
      'The escape \\uDE00 at byte 2 is half of a surrogate pair and not a character.',
    ],
    [
      'two high surrogates',
      '["\\ud83d\\ud83d\\ude00"]',
      'The escape \\ud83d at byte 2 is half of a surrogate pair and not a character.',
    ],
    ['__proto__', '{"a":{"__proto__":{"x":1}}}', 'The key "__proto__" is not allowed.'],
    ['__proto__, escaped', '{"\\u005f_proto__":1}', 'The key "__proto__" is not allowed.'],
  ])('%s', (_what, body, message) => {
    expect(refusalOf(body)).toBe(message);
  });

  test('invalid UTF-8', () => {
    expect(refusalOf(Buffer.from([0x22, 0xc3, 0xa9, 0xff, 0x22]))).toBe('The body is not valid UTF-8 at byte 3.');
    expect(refusalOf(Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]))).toBe('The body is not valid UTF-8 at byte 1.');
    expect(refusalOf(Buffer.from([0x22, 0xe2, 0x82]))).toBe('The body is not valid UTF-8 at byte 1.');
  });

  test('too deep, before anything can overflow', () => {
    const nested = (levels: number) => `${'['.repeat(levels)}1e1${']'.repeat(levels)}`;
    expect(refusalOf(nested(33))).toBe('The JSON is nested more than 32 levels deep at byte 32.');
    expect(refusalOf('['.repeat(500_000))).toBe('The JSON is nested more than 32 levels deep at byte 32.');
    expect(refusalOf('{"a":'.repeat(100_000))).toMatch('nested more than 32 levels');
    expect(parse(nested(32)).value).toBeDefined();
  });

  test('a key as long as the body is not sent back whole', () => {
    const key = 'k'.repeat(500_000);
    expect(refusalOf(`{"${key}":1,"${key}":2}`).length).toBeLessThan(200);
  });
});

test('escapes that stand for characters, and keys with an innocent name, pass', () => {
  expect(parse('["\\ud83d\\ude00","\\u00e9","\\\\u0000","\\"","é😀"]').value).toEqual([
    '😀',
    'é',
    '\\u0000',
    '"',
    'é😀',
  ]);
  expect(parse('{"constructor":1,"prototype":2,"toString":3}').value).toEqual(
    Object.fromEntries([
      ['constructor', 1],
      ['prototype', 2],
      ['toString', 3],
    ]),
  );
});

test('too many values are refused before they cost time', () => {
  expect(refusalOf(`[${'1e1,'.repeat(50_000)}1]`)).toBe('The JSON holds more than 50000 values.');
  expect(parse(`[${'1e1,'.repeat(49_999)}1]`).value).toHaveLength(50_000);
});

test('a hostile body of 1 MiB is refused or read in a moment', () => {
  const bodies = [`["${'\\u00e9'.repeat(170_000)}"]`, `["${'\\u00e9'.repeat(170_000)}"`, `[${'"'.repeat(1_000_000)}`];
  for (const body of bodies) {
    const start = workedMs();
    try {
      parse(body);
    } catch (error) {
      expect(error).toBeInstanceOf(JsonRefusal);
    }
    expect(workedMs() - start).toBeLessThan(2_000);
  }
});

/** The second implementation: big.js on the text of the number, in plain notation. */
function naive(text: string): string {
  const plain = new Big(text).toFixed();
  return plain === '-0' ? '0' : plain;
}

const digits = (min: number, max: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'.split('')), minLength: min, maxLength: max });

const numberTextOf = (wholeMax: number, fractionMax: number) =>
  fc.tuple(fc.constantFrom('', '-'), digits(1, wholeMax), digits(0, fractionMax)).map(([minus, whole, fraction]) => {
    const plainWhole = whole.replace(/^0+(?=\d)/, '');
    return `${minus}${plainWhole}${fraction === '' ? '' : `.${fraction}`}`;
  });

const shortNumber = numberTextOf(15, 14).map((text) => text.slice(0, 15).replace(/\.$/, ''));

const anyNumber = fc
  .tuple(
    numberTextOf(25, 25),
    fc.option(fc.tuple(fc.constantFrom('e', 'E', 'e+', 'e-'), fc.integer({ min: 0, max: 9 }))),
  )
  .map(([number, exponent]) => (exponent === null ? number : number + exponent.join('')));

/** A document as a tree in which numbers are still text. */
type Node = string | boolean | null | { number: string } | { items: Node[] } | { fields: [string, Node][] };

const key = fc
  .string({ unit: 'grapheme', maxLength: 8 })
  .filter((name) => name !== '__proto__' && !name.includes('\0'));

const { node } = fc.letrec<{ node: Node }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    anyNumber.map((number) => ({ number })),
    key,
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('node'), { maxLength: 4 }).map((items) => ({ items })),
    fields(tie('node')),
  ),
}));

function fields(value: fc.Arbitrary<Node>): fc.Arbitrary<{ fields: [string, Node][] }> {
  return fc
    .uniqueArray(fc.tuple(key, value), { selector: ([name]) => name, maxLength: 5 })
    .map((pairs) => ({ fields: pairs }));
}

function write(tree: Node, space: string): string {
  if (tree === null || typeof tree !== 'object') return JSON.stringify(tree);
  if ('number' in tree) return tree.number;
  if ('items' in tree) return `[${space}${tree.items.map((item) => write(item, space)).join(`${space},`)}]`;
  return `{${tree.fields.map(([name, item]) => `${space}${JSON.stringify(name)}:${space}${write(item, space)}`).join(',')}}`;
}

function expectSame(tree: Node, actual: unknown, numberText: (name: string | number) => string): void {
  if (tree === null || typeof tree !== 'object') {
    expect(actual).toBe(tree);
  } else if ('number' in tree) {
    expect(Number.isFinite(actual)).toBe(true);
    expect(formatDecimal(readDecimal(numberText('')))).toBe(naive(tree.number));
  } else {
    expect(typeof actual).toBe('object');
  }
}

/** Walks tree and value side by side; `document` knows the number texts. */
function expectRoundTrip(tree: Node, actual: unknown, document: ReturnType<typeof parse>): void {
  if (tree === null || typeof tree !== 'object' || 'number' in tree) return;
  const children: [string | number, Node][] = 'items' in tree ? [...tree.items.entries()] : tree.fields;
  const holder = actual as Record<string | number, unknown>;
  expect(Object.keys(holder)).toHaveLength(children.length);
  for (const [name, child] of children) {
    expectSame(child, holder[name], () => document.numberText(holder, name));
    expectRoundTrip(child, holder[name], document);
  }
}

const space = fc.constantFrom('', ' ', '\n\t');

test('any document round trips with exact numbers', () => {
  fc.assert(
    fc.property(fields(node), space, (tree, blank) => {
      const document = parse(write(tree, blank));
      expectRoundTrip(tree, document.value, document);
    }),
    runs(2_000),
  );
});

test('any document with a key twice in one object is refused by that name', () => {
  const withDuplicate = fc
    .tuple(
      fields(node).filter((tree) => tree.fields.length > 0),
      node,
      fc.nat(),
      space,
    )
    .map(([tree, value, position, blank]) => {
      const twin = tree.fields[position % tree.fields.length]?.[0] ?? '';
      const broken: Node = { fields: [...tree.fields, [twin, value]] };
      return { text: write({ items: [{ fields: [['outer', broken]] }] }, blank), twin };
    });
  fc.assert(
    fc.property(withDuplicate, ({ text, twin }) => {
      expect(refusalOf(text)).toContain(`"[0].outer.${twin}" occurs twice`);
    }),
    runs(1_000),
  );
});
