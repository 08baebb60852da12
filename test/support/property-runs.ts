import { inject } from 'vitest';

/** How often a property is tried: every time in `npm run proof`, a quarter of it in `npm test`, each time with other values. */
export function runs(all: number): { numRuns: number } {
  return { numRuns: inject('isProof') ? all : Math.ceil(all / 4) };
}
