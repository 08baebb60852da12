import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Connection, type Question } from './connection.ts';

export const CONNECTIONS = 64;
/** A service's queue of connections that are not accepted yet is finite. */
const CONNECT_AT_ONCE = 200;
const LOOK_AGAIN_MS = 5;
const AFTER_A_CUT_MS = 100;

export interface Load {
  readonly url: string;
  readonly questionOf: (turn: number) => Question;
  readonly connections?: number;
  /** A number and not a time: at the end nothing is under way, so tables can be compared with what was answered. */
  readonly requests?: number;
  /** The shortest time between two requests of a connection. */
  readonly everyMs?: number;
  /** Whether another one may be sent, when so many were answered. */
  readonly mayGo?: (answered: number) => boolean;
  readonly signal?: AbortSignal;
}

export interface LoadResult {
  /** Rightly. */
  readonly answered: number;
  readonly errors: number;
  /** The first wrong answer, to show. */
  readonly wrong: string;
  readonly byStatus: Readonly<Record<string, number>>;
  readonly durationMs: number;
  readonly perSecond: number;
  readonly latenciesMs: readonly number[];
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
}

export interface RunningLoad {
  /** All that it ever sent and was answered rightly. */
  answered(): number;
  /** Forgets what was before: the measurement starts here. */
  measure(): void;
  /** Once what is under way has been answered, or with a cut at once. */
  stop(how?: 'cut'): Promise<LoadResult>;
  readonly ended: Promise<LoadResult>;
}

/** Sends as fast as it is answered, over all connections; resolves when they are open. */
export async function startLoad(load: Load): Promise<RunningLoad> {
  const { url, questionOf, requests = Number.POSITIVE_INFINITY, everyMs = 0, mayGo = () => true, signal } = load;
  const connections = await openConnections(url, load.connections ?? CONNECTIONS);
  let tally = new Tally();
  let [turn, answeredBefore, isStopping] = [0, 0, false];
  // One timer for all connections, and not one for each.
  let looking: Promise<void> | undefined;
  const lookAgain = async () => {
    looking ??= delay(LOOK_AGAIN_MS);
    await looking;
    looking = undefined;
  };
  const isOver = () => isStopping || signal?.aborted === true;
  const answered = () => answeredBefore + tally.latenciesMs.length;
  const work = async (connection: Connection) => {
    for (let nextAtMs = 0; turn < requests; ) {
      while (!isOver() && !mayGo(answered())) await lookAgain();
      const restMs = nextAtMs - performance.now();
      if (restMs > 0) await delay(restMs);
      if (isOver()) break;
      const question = questionOf(turn);
      turn += 1;
      const sentAtMs = performance.now();
      nextAtMs = sentAtMs + everyMs;
      const answer = await connection.ask(question).catch(String);
      if (isStopping && !isAnswer(answer)) break;
      tally.note(question, answer, sentAtMs);
      if (!isAnswer(answer)) await delay(AFTER_A_CUT_MS);
    }
    connection.close();
  };
  const ended = Promise.all(connections.map(work)).then(() => {
    signal?.throwIfAborted();
    return tally.result();
  });
  ended.catch(() => {});
  return {
    answered,
    measure: () => {
      answeredBefore = answered();
      tally = new Tally(tally.errors, tally.wrong);
    },
    stop: (how) => {
      isStopping = true;
      if (how === 'cut') for (const connection of connections) connection.close();
      return ended;
    },
    ended,
  };
}

export async function drive(load: Load & Required<Pick<Load, 'requests'>>): Promise<LoadResult> {
  collectGarbage();
  return (await startLoad(load)).ended;
}

/**
 * Sends at a fixed rate, however slow the answers are, as independent tills do: the gaps between requests are random, so several
 * may come at once. Time spent waiting for a connection counts as waiting for the service.
 */
