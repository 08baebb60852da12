import { PAGES } from './console.ts';
import { describePortal, LOOKS } from './portal.ts';

/** Operators have these, too: portal.proof.ts and barriers.proof.ts look at them more closely. The others are seen in one look, some light and some dark. */
const SHARED = new Set(PAGES.map(({ path }) => path).filter((path) => path !== '/'));

await describePortal('the portal of every person', (path, kind) =>
  kind === 'installation' || SHARED.has(path) ? [] : LOOKS.slice(path.length % 2, (path.length % 2) + 1),
);
