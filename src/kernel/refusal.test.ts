import { expect, test } from 'vitest';
import { type Refusal, refused } from './refusal.ts';

test('a refusal is told apart from every answer, and says what is refused', () => {
  const refusal: Refusal = { code: 'NotFound', detail: 'There is no such device.' };
  expect(refused(refusal).refusal).toBe(refusal);
});
