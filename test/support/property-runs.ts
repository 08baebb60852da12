import { inject } from 'vitest';

/**
 * How often a property is tried, each time with other values: every time in `npm run proof -- long`, in `npm test` a quarter of it, or what is
 * given where one try takes long, and for each of thousands of mutants a few times.
 */
export function runs(all: number, inTest = Math.ceil(all / 4)): { numRuns: number } {
  if (inject('isProof')) return { numRuns: all };
  return { numRuns: inject('isMutation') ? Math.ceil(all / 25) : inTest };
}
