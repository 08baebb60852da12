import { expect, test } from 'vitest';
import { mutateBody } from '../../fuzz/request/mutate-body.ts';
import { randomOf } from '../../fuzz/world/random.ts';

test('a mutation of a long text is a body that can be sent', () => {
  for (let seed = 1; seed <= 200; seed += 1) {
    expect(mutateBody({ Name: 'x'.repeat(100_000) }, undefined, randomOf(1, seed)).length).toBeLessThan(2_000_000);
  }
});
