import { isChainHeld } from './hold.ts';
import { LEASE_MS, type Lease, LONGEST_REST_SECONDS, RENEW_EVERY_MS } from './lease.ts';
import { nextStep, type Situation, type Step } from './next-step.ts';

/**
 * The lane of one device, as one instance sees it. `next` is the only way from one mode to another: it decides and does nothing.
 * keeper/lanes.ts carries out its commands and tells it what came of them. ARCHITECTURE.md has the drawing.
 *
 * - away: not held here. It begins at the start, when a lease was given back, lost or not obtained, and when a step failed: then the
 *   lane pauses, for all instances. It ends when a receipt is sealed here or something pokes the lane (wanted), or when the lane was due
 *   and has been taken (working). During a pause only a poke ends it; of a sealed receipt, the instance that may hold the lane by then
 *   is told.
 * - wanted: it waits for its turn to be taken. It ends with a lease (working) or without one (away): then the lane pauses, or another
 *   instance holds it and was told to look. A poke that came meanwhile makes it wanted once more.
 * - working: one look at the tables or one step is under way, never two, and its end decides what follows. Between two receipts there is no
 *   need to look: what was read, and what was sealed and accepted here since, tells which is next, because nobody else changes a held
 *   lane without waking it. It ends when nothing is due (resting), when a step fails or the lease is lost (away).
 * - resting: held, with nothing due. It ends with a sealed receipt, a poke, or the time at which something is due (working). It is not
 *   renewed, so that a shop that sells every second keeps its lane and all others give it back (leaving) in good time.
 * - leaving: the lease is being given back. News that comes meanwhile waits. It ends when the lane is free (away, or wanted if there is
 *   news) or when it could not be given back just now (resting, or working if there is news).
 *
 * A stopping instance begins nothing: what is due is given back as such.
 */
export type Lane<T> = FreeLane<T> | HeldLane<T>;

interface AnyLane<T> {
  /** After a failed step: until when a receipt that is sealed here has no need to try. */
  readonly pausedUntilSeconds: number;
  /** Care failed a moment ago and is left alone until then. The authority may well take receipts meanwhile. */
  readonly careAfterSeconds: number;
  /** The authority asked to be left alone until then, with Retry-After. What ends a pause does not end that. */
  readonly quietUntilSeconds: number;
  /** The newest receipt that is known to be sealed. */
  readonly sealedThrough: number;
  /** The next receipts, ready to be sent: without a gap, as they were sealed here or read together. */
  readonly ahead: readonly T[];
  /** What came since it is wanted, since the last look began or since it rests. Only a look tells what a poke is about. */
  readonly news: 'none' | 'sealed' | 'poked';
}

type FreeLane<T> = AnyLane<T> & { readonly mode: 'away' | 'wanted' };

interface HeldLane<T> extends AnyLane<T> {
  readonly mode: 'working' | 'resting' | 'leaving';
  readonly lease: Lease;
  readonly renewedAtMs: number;
  /** What a look has shown, and what was accepted since. */
  readonly known: Seen | 'nothing yet' | 'outdated';
  /** While it rests: when something is due in it. */
  readonly dueAtSeconds: number;
  /** How often each step was taken in this turn. */
  readonly taken: ReadonlyMap<string, number>;
}

export const AWAY = {
  mode: 'away',
  pausedUntilSeconds: 0,
  careAfterSeconds: 0,
  quietUntilSeconds: 0,
  sealedThrough: 0,
  ahead: [],
  news: 'none',
} as const satisfies FreeLane<never>;

/** What a look at the tables shows. */
export type Seen = Omit<Situation, 'nowSeconds' | 'careAfterSeconds'>;

type Numbered = { readonly globalCounter: number };

export type LaneEvent<T> =
  /** Committed here. The receipt is there if it is ready to be sent and there is room for it. */
  | { readonly kind: 'sealed'; readonly globalCounter: number; readonly receipt: T | undefined }
  /** Something in the tables is new, or another time has come. */
  | { readonly kind: 'poked' }
  /** The lease was asked for at `sinceMs`. */
  | { readonly kind: 'taken'; readonly lease: Lease; readonly sinceMs: number }
  | { readonly kind: 'missed' }
  | { readonly kind: 'looked'; readonly seen: Seen }
  /** Read for the step under way: those that follow its receipt. */
  | { readonly kind: 'read'; readonly ahead: readonly T[] }
  /** It was to be written down at `sinceMs`, which renewed the lease. Woken: something else was asked of the lane before. */
  | { readonly kind: 'accepted'; readonly globalCounter: number; readonly isWoken: boolean; readonly sinceMs: number }
  | { readonly kind: 'stepped'; readonly step: Step }
  /** Care that failed. */
  | { readonly kind: 'postponed'; readonly seconds: number }
  /** So that the lane is not held any more: it pauses, or another instance has it (no seconds). */
  | { readonly kind: 'failed'; readonly pauseSeconds: number }
  /** The authority asks to be left alone. */
  | { readonly kind: 'quiet'; readonly seconds: number }
  /** The authority answers again. */
  | { readonly kind: 'resumed' }
  /** Some time passed. Where others wait for the database, a lane at rest has no room to begin. */
  | { readonly kind: 'tick'; readonly hasRoom: boolean }
  | { readonly kind: 'renewed'; readonly lease: Lease; readonly sinceMs: number }
  | { readonly kind: 'released'; readonly lease: Lease; readonly isFree: boolean };

