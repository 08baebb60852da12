import type { Random } from '../../world/random.ts';
import { Fields, Raw, type Schema, type Tree, textOf } from '../world/json-tree.ts';

/** Numbers that a parser, a float or a column may get wrong. */
// biome-ignore format: a list to be read at a glance
const NUMBERS = [
  '0', '-0', '-0.0', '0e0', '1e400', '-1e400', '1e-400', '1E+2', '1e-7', '1e9999999999', '-1', '0.1', '0.005',
  '1.005', '0.30000000000000004', '9999999999999999.99', '99999999999999999.99', '100000000000000000',
  '9007199254740993', '2147483647', '2147483648', '-2147483649', '4294967296', '9223372036854775808',
  '18446744073709551616', '1.0', '1.00', '1.000000', '1.0000001', '115.50', '123456789012345678901234567890.123456',
  `0.${'0'.repeat(300)}1`, '9'.repeat(400), `1${'0'.repeat(40)}`, '00', '01', '+1', '.5', '5.', '1e', '0x10', 'NaN',
  'Infinity', '-Infinity', '1_000', '1,5', '- 1',
].map((text) => new Raw(text));

// biome-ignore format: a list to be read at a glance
const TEXTS = [
  '', ' ', '\t\n', '.', '..', '../../etc/passwd', '%00', 'null', 'undefined', 'true', '0', '-1', '1e400',
  "' or '1'='1", '"; drop table receipts; --', '$1', '$'.concat('{7*7}'), '{{7*7}}', '<script>alert(1)</script>', '<!--', ']]>',
  '\\', '\\u0000', '/', '__proto__', 'constructor', 'toString', 'é', 'e\u0301', 'ﬀ', 'İ', 'ß', '\u202Egnp', '\u200B',
  '\uFEFF', '💥', '👩‍👩‍👧‍👧', '\u{10FFFF}', '\uFFFF', '\u0001', '\u007F', '\u0085', '\u2028', 'a\rb\nc', '١٢٣', '１２３',
  'zażółć', '中文字', 'ZIG', 'ZWG', 'usd', '2026-02-29T12:00:00', '2026-11-15T25:00:00Z', '0000-00-00T00:00:00Z',
  '9999-12-31T23:59:60Z', '+275760-09-13T00:00:00Z', '2026-11-15T12:00:00+99:99', '2026-11-15',
  '1970-01-01T00:00:00.000000000Z', 'Africa/Harare', 'Etc/Nowhere', 'a@b.co', 'a@@b',
  '00000000-0000-4000-8000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff', '{"a":1}', '[]', 'data:,x',
  'http://127.0.0.1:1/x', 'http://[::1]/', 'file:///etc/passwd', 'http://169.254.169.254/latest/meta-data/',
  'javascript:alert(1)', '(((((((((((a+)+)+)+)+)+$', '(a*)*b', '[', '(?=', '\\', '^(?:a|aa)+$', 'AAAA', '====',
  'iVBORw0KGgo=',
];

const RAW_TEXTS = [
  '"\\u0000"',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"\\x41"',
  '"\u0001"',
  '"unclosed',
  "'single'",
  '"\\',
  '""""',
];

export function hostileNumber(random: Random): Tree {
  return random.pick(NUMBERS);
}

export function hostileText(random: Random): string {
  if (random.chance(0.85)) return random.pick(TEXTS);
  return random.pick(['x', 'é', '💥', '9', ' ', '\\', '"', '\n']).repeat(random.pick([20, 51, 201, 513, 5000, 70_000]));
}

/** A value of a random type. */
export function hostileValue(random: Random): Tree {
  switch (random.below(10)) {
    case 0:
      return null;
    case 1:
      return random.chance(0.5);
    case 2:
      return new Fields([]);
    case 3:
      return [];
    case 4:
      return manyOf(random, random.pick([null, 1, 'x', new Fields([['a', 1]])]));
    case 5:
      return deep(random);
    case 6:
      return new Raw(random.pick(RAW_TEXTS));
    case 7:
    case 8:
      return hostileNumber(random);
    default:
      return hostileText(random);
  }
}

/**
 * Of a long one fewer: what is beyond the service's limit is cut off anyway. Only the first can be mutated further: if all could, at
 * once, a few turns would make gigabytes of it, and a fuzzer that is busy with that takes the service for dead.
 */
export function manyOf(random: Random, item: Tree): Tree {
  const copy = new Raw(textOf(item));
  const length = Math.min(random.pick([2, 51, 201, 2001, 10_000]), Math.ceil(2_000_000 / copy.text.length));
  return Array.from({ length }, (_, index) => (index === 0 ? item : copy));
}

function deep(random: Random): Tree {
  const depth = random.pick([5, 31, 33, 65, 1000, 20_000]);
  return random.chance(0.5)
    ? new Raw(`${'['.repeat(depth)}${']'.repeat(depth)}`)
    : new Raw(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`);
}

/** Just inside or just outside of what the schema allows; undefined where it has no limit. */
export function borderOf(schema: Schema, random: Random): Tree | undefined {
  const texts = [schema.minLength, schema.maxLength].filter((length) => length !== undefined);
  const numbers = [schema.minimum, schema.maximum].filter((limit) => limit !== undefined);
  const step = random.pick([-1, 0, 1]);
  if (schema.enum !== undefined) {
    const value = String(random.pick(schema.enum));
    return random.pick([value, value.toLowerCase(), value.toUpperCase(), `${value} `, '', `x${value}`]);
  }
  if (numbers.length > 0) return random.pick([random.pick(numbers) + step, random.pick(numbers) + step / 2]);
  if (texts.length > 0) {
    const length = Math.max(0, random.pick(texts) + step);
    return random.pick(['x', '7', 'é', '💥']).repeat(length);
  }
  if (schema.maxItems !== undefined) return Array.from({ length: schema.maxItems + step }, () => null);
  return undefined;
}
