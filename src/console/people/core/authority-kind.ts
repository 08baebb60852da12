import type { AUTHORITY_KINDS } from '../../../contract/console/session.ts';

/** Whether what is signed here counts. Undefined: the built-in simulator. */
export function authorityKind(url: string | undefined): (typeof AUTHORITY_KINDS)[number] {
  if (url === undefined || url === 'simulator') return 'Simulator';
  return /test|localhost|^127\.|^\[::1\]$/.test(new URL(url).hostname) ? 'Test' : 'Real';
}