export type LaneCommand<T> =
  /** Ask for the lease when it is the lane's turn; if there is none, wake the holder. */
  | { readonly kind: 'want' }
  /** Wake the holder elsewhere, if there is one. */
  | { readonly kind: 'mark' }
  | { readonly kind: 'look'; readonly lease: Lease }
  | TakeStep<T>
  | { readonly kind: 'renew'; readonly lease: Lease }
  | { readonly kind: 'release'; readonly lease: Lease; readonly dueAtSeconds: number };

export interface TakeStep<T> {
  readonly kind: 'step';
  readonly lease: Lease;
  readonly step: Exclude<Step, { kind: 'idle' }>;
  readonly situation: Situation;
  /** The receipt to submit, if it is at hand. */
  readonly receipt: T | undefined;
  /** The same again and again without a receipt getting through: if it succeeds once more, the authority contradicts itself. */
  readonly isGoingRound: boolean;
}

export interface Moment {
  readonly seconds: number;
  /** Of a clock that only goes forward. */
  readonly ms: number;
  readonly isStopping: boolean;
}

export type Next<T> = { readonly lane: Lane<T>; readonly commands: readonly LaneCommand<T>[] };

const MAX_AHEAD = 16;
const MAX_REPEATS = 4;
const KEEP_MS = LEASE_MS - RENEW_EVERY_MS;

export function next<T extends Numbered>(lane: Lane<T>, event: LaneEvent<T>, now: Moment): Next<T> {
  switch (event.kind) {
    case 'sealed':
      return onSealed(lane, event, now);
    case 'poked':
      return onNews({ ...lane, pausedUntilSeconds: 0 }, 'poked', now);
    case 'taken':
      return onTaken(lane, event, now);
    case 'missed':
      return lane.mode === 'wanted' ? leave(lane, now) : stay(lane);
    case 'resumed':
      return stay({ ...lane, pausedUntilSeconds: 0 });
    case 'tick':
      return onTick(lane, event.hasRoom, now);
    case 'renewed':
      return stay(isOf(lane, event.lease) ? renewed(lane, event.sinceMs) : lane);
    case 'released':
      return isOf(lane, event.lease) && lane.mode === 'leaving' ? onReleased(lane, event.isFree, now) : stay(lane);
    case 'quiet':
      return stay({ ...lane, quietUntilSeconds: now.seconds + event.seconds });
    case 'looked':
    case 'read':
    case 'accepted':
    case 'stepped':
    case 'postponed':
    case 'failed':
      return lane.mode === 'working' ? onWork(lane, event, now) : stay(lane);
  }
}

/** How many stand before a receipt; undefined when that is not known, or something has to be settled first. */
export function queuedBefore<T>(lane: Lane<T>, globalCounter: number): number | 'being taken' | undefined {
  if (!isHeld(lane)) return lane.mode === 'wanted' ? 'being taken' : undefined;
  if (lane.known === 'nothing yet') return 'being taken';
  if (lane.known === 'outdated') return undefined;
  const { lane: row, device } = lane.known;
  if (row.isStopped || row.isRefused || isChainHeld(device)) return undefined;
  return Math.max(0, globalCounter - row.submittedThrough - 1);
}

/** For how long the authority is to be left alone. */
export function quietSeconds<T>({ quietUntilSeconds }: Lane<T>, nowSeconds: number): number {
  return isAhead(quietUntilSeconds, nowSeconds) ? quietUntilSeconds - nowSeconds : 0;
}

export function isHeld<T>(lane: Lane<T>): lane is HeldLane<T> {
  return lane.mode !== 'away' && lane.mode !== 'wanted';
}

/** Whether it is held with this lease, and not with a later one. */
export function isOf<T>(lane: Lane<T>, { fencingToken }: Pick<Lease, 'fencingToken'>): lane is HeldLane<T> {
  return isHeld(lane) && lane.lease.fencingToken === fencingToken;
}

