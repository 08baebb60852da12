import { describe, expect, test } from 'vitest';
import { device, head, hold, instant } from '../../../test/support/devices.ts';
import {
  AWAY,
  isTickDue,
  type Lane,
  type LaneEvent,
  next,
  queuedBefore,
  quietSeconds,
  type Seen,
} from './held-lane.ts';
import { LEASE_MS, type Lease, LONGEST_REST_SECONDS, RENEW_EVERY_MS } from './lease.ts';

interface Receipt {
  readonly globalCounter: number;
}

const NOON = instant('2026-11-15T12:00:00+02:00');
const LEASE: Lease = { taxpayerId: 'one', deviceId: 1, fencingToken: 1n, epoch: 1 };

function seen(sealed: number, submittedThrough: number): Seen {
  return {
    device: device(),
    head: head({ globalCounter: sealed }),
    day: { isOpenConfirmed: true, closeAttempts: 0, closeSentAtSeconds: undefined, closeError: undefined },
    lane: {
      submittedThrough,
      requested: undefined,
      reopenAfterSeconds: undefined,
      configurationCheckedAtSeconds: NOON,
      statusCheckedAtSeconds: NOON,
      pingedAtSeconds: NOON,
      pingMinutes: 5,
      certificateTriedAtSeconds: undefined,
      taxRemarkAtSeconds: undefined,
      isStopped: false,
      isRefused: false,
      unclear: [],
      isToCompare: false,
    },
    failures: 0,
  };
}

const POKED = { kind: 'poked' } as const;
const TAKEN = { kind: 'taken', lease: LEASE, sinceMs: 0 } as const;
const looked = (sealed: number, submitted: number) => ({ kind: 'looked', seen: seen(sealed, submitted) }) as const;
const sealed = (globalCounter: number) => ({ kind: 'sealed', globalCounter, receipt: { globalCounter } }) as const;
const accepted = (globalCounter: number) => ({ kind: 'accepted', globalCounter, isWoken: false, sinceMs: 0 }) as const;
const failed = (pauseSeconds: number) => ({ kind: 'failed', pauseSeconds }) as const;
const missed = { kind: 'missed' } as const;
const postponed = { kind: 'postponed', seconds: 60 } as const;
const released = (isFree: boolean) => ({ kind: 'released', lease: LEASE, isFree }) as const;
const tick = { kind: 'tick', hasRoom: true } as const;

/** The mode after these events, and what the last of them wants done. */
function laneAfter(events: readonly LaneEvent<Receipt>[], { ms = 0, isStopping = false } = {}) {
  let result: { lane: Lane<Receipt>; commands: readonly { readonly kind: string }[] } = { lane: AWAY, commands: [] };
  events.forEach((event, index) => {
    const isLast = index === events.length - 1;
    const at = isLast ? ms : 0;
    const now = { ms: at, seconds: NOON + Math.floor(at / 1000), isStopping: isLast && isStopping };
    result = next(result.lane, event, now);
  });
  const { lane, commands } = result;
  return { lane, mode: lane.mode, commands: commands.map(({ kind }) => kind), last: commands.at(-1) };
}

const RESTING = [TAKEN, looked(0, 0)];

describe('away', () => {
  test.each([[sealed(1)], [POKED]])('ends with %o: the lane is wanted, once', (event) => {
    expect(laneAfter([event])).toMatchObject({ mode: 'wanted', commands: ['want'] });
    expect(laneAfter([event, sealed(2)])).toMatchObject({ mode: 'wanted', commands: [] });
  });

  test('while the lane pauses a sealed receipt is only told to who may hold it, until a poke or the authority ends that', () => {
    const paused = [TAKEN, looked(1, 0), failed(60)] as const;
    expect(laneAfter([...paused, sealed(2)])).toMatchObject({ mode: 'away', commands: ['mark'] });
    expect(laneAfter([...paused, POKED])).toMatchObject({ mode: 'wanted', commands: ['want'] });
    expect(laneAfter([...paused, POKED, { kind: 'missed' }, sealed(2)])).toMatchObject({ mode: 'wanted' });
    expect(laneAfter([...paused, { kind: 'resumed' }, sealed(2)])).toMatchObject({ mode: 'wanted' });
    expect(laneAfter([...paused, sealed(2)], { ms: 60_000 })).toMatchObject({ mode: 'wanted' });
    expect(laneAfter([TAKEN, looked(1, 0), failed(LONGEST_REST_SECONDS), sealed(2)]).commands).toEqual(['mark']);
  });

  test.each([[sealed(1)], [tick]])(
    'a stopping instance wants nothing after %o, and has nothing to give back',
    (event) => {
      expect(laneAfter([event], { isStopping: true })).toEqual({
        lane: AWAY,
        mode: 'away',
        commands: [],
        last: undefined,
      });
    },
  );
});

