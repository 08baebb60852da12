import { expect, test } from 'vitest';
import { randomOf } from '../../world/random.ts';
import { mutateBody } from '../request/mutate-body.ts';

test.each([
  ['a long text', 200, { Name: 'x'.repeat(100_000) }],
  ['a list', 3000, { Lines: [{ Name: 'Bread', Price: { Amount: 1 } }], Payments: [{ Amount: 1 }] }],
])('a mutation of %s is a body that can be sent', (_, seeds, good) => {
  for (let seed = 1; seed <= seeds; seed += 1) {
    expect(mutateBody(good, undefined, randomOf(1, seed)).length).toBeLessThan(2_000_000);
  }
});