type Of<Kind extends LaneEvent<never>['kind'], T> = Extract<LaneEvent<T>, { kind: Kind }>;
type Work<T> = Of<'looked' | 'read' | 'accepted' | 'stepped' | 'postponed' | 'failed', T>;

function stay<T>(lane: Lane<T>): Next<T> {
  return { lane, commands: [] };
}

function onSealed<T extends Numbered>(lane: Lane<T>, event: Of<'sealed', T>, now: Moment): Next<T> {
  const { ahead } = lane;
  if (isAhead(lane.pausedUntilSeconds, now.seconds)) return { lane, commands: [{ kind: 'mark' }] };
  const { globalCounter, receipt } = event;
  const last = ahead.at(-1);
  const follows = last === undefined || last.globalCounter === globalCounter - 1;
  const isKept = receipt !== undefined && follows && ahead.length < MAX_AHEAD;
  const sealedThrough = Math.max(lane.sealedThrough, globalCounter);
  return onNews({ ...lane, sealedThrough, ahead: isKept ? [...ahead, receipt] : ahead }, 'sealed', now);
}

function onNews<T extends Numbered>(lane: Lane<T>, news: 'sealed' | 'poked', now: Moment): Next<T> {
  if (!isHeld(lane)) {
    if (lane.mode === 'wanted') return stay(news === 'poked' ? { ...lane, news } : lane);
    return now.isStopping ? stay(away(lane)) : { lane: { ...lane, mode: 'wanted' }, commands: [{ kind: 'want' }] };
  }
  const known = news === 'poked' ? 'outdated' : lane.known;
  if (lane.mode === 'resting') return begin({ ...lane, known }, now);
  return stay({ ...lane, known, news: lane.news === 'poked' ? 'poked' : news });
}

function onTaken<T extends Numbered>(lane: Lane<T>, { lease, sinceMs }: Of<'taken', T>, now: Moment): Next<T> {
  if (lane.mode === 'working') {
    if (isOf(lane, lease)) return stay(lane);
    // Our own lease ran out with a call under way. A second call must not begin beside it: the first ends before this is due again.
    return { lane, commands: [{ kind: 'release', lease, dueAtSeconds: now.seconds }] };
  }
  return begin(
    {
      ...(lane.mode === 'wanted' ? lane : away(lane)),
      mode: 'resting',
      pausedUntilSeconds: 0,
      lease,
      renewedAtMs: sinceMs,
      known: 'nothing yet',
      dueAtSeconds: now.seconds,
      taken: new Map(),
    },
    now,
  );
}

function begin<T extends Numbered>(lane: HeldLane<T>, now: Moment): Next<T> {
  if (now.isStopping) return stay(rest(lane, now.seconds));
  // A statement took longer than the lease. The device may be at work under another one: two calls of it must not be under way.
  if (isExpired(lane, now)) return release({ ...lane, dueAtSeconds: now.seconds, news: 'poked' });
  return decide({ ...lane, mode: 'working', taken: new Map() }, now);
}

function onWork<T extends Numbered>(lane: HeldLane<T>, event: Work<T>, now: Moment): Next<T> {
  switch (event.kind) {
    case 'looked':
      // What is read while something new comes may be old already: it is used once, and not kept.
      return decide(lane.news === 'poked' ? lane : { ...lane, known: event.seen }, now, event.seen);
    case 'read':
      return stay({ ...lane, ahead: event.ahead });
    case 'accepted':
      return decide({ ...renewed(lane, event.sinceMs), known: knownAfter(lane, event) }, now);
    case 'stepped':
      return decide({ ...lane, known: 'outdated', ahead: event.step.kind === 'submit' ? [] : lane.ahead }, now);
    case 'postponed':
      return decide({ ...lane, known: 'outdated', careAfterSeconds: now.seconds + event.seconds }, now);
    case 'failed':
      return leave({ ...lane, pausedUntilSeconds: now.seconds + event.pauseSeconds }, now);
  }
}

function renewed<T>(lane: HeldLane<T>, sinceMs: number): HeldLane<T> {
  return { ...lane, renewedAtMs: Math.max(lane.renewedAtMs, sinceMs) };
}

function knownAfter<T>({ known }: HeldLane<T>, { globalCounter, isWoken }: Of<'accepted', T>): HeldLane<T>['known'] {
  if (typeof known === 'string' || isWoken || known.lane.unclear.length > 0) return 'outdated';
  return { ...known, lane: { ...known.lane, submittedThrough: globalCounter }, failures: 0 };
}

