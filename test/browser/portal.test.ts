import { describePortal } from './portal.ts';

/** What each person sees and is offered, at every width; portal.proof.ts looks for barriers too, in both themes, which takes two minutes. */
await describePortal('the portal of every person', () => []);