test('a tick means something to a lane when there is a lease to keep, to give back or to give up', () => {
  const keepMs = LEASE_MS - RENEW_EVERY_MS;
  const isDue = ({ lane }: { readonly lane: Lane<Receipt> }, ms: number, isStopping = false) =>
    isTickDue(lane, { ms, seconds: NOON + Math.floor(ms / 1000), isStopping });
  const [resting, working, leaving] = [
    laneAfter(RESTING),
    laneAfter([TAKEN]),
    laneAfter([...RESTING, tick], { ms: keepMs }),
  ];
  expect([leaving.mode, isDue(laneAfter([POKED]), LEASE_MS)]).toEqual(['leaving', false]);
  expect([isDue(resting, keepMs - 1), isDue(resting, keepMs), isDue(resting, 0, true)]).toEqual([false, true, true]);
  expect([isDue(working, RENEW_EVERY_MS - 1), isDue(working, RENEW_EVERY_MS)]).toEqual([false, true]);
  expect([isDue(leaving, LEASE_MS - 1), isDue(leaving, LEASE_MS)]).toEqual([false, true]);
});

test('wanted ends with a lease and a look, or without both; a poke meanwhile is not forgotten', () => {
  expect(laneAfter([sealed(1), TAKEN])).toMatchObject({ mode: 'working', commands: ['look'] });
  expect(laneAfter([sealed(1), missed])).toMatchObject({ mode: 'away', lane: AWAY });
  expect(laneAfter([sealed(1), POKED, sealed(2), missed])).toMatchObject({ mode: 'wanted', commands: ['want'] });
  expect(laneAfter([sealed(1), POKED, missed, missed])).toMatchObject({ mode: 'away', lane: AWAY });
});