export async function driveAtRate(load: Load, perSecond: number, seconds: number): Promise<LoadResult> {
  const requests = Math.round(perSecond * seconds);
  if (!(requests > 0)) throw new Error('a load needs a rate: nothing was answered before it');
  collectGarbage();
  const idle = await openConnections(load.url, CONNECTIONS);
  const all = [...idle];
  const waiting: ((connection: Connection) => void)[] = [];
  const tally = new Tally();
  const send = async (turn: number, dueMs: number) => {
    const question = load.questionOf(turn);
    const connection = idle.pop() ?? (await new Promise<Connection>((resolve) => waiting.push(resolve)));
    tally.note(question, await connection.ask(question).catch(String), dueMs);
    const next = waiting.shift();
    if (next === undefined) idle.push(connection);
    else next(connection);
  };
  const sent: Promise<void>[] = [];
  let dueMs = performance.now();
  for (let turn = 0; turn < requests; turn += 1) {
    const waitMs = dueMs - performance.now();
    if (waitMs > 0) await delay(waitMs, undefined, load.signal && { signal: load.signal });
    sent.push(send(turn, performance.now()));
    dueMs -= (Math.log(1 - Math.random()) * 1000) / perSecond;
  }
  await Promise.all(sent);
  for (const connection of all) connection.close();
  load.signal?.throwIfAborted();
  return tally.result();
}

async function openConnections(url: string, count: number): Promise<Connection[]> {
  const connections: Connection[] = [];
  while (connections.length < count) {
    const more = Math.min(CONNECT_AT_ONCE, count - connections.length);
    connections.push(...(await Promise.all(Array.from({ length: more }, () => Connection.open(url)))));
  }
  return connections;
}

const isAnswer = (answer: string) => answer.startsWith('HTTP/');

class Tally {
  readonly latenciesMs: number[] = [];
  readonly #byStatus: Record<string, number> = {};
  readonly #startedAtMs = performance.now();
  #lastAtMs = this.#startedAtMs;
  errors: number;
  wrong: string;

  /** What went wrong before is not forgotten. */
  constructor(errors = 0, wrong = '') {
    this.errors = errors;
    this.wrong = wrong;
  }

  note({ isRight = () => true }: Question, answer: string, sentAtMs: number): void {
    const status = isAnswer(answer) ? answer.slice(9, 12) : 'cut';
    this.#byStatus[status] = (this.#byStatus[status] ?? 0) + 1;
    this.#lastAtMs = performance.now();
    if (status === '200' && isRight(answer)) this.latenciesMs.push(this.#lastAtMs - sentAtMs);
    else {
      this.errors += 1;
      this.wrong ||= answer.slice(0, 1000);
    }
  }

  result(): LoadResult {
    const { latenciesMs, errors, wrong } = this;
    const durationMs = this.#lastAtMs - this.#startedAtMs;
    return {
      answered: latenciesMs.length,
      errors,
      wrong,
      byStatus: this.#byStatus,
      durationMs,
      perSecond: (latenciesMs.length / durationMs) * 1000,
      latenciesMs,
      ...percentiles(latenciesMs),
    };
  }
}

/** Several pieces, one after the other, as one. */
export function together(loads: readonly LoadResult[]): Pick<LoadResult, 'perSecond' | 'p50Ms' | 'p95Ms' | 'p99Ms'> {
  const latenciesMs = loads.flatMap((load) => load.latenciesMs);
  const durationMs = sum(loads.map((load) => load.durationMs));
  return { perSecond: (latenciesMs.length / durationMs) * 1000, ...percentiles(latenciesMs) };
}

export function percentiles(values: readonly number[]): Pick<LoadResult, 'p50Ms' | 'p95Ms' | 'p99Ms'> {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN;
  return { p50Ms: at(0.5), p95Ms: at(0.95), p99Ms: at(0.99) };
}

export const median = (values: readonly number[]): number => percentiles(values).p50Ms;
export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
export const mean = (values: readonly number[]): number => sum(values) / values.length;

/** What the generator has left behind must not be collected while it measures something else. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

/** Every way once a round, because the machine's speed changes; each is first in turn, because the first leaves something behind. */
export async function inTurns<Way extends string, Figures>(
  ways: readonly Way[],
  rounds: number,
  measure: (way: Way, round: number) => Promise<Figures>,
): Promise<Record<Way, Figures[]>> {
  const figures = Object.fromEntries(ways.map((way) => [way, [] as Figures[]])) as Record<Way, Figures[]>;
  for (let round = 0; round < rounds; round += 1)
    for (const way of round % 2 === 0 ? ways : ways.toReversed()) figures[way].push(await measure(way, round));
  return figures;
}
