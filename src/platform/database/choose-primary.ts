/**
 * Which of several servers may be written to. A server that was replaced comes back and calls itself primary, with an old state of the
 * chains: sealing on it gives numbers a second time. Every promotion begins a new timeline, so the lower one is the older; standbys
 * follow one, and tell as well. Going back is for a person to decide, with `tillseal restore mark`: the mark is in that database, and
 * whatever lacks it is older, whatever its timeline.
 */

/** Where a server stands. */
export interface Lineage {
  /** PostgreSQL's own identifier, the same for a primary and its standbys; undefined where it may not be asked. */
  readonly systemId: string | undefined;
  /** Of a standby: this one or a later one. */
  readonly timeline: number | undefined;
  /** The newest mark in its database, in milliseconds; 0 for none. */
  readonly markedAt: number;
}

/** What is remembered of the servers that this installation has worked with. */
export interface Seen {
  /** The identifier in use; the others were left for it. */
  readonly inUse: string | undefined;
  /** By identifier, the latest. */
  readonly servers: Readonly<Record<string, { readonly timeline: number; readonly markedAt: number }>>;
}

/** In DATA_DIR, outside the database: an old state of it does not know that it is old. */
export const SEEN_FILE = 'database.json';

export const NOTHING_SEEN: Seen = { inUse: undefined, servers: {} };

/** What a host answered. */
export interface Answer extends Lineage {
  /** Of its process. */
  readonly id: string;
  readonly isStandby: boolean;
}

export type Choice =
  /** Whether it was seen before. */
  | { readonly kind: 'use'; readonly index: number; readonly isKnown: boolean }
  /** None takes writes. */
  | { readonly kind: 'none' }
  /** One does, and must not be used: why, as the end of a sentence about it. */
  | { readonly kind: 'refused'; readonly index: number; readonly why: string };

const GOING_BACK = 'run tillseal restore mark (docs/operations/replication.md#going-back)';
const GIVEN_UP =
  'was given up when tillseal restore mark chose another one: take it out of DATABASE_URL and rebuild it as a standby.';

function replaced(timeline: number, newest: string): string {
  return `is on timeline ${timeline}, and ${newest}: it was replaced, and lacks what was sealed since. Start the server that was promoted, and rebuild this one as its standby. If this one is to go on instead, stop the other and ${GOING_BACK}.`;
}

/** Who goes back may choose what is behind, but not between two. */
export function choosePrimary(answers: readonly (Answer | undefined)[], seen: Seen, isGoingBack = false): Choice {
  const all = answers.flatMap((answer, index) => (answer === undefined ? [] : [{ ...answer, index }]));
  const primaries = all
    .filter(({ isStandby }) => !isStandby)
    .map((one) => ({ ...one, why: whyBehind(one, seen) ?? whyBehindOthers(one, all) }));
  const fit = primaries.filter(({ why }) => why === undefined);
  const chosen = fit[0] ?? primaries[0];
  if (chosen === undefined) return { kind: 'none' };
  const { index, systemId = '' } = chosen;
  const isOnly = (isGoingBack ? primaries : fit).every(({ id }) => id === chosen.id);
  const why = isOnly
    ? chosen.why
    : 'is not the only one of DATABASE_URL that takes writes: stop the one that is wrong.';
  return why === undefined
    ? { kind: 'use', index, isKnown: seen.servers[systemId] !== undefined }
    : { kind: 'refused', index, why };
}

/** Why it must not be used, as the end of a sentence about it; undefined when it is not behind what was seen. */
export function whyBehind(server: Lineage, seen: Seen): string | undefined {
  const { systemId, timeline, markedAt } = server;
  const known = systemId === undefined ? undefined : seen.servers[systemId];
  if (known === undefined || isChosenSince(server, seen)) return undefined;
  if (systemId !== seen.inUse) {
    return `holds a database that this installation has left for another one: correct DATABASE_URL. If this one is to go on instead, ${GOING_BACK}.`;
  }
  if (markedAt < known.markedAt) return GIVEN_UP;
  if (timeline === undefined || timeline >= known.timeline) return undefined;
  return replaced(timeline, `this installation has worked on timeline ${known.timeline}`);
}

/** By a person, after everything that was seen. */
function isChosenSince({ markedAt }: Lineage, { servers }: Seen): boolean {
  return Object.values(servers).every((known) => markedAt > known.markedAt);
}

function whyBehindOthers(one: Lineage, others: readonly Lineage[]): string | undefined {
  if (others.some(({ markedAt }) => markedAt > one.markedAt)) return GIVEN_UP;
  const newest = Math.max(...others.map((other) => (isComparable(one, other) ? (other.timeline ?? 0) : 0)));
  if (one.timeline === undefined || one.timeline >= newest) return undefined;
  return replaced(one.timeline, `another server answers that is on timeline ${newest}`);
}

/** Of two that both call themselves primary, the one that was promoted or chosen last. */
export function isNewer(server: Lineage, than: Lineage): boolean {
  if (!isComparable(server, than)) return server.markedAt > than.markedAt;
  return (server.timeline ?? 0) > (than.timeline ?? 0);
}

function isComparable(one: Lineage, other: Lineage): boolean {
  return one.systemId === other.systemId && one.markedAt === other.markedAt;
}

/** With what was confirmed on a server. It never forgets a higher timeline, nor goes back to an identifier that was left. */
export function remember(seen: Seen, server: Lineage): Seen {
  const { systemId, timeline = 0, markedAt } = server;
  if (systemId === undefined) return seen;
  const known = seen.servers[systemId];
  const isChosen = known === undefined || isChosenSince(server, seen);
  if (!isChosen && markedAt < known.markedAt) return seen;
  const latest = isChosen ? timeline : Math.max(known.timeline, timeline);
  const servers = { ...seen.servers, [systemId]: { timeline: latest, markedAt } };
  return { inUse: isChosen ? systemId : seen.inUse, servers };
}