describe('working', () => {
  test('goes from receipt to receipt without a look, with what was sealed here since', () => {
    const first = laneAfter([sealed(1), TAKEN, looked(1, 0)]);
    expect(first.last).toMatchObject({ kind: 'step', step: { globalCounter: 1 }, receipt: { globalCounter: 1 } });
    const second = laneAfter([sealed(1), TAKEN, looked(1, 0), sealed(2), accepted(1)]);
    expect(second.last).toMatchObject({ kind: 'step', step: { globalCounter: 2 }, receipt: { globalCounter: 2 } });
    const read = { kind: 'read', ahead: [{ globalCounter: 2 }, { globalCounter: 3 }] } as const;
    const third = laneAfter([TAKEN, looked(3, 0), read, accepted(1), accepted(2)]);
    expect(third.last).toMatchObject({ kind: 'step', step: { globalCounter: 3 }, receipt: { globalCounter: 3 } });
    expect(laneAfter([sealed(1), TAKEN, looked(1, 0), accepted(1)])).toMatchObject({ mode: 'resting', commands: [] });
  });

  test('keeps of what is sealed here only what follows, and not any number', () => {
    const numbers = (...events: readonly LaneEvent<Receipt>[]) =>
      laneAfter([TAKEN, ...events]).lane.ahead.map(({ globalCounter }) => globalCounter);
    expect(numbers(sealed(4), sealed(6), sealed(5), sealed(5))).toEqual([4, 5]);
    expect(numbers(sealed(4), { ...sealed(5), receipt: undefined }, sealed(6))).toEqual([4]);
    expect(numbers(...Array.from({ length: 20 }, (_, index) => sealed(index + 1)))).toHaveLength(16);
  });

  test('looks again after a poke, a mark that an acceptance found, doubts that it ended, and every other step', () => {
    const busy = [TAKEN, looked(2, 0)] as const;
    expect(laneAfter([...busy, POKED, accepted(1)]).commands).toEqual(['look']);
    expect(laneAfter([...busy, { ...accepted(1), isWoken: true }]).commands).toEqual(['look']);
    const unclear = seen(2, 0);
    const doubtful = { kind: 'looked', seen: { ...unclear, lane: { ...unclear.lane, unclear: ['x'] } } } as const;
    expect(laneAfter([TAKEN, doubtful, accepted(1)]).commands).toEqual(['look']);
    expect(laneAfter([...busy, { kind: 'stepped', step: { kind: 'ping' } }]).commands).toEqual(['look']);
  });

  test('takes every step but a submission on a fresh look', () => {
    expect(laneAfter([TAKEN, looked(1, 0), accepted(1)], { ms: 600_000 }).commands).toEqual(['look']);
    const fresh = laneAfter([TAKEN, looked(1, 0), accepted(1), POKED, looked(1, 1)], { ms: 600_000 });
    expect(fresh.last).toMatchObject({ kind: 'step', step: { kind: 'ping' } });
  });

  test('throws away what is ready after a submission that did not go through or is not among it, and after no other step', () => {
    const ready = [TAKEN, sealed(1), sealed(2), looked(2, 0)] as const;
    const submit = { kind: 'submit', globalCounter: 1 } as const;
    expect(laneAfter([...ready, { kind: 'stepped', step: submit }]).lane.ahead).toEqual([]);
    expect(laneAfter([TAKEN, sealed(4), sealed(5), looked(5, 0)]).lane.ahead).toEqual([]);
    expect(laneAfter([...ready, { kind: 'stepped', step: { kind: 'ping' } }]).lane.ahead).toHaveLength(1);
    const { lane, ...others } = seen(2, 0);
    const toCompare = { kind: 'looked', seen: { ...others, lane: { ...lane, isToCompare: true } } } as const;
    expect(laneAfter([TAKEN, sealed(1), sealed(2), toCompare]).lane.ahead).toHaveLength(2);
  });

  test('uses a look during which it was poked once, and never to rest', () => {
    expect(laneAfter([TAKEN, POKED, looked(0, 0)])).toMatchObject({ mode: 'working', commands: ['look'] });
    expect(laneAfter([TAKEN, POKED, looked(2, 0)]).commands).toEqual(['step']);
    expect(laneAfter([TAKEN, POKED, looked(2, 0), accepted(1)]).commands).toEqual(['look']);
  });

  test('a lease that was taken beside its own is given back, and begins no second step', () => {
    const other = { ...LEASE, fencingToken: 2n };
    expect(laneAfter([TAKEN, { ...TAKEN, lease: other }])).toMatchObject({
      mode: 'working',
      last: { kind: 'release', lease: other },
    });
  });

  test('a lease that is told twice, to a lane that was wanted twice, is kept', () => {
    expect(laneAfter([TAKEN, TAKEN])).toMatchObject({ mode: 'working', commands: [] });
  });

  test('the same step a fourth time without a receipt is going round', () => {
    const again = [looked(1, 0), { kind: 'stepped', step: { kind: 'submit', globalCounter: 1 } }] as const;
    expect(laneAfter([TAKEN, ...again, ...again, looked(1, 0)]).last).toMatchObject({ isGoingRound: false });
    expect(laneAfter([TAKEN, ...again, ...again, ...again, looked(1, 0)]).last).toMatchObject({ isGoingRound: true });
    const { lane, ...others } = seen(1, 1);
    const toRefresh = { ...others, lane: { ...lane, configurationCheckedAtSeconds: undefined } };
    const refresh = [
      { kind: 'looked', seen: toRefresh },
      { kind: 'stepped', step: { kind: 'refresh-configuration' } },
    ] as const;
    const toPing = { ...others, lane: { ...lane, pingedAtSeconds: undefined } };
    const ping = [
      { kind: 'looked', seen: toPing },
      { kind: 'stepped', step: { kind: 'ping' } },
    ] as const;
    const receipt = [looked(1, 0), { ...accepted(1), isWoken: true }] as const;
    const both = [...refresh, ...receipt];
    expect(laneAfter([TAKEN, ...both, ...both, ...both, refresh[0]]).last).toMatchObject({ isGoingRound: false });
    const inTurn = [...refresh, ...ping];
    expect(laneAfter([TAKEN, ...inTurn, ...inTurn, ...inTurn, refresh[0]]).last).toMatchObject({ isGoingRound: true });
  });

  test('its lease counts from when an acceptance was to be written down, not from when that was answered', () => {
    expect(laneAfter([TAKEN, looked(2, 0), { ...accepted(1), sinceMs: 100 }], { ms: 5000 }).lane).toMatchObject({
      renewedAtMs: 100,
    });
  });

  test('is renewed while it lasts, and leaves what is due to the next process when that stops', () => {
    expect(laneAfter([TAKEN, tick], { ms: 3000 }).commands).toEqual(['renew']);
    const renewed = (lease: Lease) => [TAKEN, { kind: 'renewed', lease, sinceMs: 2000 }, tick] as const;
    expect(laneAfter(renewed(LEASE), { ms: 3000 }).commands).toEqual([]);
    expect(laneAfter(renewed({ ...LEASE, fencingToken: 2n }), { ms: 3000 }).commands).toEqual(['renew']);
    const stopped = laneAfter([TAKEN, looked(2, 0), accepted(1)], { isStopping: true });
    expect(stopped).toMatchObject({ mode: 'resting', commands: [], lane: { dueAtSeconds: NOON } });
  });

  test.each([[failed(60)], [failed(0)]])('ends away with %o, and wanted if it was poked meanwhile', (event) => {
    const sold = [sealed(2), event] as const;
    expect(laneAfter([TAKEN, looked(1, 0), ...sold])).toMatchObject({ mode: 'away', commands: [] });
    expect(laneAfter([TAKEN, looked(1, 0), POKED, ...sold])).toMatchObject({ mode: 'wanted', commands: ['want'] });
  });

  test('care that failed waits, and receipts do not', () => {
    const later = laneAfter([TAKEN, looked(1, 0), postponed, looked(1, 0)]);
    expect(later.last).toMatchObject({ step: { kind: 'submit' }, situation: { careAfterSeconds: NOON + 60 } });
  });
});

