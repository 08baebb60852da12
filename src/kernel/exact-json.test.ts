import { expect, test } from 'vitest';
import { decimal } from './decimal.ts';
import { ExactText, writeExactJson } from './exact-json.ts';

test('a decimal keeps all its digits, and everything else is what JSON.stringify writes', () => {
  const plain = { A: 'x "y"\n', B: [1, null, undefined, { C: new Date(0) }], D: undefined, E: {}, F: { scale: 2 } };
  expect(writeExactJson(plain)).toBe(JSON.stringify(plain));
  expect(writeExactJson({ Amount: decimal('9999999999999999.99'), List: [decimal('0.10')] })).toBe(
    '{"Amount":9999999999999999.99,"List":[0.1]}',
  );
});

test('what is written already goes out as it is', () => {
  expect(writeExactJson({ Receipt: new ExactText('{"Total":1.50}') })).toBe('{"Receipt":{"Total":1.50}}');
});
