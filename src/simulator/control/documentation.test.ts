import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FAULT_KINDS } from '../faults.ts';
import { CONTROL_ROUTES } from './routes.ts';

const page = readFileSync(join(import.meta.dirname, '../../../docs/simulator.md'), 'utf8');

test('docs/simulator.md names every request of the control API and every kind of fault', () => {
  const words = [...Object.keys(CONTROL_ROUTES), ...FAULT_KINDS];
  expect(words.filter((word) => !page.includes(`\`${word}\``))).toEqual([]);
});