describe('resting', () => {
  test('ends at once with a sealed receipt, with a look after a poke, and when something is due', () => {
    expect(laneAfter([...RESTING, sealed(1)])).toMatchObject({ mode: 'working', last: { step: { kind: 'submit' } } });
    expect(laneAfter([...RESTING, POKED])).toMatchObject({ mode: 'working', commands: ['look'] });
    const dueNow = [TAKEN, looked(0, 0), { kind: 'renewed', lease: LEASE, sinceMs: 599_000 }, tick] as const;
    expect(laneAfter(dueNow, { ms: 600_000 })).toMatchObject({ mode: 'working', commands: ['look'] });
    const crowded = [...dueNow.slice(0, -1), { kind: 'tick', hasRoom: false }] as const;
    expect(laneAfter(crowded, { ms: 600_000 })).toMatchObject({ mode: 'resting', commands: [] });
  });

  test('looks at what is due: what is known of it may be old', () => {
    const { lane, ...others } = seen(0, 0);
    const held = { head: head({ dayState: 'Closed' }), device: device({ holds: [hold('Operator', 'Stolen')] }) };
    const reopening = { ...others, ...held, lane: { ...lane, reopenAfterSeconds: NOON + 5 } };
    expect(laneAfter([TAKEN, { kind: 'looked', seen: reopening }, tick], { ms: 5000 }).commands).toEqual(['look']);
  });

  test.each([[sealed(1)], [POKED]])(
    'begins nothing with %o in an instance that stops: it is due at once in another',
    (event) => {
      const stopped = laneAfter([...RESTING, event], { isStopping: true });
      expect(stopped).toMatchObject({ mode: 'resting', commands: [], lane: { dueAtSeconds: NOON } });
    },
  );

  test('is given back after seven seconds, with a lease that may have ended too, and by an instance that stops', () => {
    expect(laneAfter([...RESTING, tick], { ms: 6900 }).mode).toBe('resting');
    const { dueAtSeconds } = laneAfter(RESTING).lane as { readonly dueAtSeconds?: number };
    expect(laneAfter([...RESTING, tick], { ms: 7000 })).toMatchObject({
      mode: 'leaving',
      last: { kind: 'release', dueAtSeconds },
    });
    expect(laneAfter([...RESTING, tick], { ms: LEASE_MS })).toMatchObject({ mode: 'leaving', commands: ['release'] });
    expect(laneAfter([...RESTING, tick], { isStopping: true })).toMatchObject({
      mode: 'leaving',
      commands: ['release'],
    });
  });

  test('begins nothing with a lease that has ended: it is taken anew', () => {
    const late = laneAfter([...RESTING, sealed(1)], { ms: LEASE_MS });
    expect(late).toMatchObject({ mode: 'leaving', commands: ['release'] });
    const free = next(
      late.lane,
      { kind: 'released', lease: LEASE, isFree: false },
      {
        ms: LEASE_MS,
        seconds: NOON,
        isStopping: false,
      },
    );
    expect(free).toMatchObject({ lane: { mode: 'wanted' }, commands: [{ kind: 'want' }] });
  });
});

