import { describePortal, LOOKS } from './portal.ts';

/** Each page in both themes takes two minutes. */
await describePortal('the portal, as closely as barriers are looked for', (_path, kind) =>
  kind === 'installation' ? [] : LOOKS,
);
