import { type Endpoint, isMail } from './endpoint.ts';

/**
 * What follows from an answer. Any 2xx takes the batch. Whatever may be an accident, such as an address that is deployed wrongly, holds
 * the line for three days, by the schedule of Standard Webhooks, and then the endpoint is paused: nothing is ever skipped because
 * of it. Only an answer that is about the events themselves, given three times, sets one of them aside, so that it does not hold up
 * the others for ever.
 */
const SECONDS = [5, 5 * 60, 30 * 60, 2 * 3600, 5 * 3600, 10 * 3600, 14 * 3600, 20 * 3600, 24 * 3600];
const MOST_ATTEMPTS = SECONDS.length + 1;
/** So that receivers that failed together are not tried together. */
const JITTER = 0.2;
const LONGEST_WISH_SECONDS = 3600;
const REFUSALS = 3;
const SET_ASIDE_IN_ROW = 5;

const REFUSING: ReadonlySet<number> = new Set([400, 409, 413, 415, 422]);
const GONE = 410;

export type Outcome = 'Taken' | 'Refused' | 'Gone' | 'Failed';

/** What a status means; undefined: there was no whole answer. */
export function outcomeOf(statusCode = 0): Outcome {
  if (statusCode >= 200 && statusCode < 300) return 'Taken';
  if (statusCode === GONE) return 'Gone';
  return REFUSING.has(statusCode) ? 'Refused' : 'Failed';
}

/** Retry-After is a number of seconds or a date. What is neither is no wish. */
export function wishedSeconds(retryAfter: string | undefined, now: Date): number | undefined {
  if (retryAfter === undefined) return undefined;
  if (/^\d{1,9}$/.test(retryAfter)) return Number(retryAfter);
  const at = Date.parse(retryAfter);
  return Number.isNaN(at) ? undefined : Math.max(0, (at - now.getTime()) / 1000);
}

export interface Attempt {
  readonly outcome: Outcome;
  readonly error: string | undefined;
  readonly retryAfterSeconds?: number | undefined;
  readonly startedAt: Date;
  readonly endedAt: Date;
  /** Of the batch. */
  readonly last: bigint;
  readonly count: number;
}

export interface Verdict {
  /** As it is now. */
  readonly endpoint: Endpoint;
  readonly isSetAside: boolean;
}

/** `random` is between 0 and 1. */
export function afterAttempt(endpoint: Endpoint, attempt: Attempt, random: number): Verdict {
  const { outcome, error = '', endedAt, last, count } = attempt;
  if (outcome === 'Taken') return { endpoint: taken(endpoint, attempt), isSetAside: false };
  const attempts = endpoint.attempts + 1;
  const refusals = endpoint.refusals + (outcome === 'Refused' ? 1 : 0);
  const tried = { ...endpoint, attempts, refusals };
  if (outcome === 'Gone') {
    return { endpoint: paused(tried, endedAt, 'It answered 410: it wants no more events'), isSetAside: false };
  }
  if (refusals >= REFUSALS && !endpoint.isHeldOnRefusal) {
    if (count > 1) return { endpoint: singly(tried, endedAt, last), isSetAside: false };
    const withoutIt = setAside(tried, endedAt, last);
    if (withoutIt.setAsideInRow < SET_ASIDE_IN_ROW) return { endpoint: withoutIt, isSetAside: true };
    const reason = `It refused ${SET_ASIDE_IN_ROW} events in a row; of the last one: ${error}`;
    return { endpoint: paused(withoutIt, endedAt, reason), isSetAside: true };
  }
  if (attempts >= MOST_ATTEMPTS) {
    const reason = `It failed ${MOST_ATTEMPTS} times in three days; of the last time: ${error}`;
    return { endpoint: paused(tried, endedAt, reason), isSetAside: false };
  }
  const pauseMs = pauseSeconds(attempts, attempt.retryAfterSeconds, random) * 1000;
  return { endpoint: { ...tried, nextAttemptAt: new Date(endedAt.getTime() + pauseMs) }, isSetAside: false };
}

/** It is time that somebody knows: after some minutes, of mail after some seconds. */
export function isFailing({ state, attempts, address }: Endpoint): boolean {
  return state === 'Active' && attempts >= (isMail(address) ? 2 : 3);
}

function pauseSeconds(attempts: number, wished: number | undefined, random: number): number {
  const regular = (SECONDS[attempts - 1] ?? 0) * (1 + JITTER * (2 * random - 1));
  return Math.max(regular, Math.min(wished ?? 0, LONGEST_WISH_SECONDS));
}

function taken(endpoint: Endpoint, { last, startedAt }: Attempt): Endpoint {
  const apartMs = endpoint.maxPerSecond === null ? 0 : Math.ceil(1000 / endpoint.maxPerSecond);
  const nextAttemptAt = new Date(startedAt.getTime() + apartMs);
  return { ...behind(endpoint, last), setAsideInRow: 0, nextAttemptAt, lastTakenAt: startedAt };
}

function setAside(endpoint: Endpoint, at: Date, last: bigint): Endpoint {
  return { ...behind(endpoint, last), setAsideInRow: endpoint.setAsideInRow + 1, nextAttemptAt: at };
}

/** Nothing of this batch is to be sent any more. */
function behind(endpoint: Endpoint, last: bigint): Endpoint {
  const { singlyUntil } = endpoint;
  const stillSingly = last < (singlyUntil ?? 0n) ? singlyUntil : null;
  return { ...endpoint, cursor: last, batchLast: null, attempts: 0, refusals: 0, singlyUntil: stillSingly };
}

function singly(endpoint: Endpoint, at: Date, last: bigint): Endpoint {
  return { ...endpoint, batchLast: null, attempts: 0, refusals: 0, singlyUntil: last, nextAttemptAt: at };
}

function paused(endpoint: Endpoint, at: Date, reason: string): Endpoint {
  return { ...endpoint, state: 'Paused', pauseReason: reason, pausedAt: at };
}

/** Goes on where it stopped, with the same batch if there is one; or after a number, with what comes then. */
export function resumed(endpoint: Endpoint, at: Date, after: bigint | undefined): Endpoint {
  const active: Endpoint = {
    ...endpoint,
    state: 'Active',
    pauseReason: null,
    pausedAt: null,
    attempts: 0,
    refusals: 0,
    setAsideInRow: 0,
    nextAttemptAt: at,
  };
  return after === undefined ? active : { ...active, cursor: after, batchLast: null, singlyUntil: null };
}