describe('leaving', () => {
  const begun = () => next(laneAfter(RESTING).lane, tick, { ms: 7000, seconds: NOON, isStopping: false }).lane;
  const told = (...events: readonly LaneEvent<Receipt>[]) =>
    events.reduce(({ lane }, event) => next(lane, event, { ms: 7001, seconds: NOON, isStopping: false }), {
      lane: begun(),
      commands: [],
    } as ReturnType<typeof next<Receipt>>);

  test('ends away when the lane is free, and resting when it could not be given back', () => {
    // What is not worth remembering is forgotten: there are as many lanes as devices.
    expect(told(released(true)).lane).toBe(AWAY);
    expect(told(released(false)).lane.mode).toBe('resting');
  });

  test.each([[sealed(1)], [POKED]])('%o meanwhile makes it wanted, or begins at once', (event) => {
    expect(told(event, released(true))).toMatchObject({ lane: { mode: 'wanted' }, commands: [{ kind: 'want' }] });
    expect(told(event, released(false)).lane.mode).toBe('working');
  });

  test('ends with its lease where nothing answers, and with a new lease at once: then nothing that was ready is good', () => {
    const late = { ms: LEASE_MS, seconds: NOON, isStopping: false };
    expect(next(begun(), tick, late).lane).toEqual(AWAY);
    expect(next(told(POKED).lane, tick, late)).toMatchObject({
      lane: { mode: 'wanted' },
      commands: [{ kind: 'want' }],
    });
    const taken = { ...TAKEN, lease: { ...LEASE, fencingToken: 2n }, sinceMs: 7001 };
    expect(told(sealed(1), taken).lane).toMatchObject({ mode: 'working', ahead: [] });
  });

  test('what became of an earlier lease changes nothing', () => {
    expect(told({ ...released(true), lease: { ...LEASE, fencingToken: 2n } }).lane).toEqual(begun());
  });
});

test.each([
  [[TAKEN], missed],
  [[TAKEN], released(true)],
  [RESTING, released(true)],
  [RESTING, failed(60)],
] as const)('in %o, %o comes too late to change anything', (before, event) => {
  expect(laneAfter([...before, event])).toMatchObject({ lane: laneAfter(before).lane, commands: [] });
});

test('what the authority asked for outlasts everything else, but not a clock that was wrong', () => {
  const quiet = [
    TAKEN,
    looked(1, 0),
    { kind: 'quiet', seconds: 100 },
    failed(100),
    { kind: 'resumed' },
    POKED,
  ] as const;
  const { lane } = laneAfter([...quiet, TAKEN]);
  expect([0, 99, 100].map((seconds) => quietSeconds(lane, NOON + seconds))).toEqual([100, 1, 0]);
  expect(quietSeconds(lane, NOON - 3600)).toBe(0);
});

test('how many stand before a receipt is told while the lane is well and known', () => {
  const queued = (...events: readonly LaneEvent<Receipt>[]) => queuedBefore(laneAfter(events).lane, 5);
  expect(queued()).toBeUndefined();
  expect(queued(sealed(5))).toBe('being taken');
  expect(queued(TAKEN)).toBe('being taken');
  expect(queued(TAKEN, looked(5, 2))).toBe(2);
  const changes = [
    POKED,
    postponed,
    { kind: 'stepped', step: { kind: 'ping' } },
    { ...accepted(3), isWoken: true },
  ] as const;
  for (const change of changes) expect(queued(TAKEN, looked(5, 2), change)).toBeUndefined();
  const known = seen(5, 2);
  const ill: readonly Seen[] = [
    { ...known, lane: { ...known.lane, isStopped: true } },
    { ...known, lane: { ...known.lane, isRefused: true } },
    { ...known, device: device({ holds: [hold('RowsLost', 'gone')] }) },
  ];
  expect(ill.map((one) => queued(TAKEN, { kind: 'looked', seen: one }))).toEqual([undefined, undefined, undefined]);
});

test('a second before it is due a lane rests, and not in the second itself', () => {
  const { lane } = laneAfter(RESTING);
  const dueAtSeconds = 'dueAtSeconds' in lane ? lane.dueAtSeconds : 0;
  const at = (seconds: number) => next(lane, tick, { ms: 0, seconds, isStopping: false }).lane.mode;
  expect([at(dueAtSeconds - 1), at(dueAtSeconds)]).toEqual(['resting', 'working']);
});
