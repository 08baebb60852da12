import { expect, test } from 'vitest';
import { decimal } from './decimal.ts';
import { writeExactJson } from './exact-json.ts';

test('a decimal keeps all its digits, and everything else is what JSON.stringify writes', () => {
  const plain = { A: 'x "y"\n', B: [1, null, true, { C: new Date(0) }], D: undefined, E: {} };
  expect(writeExactJson(plain)).toBe(JSON.stringify(plain));
  expect(writeExactJson({ Amount: decimal('9999999999999999.99'), List: [decimal('0.10')] })).toBe(
    '{"Amount":9999999999999999.99,"List":[0.1]}',
  );
});