/** On a fresh look, or on what is known: that is enough for the next receipt, and to see that nothing is due. */
function decide<T extends Numbered>(lane: HeldLane<T>, now: Moment, fresh?: Seen): Next<T> {
  const seen = fresh ?? lane.known;
  if (typeof seen === 'string') return look(lane);
  const situation = situationOf(lane, seen, now.seconds);
  const step = nextStep(situation);
  if (step.kind === 'idle') return lane.news === 'poked' ? look(lane) : stay(rest(lane, step.untilSeconds));
  // What is due is left to the next process, however much there is.
  if (now.isStopping) return stay(rest(lane, now.seconds));
  if (fresh === undefined && step.kind !== 'submit') return look(lane);
  const name = JSON.stringify(step);
  const times = (lane.taken.get(name) ?? 0) + 1;
  const taken = new Map(step.kind === 'submit' ? [] : lane.taken).set(name, times);
  const [first, ...others] = lane.ahead;
  const receipt = step.kind === 'submit' && first?.globalCounter === step.globalCounter ? first : undefined;
  const ahead = step.kind !== 'submit' ? lane.ahead : receipt === undefined ? [] : others;
  const isGoingRound = times >= MAX_REPEATS;
  const command = { kind: 'step', lease: lane.lease, step, situation, receipt, isGoingRound } as const;
  return { lane: { ...lane, ahead, taken }, commands: [command] };
}

function situationOf<T>(lane: HeldLane<T>, seen: Seen, nowSeconds: number): Situation {
  const careAfterSeconds = isAhead(lane.careAfterSeconds, nowSeconds) ? lane.careAfterSeconds : undefined;
  const globalCounter = Math.max(seen.head.globalCounter, lane.sealedThrough);
  return { ...seen, head: { ...seen.head, globalCounter }, nowSeconds, careAfterSeconds };
}

function look<T>(lane: HeldLane<T>): Next<T> {
  return { lane: { ...lane, news: 'none' }, commands: [{ kind: 'look', lease: lane.lease }] };
}

function rest<T>(lane: HeldLane<T>, dueAtSeconds: number): HeldLane<T> {
  return { ...lane, mode: 'resting', news: 'none', dueAtSeconds };
}

/** Whether a tick means anything to it. Asked of every lane again and again, nearly always in vain. */
export function isTickDue<T>(lane: Lane<T>, now: Moment): boolean {
  if (!isHeld(lane)) return false;
  const ageMs = now.ms - lane.renewedAtMs;
  if (lane.mode === 'resting') return ageMs >= KEEP_MS || now.seconds >= lane.dueAtSeconds || now.isStopping;
  return ageMs >= (lane.mode === 'working' ? RENEW_EVERY_MS : LEASE_MS);
}

function onTick<T extends Numbered>(lane: Lane<T>, hasRoom: boolean, now: Moment): Next<T> {
  if (!isHeld(lane) || !isTickDue(lane, now)) return stay(lane);
  if (lane.mode === 'working') return { lane, commands: [{ kind: 'renew', lease: lane.lease }] };
  if (lane.mode === 'leaving') return onReleased(lane, true, now);
  if (now.seconds >= lane.dueAtSeconds && hasRoom && !now.isStopping) return onNews(lane, 'poked', now);
  return now.ms - lane.renewedAtMs >= KEEP_MS || now.isStopping ? release(lane) : stay(lane);
}

function release<T>(lane: HeldLane<T>): Next<T> {
  const { lease, dueAtSeconds } = lane;
  return { lane: { ...lane, mode: 'leaving' }, commands: [{ kind: 'release', lease, dueAtSeconds }] };
}

function onReleased<T extends Numbered>(lane: HeldLane<T>, isFree: boolean, now: Moment): Next<T> {
  const isGone = isFree || isExpired(lane, now);
  if (lane.news === 'none') return stay(isGone ? away(lane) : rest(lane, lane.dueAtSeconds));
  return isGone ? onNews(away(lane), lane.news, now) : begin(lane, now);
}

/** Not held, or not to be had. Only a poke does not wait until the lane is due. */
function leave<T extends Numbered>(lane: Lane<T>, now: Moment): Next<T> {
  return lane.news === 'poked' ? next(away(lane), { kind: 'poked' }, now) : stay(away(lane));
}

function isExpired<T>({ renewedAtMs }: HeldLane<T>, now: Moment): boolean {
  return now.ms - renewedAtMs >= LEASE_MS;
}

function away<T>({ pausedUntilSeconds, careAfterSeconds, quietUntilSeconds }: Lane<T>): FreeLane<T> {
  const isPlain = Math.max(pausedUntilSeconds, careAfterSeconds, quietUntilSeconds) === 0;
  return isPlain ? AWAY : { ...AWAY, pausedUntilSeconds, careAfterSeconds, quietUntilSeconds };
}

/** A time further ahead was written while the clock was wrong. */
function isAhead(untilSeconds: number, nowSeconds: number): boolean {
  return nowSeconds < untilSeconds && untilSeconds <= nowSeconds + LONGEST_REST_SECONDS;
}
