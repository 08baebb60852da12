import { expect, test } from 'vitest';
import { readGrants } from './grants.ts';

const read = (values: unknown) => readGrants(values).map(({ tenant, role }) => `${tenant.kind} ${tenant.id} ${role}`);

test('values name a role, and whose; of several for one the highest counts', () => {
  expect(read(['tillseal:operator', 'tillseal:viewer'])).toEqual(['installation  operator']);
  expect(read(['tillseal:biller:A_1:viewer', 'tillseal:biller:A_1:owner', 'tillseal:practice:x:clerk'])).toEqual([
    'biller A_1 owner',
    'practice x clerk',
  ]);
  expect(read('tillseal:admin')).toEqual(['installation  admin']);
});

test.each([
  [undefined],
  [null],
  [{ 'tillseal:admin': true }],
  [['staff', 'admin', 'my-tillseal:admin', 'tillseal:admin2', 'TILLSEAL:ADMIN', 'tillseal:admin\n']],
  [
    [
      'tillseal:owner',
      'tillseal:taxpayer:x:admin',
      'tillseal:taxpayer:owner',
      'tillseal:installation:x:admin',
      'tillseal:shop:x:owner',
    ],
  ],
  [[['tillseal:admin'], 7]],
])('%j grants nothing', (values) => expect(read(values)).toEqual([]));
