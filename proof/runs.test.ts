import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { RUNS } from './runs.ts';

test('every run has a page that says what it does not prove, and a control that must fail', async () => {
  const lacking = await Promise.all(
    RUNS.map(async ({ name, page, load }) => {
      const { default: run } = await load();
      const text = readFileSync(join(import.meta.dirname, '..', 'docs', 'proof', page), 'utf8');
      const says = /^#+ What is not proved$/m.test(text);
      return { name, says, fails: (run.controls ?? []).length > 0 };
    }),
  );
  expect(lacking.filter(({ says, fails }) => !says || !fails)).toEqual([]);
});
