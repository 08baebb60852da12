import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { device, head, hold, instant } from '../../../test/support/devices.ts';
import { runs } from '../../../test/support/property-runs.ts';
import {
  CLOSE_DAY_LOST,
  type DayRecord,
  isPast,
  isUnclear,
  type LaneRecord,
  nextStep,
  type Situation,
} from './next-step.ts';

/** 12:00 in Harare; the window begins at 02:00 local, which is midnight in UTC. */
const NOON = instant('2026-11-15T12:00:00+02:00');
const WINDOW = instant('2026-11-16T02:00:00+02:00');
const HOUR = 3600;

const DAY: DayRecord = {
  isOpenConfirmed: true,
  closeAttempts: 0,
  closeSentAtSeconds: undefined,
  closeError: undefined,
};

function lane(changes: Partial<LaneRecord> = {}, at = NOON): LaneRecord {
  return {
    submittedThrough: 0,
    requested: undefined,
    reopenAfterSeconds: undefined,
    configurationCheckedAtSeconds: at,
    statusCheckedAtSeconds: at,
    pingedAtSeconds: at,
    pingMinutes: 5,
    certificateTriedAtSeconds: undefined,
    taxRemarkAtSeconds: undefined,
    isStopped: false,
    isRefused: false,
    unclear: [],
    isToCompare: false,
    ...changes,
  };
}

/** An open day with nothing to do, at noon. */
function situation(changes: Partial<Situation> = {}): Situation {
  return {
    device: device(),
    head: head(),
    day: DAY,
    lane: lane(),
    nowSeconds: NOON,
    careAfterSeconds: undefined,
    failures: 0,
    ...changes,
  };
}

const step = (changes: Partial<Situation>) => nextStep(situation(changes));

describe('an open day', () => {
  test('with nothing to do waits for the next ping, and for the configuration never longer than an hour', () => {
    const idle = step({});
    expect(idle.kind === 'idle' && idle.untilSeconds).toBeGreaterThan(NOON + 4 * 60);
    expect(idle.kind === 'idle' && idle.untilSeconds).toBeLessThanOrEqual(NOON + 5 * 60);
    const rare = lane({ pingMinutes: 1440, statusCheckedAtSeconds: NOON - HOUR });
    const blocked = { head: head({ dayState: 'Closed' }), device: device({ holds: [hold('Refused', 'DEV01')] }) };
    const checked = { ...blocked, lane: rare };
    const until = step(checked);
    expect(until.kind).toBe('idle');
    const earlier = step({ ...checked, lane: { ...rare, configurationCheckedAtSeconds: NOON - HOUR / 2 } });
    expect(earlier.kind === 'idle' && earlier.untilSeconds).toBeLessThanOrEqual(NOON + HOUR / 2);
    const nowSeconds = until.kind === 'idle' ? until.untilSeconds : 0;
    expect(step({ ...checked, nowSeconds: nowSeconds - 1 }).kind).toBe('idle');
    expect(nowSeconds).toBeLessThanOrEqual(NOON + HOUR);
    expect(step({ ...checked, nowSeconds })).toEqual({ kind: 'refresh-configuration' });
  });

  test('submits its receipts one after the other, in the order of their numbers', () => {
    const three = head({ globalCounter: 3 });
    expect(step({ head: three })).toEqual({ kind: 'submit', globalCounter: 1 });
    expect(step({ head: three, lane: lane({ submittedThrough: 2 }) })).toEqual({ kind: 'submit', globalCounter: 3 });
  });

  test('that the authority does not know yet is told to it before its first receipt', () => {
    const day = { ...DAY, isOpenConfirmed: false };
    expect(step({ day, head: head({ globalCounter: 3 }) })).toEqual({ kind: 'confirm-open' });
  });

  test('is closed when its window begins, also before what is still to be submitted', () => {
    const before = step({ nowSeconds: WINDOW - 1, lane: lane({}, WINDOW - 1) });
    expect(before).toEqual({ kind: 'idle', untilSeconds: WINDOW });
    expect(step({ nowSeconds: WINDOW, head: head({ globalCounter: 3 }) })).toMatchObject({ kind: 'start-closing' });
  });

  test('is closed half an hour before its maximum length', () => {
    const opened = head({ dayOpenedAtSeconds: NOON });
    const end = NOON + 10 * HOUR;
    const short = device({ dayMaximumHours: 10 });
    const at = (nowSeconds: number) => step({ device: short, head: opened, nowSeconds, lane: lane({}, nowSeconds) });
    expect(at(end - 1801)).toEqual({ kind: 'idle', untilSeconds: end - 1800 });
    expect(at(end - 1800)).toMatchObject({ kind: 'start-closing', reason: 'the day is near its maximum length' });
  });

  test('is closed when an operator asks for it', () => {
    expect(step({ lane: lane({ requested: 'close' }) })).toMatchObject({ kind: 'start-closing' });
  });

  test('is looked at from time to time, since a person may have closed it at the authority', () => {
    for (const dayState of ['Opened', 'CloseFailed'] as const) {
      const looked = step({ head: head({ dayState }), lane: lane({ statusCheckedAtSeconds: NOON - 900 }) });
      expect(looked).toEqual({ kind: 'check-status' });
    }
  });
});

describe('a day that closes', () => {
  const closing = head({ dayState: 'Closing', globalCounter: 2 });

  test('sends every receipt before it is closed', () => {
    expect(step({ head: closing, lane: lane({ submittedThrough: 1 }) })).toEqual({ kind: 'submit', globalCounter: 2 });
    expect(step({ head: closing, lane: lane({ submittedThrough: 2 }) })).toEqual({ kind: 'close' });
    expect(step({ head: closing, nowSeconds: WINDOW })).toEqual({ kind: 'submit', globalCounter: 1 });
  });

  test('whose CloseDay may have arrived is looked at before it is sent again', () => {
    const day = { ...DAY, closeSentAtSeconds: NOON - 5 };
    expect(step({ head: closing, day, lane: lane({ submittedThrough: 2 }) })).toEqual({ kind: 'poll-close' });
  });

  test('is asked for every three seconds once the authority works on it', () => {
    const initiated = head({ dayState: 'CloseInitiated' });
    expect(step({ head: initiated })).toEqual({ kind: 'idle', untilSeconds: NOON + 3 });
    expect(step({ head: initiated, lane: lane({ statusCheckedAtSeconds: NOON - 3 }) })).toEqual({ kind: 'poll-close' });
  });

  test.each(['MissingReceipts', 'CountersMismatch', 'InternalError'])(
    '%s is tried again after five minutes',
    (closeError) => {
      const failed = head({ dayState: 'CloseFailed' });
      const day = (closeAttempts: number, closeSentAtSeconds: number): DayRecord => ({
        ...DAY,
        closeError,
        closeAttempts,
        closeSentAtSeconds,
      });
      expect(step({ head: failed, day: day(1, NOON - 299) })).toEqual({ kind: 'idle', untilSeconds: NOON + 1 });
      expect(step({ head: failed, day: day(1, NOON - 300) })).toMatchObject({ kind: 'start-closing' });
      expect(step({ head: failed, day: day(3, NOON - 900) }).kind).toBe('idle');
    },
  );

  test.each(['ReceiptsWithValidationErrors', 'BadCertificateSignature'])('%s is left to a person', (closeError) => {
    const failed = head({ dayState: 'CloseFailed' });
    const day = { ...DAY, closeError, closeAttempts: 1, closeSentAtSeconds: NOON - HOUR };
    expect(step({ head: failed, day }).kind).toBe('idle');
    expect(step({ head: failed, day, nowSeconds: WINDOW, lane: lane({}, WINDOW) }).kind).toBe('idle');
    expect(step({ head: failed, day, lane: lane({ requested: 'close' }) })).toMatchObject({ kind: 'start-closing' });
  });
});

describe('a closed day', () => {
  const closed = head({ dayState: 'Closed' });

  test('is followed by the next one at the end of the window', () => {
    const at = (nowSeconds: number) => step({ head: closed, nowSeconds, lane: lane({}, nowSeconds) }).kind;
    expect(at(WINDOW + 2 * HOUR - 1)).toBe('idle');
    expect(at(WINDOW + 2 * HOUR)).toBe('start-opening');
  });

  test('that was closed by hand stays closed until then, unless an operator opens the next', () => {
    const reopenAfterSeconds = NOON + HOUR;
    expect(step({ head: closed, lane: lane({ reopenAfterSeconds }) }).kind).toBe('idle');
    expect(step({ head: closed, lane: lane({ reopenAfterSeconds, requested: 'open' }) }).kind).toBe('start-opening');
  });

  test('of a blocked device is followed by none', () => {
    expect(step({ head: closed, device: device({ holds: [hold('Refused', 'DEV01')] }) }).kind).toBe('idle');
  });

  test('whose opening is written down is opened, whatever the time', () => {
    expect(step({ head: head({ dayState: 'Opening' }), nowSeconds: WINDOW })).toEqual({ kind: 'open' });
  });
});

describe('whatever the day', () => {
  const expiring = device({ certificateValidTill: new Date((NOON + 20 * 86_400) * 1000) });

  test('the certificate is renewed from thirty days before it expires, tried once an hour', () => {
    expect(step({ device: expiring, head: head({ globalCounter: 2 }) })).toEqual({ kind: 'renew-certificate' });
    expect(step({ device: expiring, lane: lane({ certificateTriedAtSeconds: NOON - 60 }) }).kind).toBe('idle');
    const late = device({ certificateValidTill: new Date((NOON + 31 * 86_400) * 1000) });
    expect(step({ device: late }).kind).toBe('idle');
    const over = device({ certificateValidTill: new Date((NOON - 1) * 1000) });
    expect(step({ device: over }).kind).toBe('idle');
  });

  test('a thousand devices that pinged together are spread over a minute the next time, and none is late', () => {
    const dueAt = Array.from({ length: 1000 }, (_, index) => {
      const idle = step({ device: device({ deviceId: 20_000 + index }) });
      return idle.kind === 'idle' ? idle.untilSeconds - NOON : 0;
    });
    expect(Math.max(...dueAt)).toBeLessThanOrEqual(300);
    const inOneSecond = Map.groupBy(dueAt, (seconds) => seconds).values();
    expect(Math.max(...[...inOneSecond].map(({ length }) => length))).toBeLessThan(30);
  });

  test('the time to the next ping counts from the last', () => {
    const idle = step({ lane: lane({ pingedAtSeconds: NOON - 120 }) });
    expect(idle).toMatchObject({ kind: 'idle', untilSeconds: expect.any(Number) });
    expect(idle.kind === 'idle' ? idle.untilSeconds - NOON : 0).toBeLessThanOrEqual(180);
  });

  test('a time far ahead, written by a clock that was wrong, is not waited for; a little ahead it is as good as now', () => {
    const ahead = NOON + 3 * 3600;
    expect(step({ lane: lane({ statusCheckedAtSeconds: ahead }) }).kind).toBe('check-status');
    expect(step({ lane: lane({ pingedAtSeconds: ahead }) }).kind).toBe('ping');
    expect(step({ lane: lane({ configurationCheckedAtSeconds: ahead }) }).kind).toBe('refresh-configuration');
    const closing = head({ dayState: 'CloseInitiated' });
    expect(step({ head: closing, lane: lane({ statusCheckedAtSeconds: ahead }) }).kind).toBe('poll-close');
    expect(step({ head: closing, lane: lane({ statusCheckedAtSeconds: NOON + 2 }) }).kind).toBe('idle');
  });

  test('a stopped lane submits and closes nothing, but its certificate, its configuration and its day are looked after', () => {
    const stopped = (changes: Partial<LaneRecord> = {}) => lane({ isStopped: true, ...changes });
    expect(step({ head: head({ globalCounter: 2 }), lane: stopped() }).kind).toBe('idle');
    expect(step({ lane: stopped(), nowSeconds: WINDOW }).kind).not.toBe('start-closing');
    expect(step({ device: expiring, lane: stopped() }).kind).toBe('renew-certificate');
    expect(step({ lane: stopped({ statusCheckedAtSeconds: undefined }) }).kind).toBe('check-status');
    const closing = head({ dayState: 'Closing', globalCounter: 2 });
    expect(step({ head: closing, lane: stopped({ statusCheckedAtSeconds: undefined }) }).kind).toBe('check-status');
  });

  test('a device the authority refused asks first of all whether it is free again', () => {
    const refused = lane({ isRefused: true });
    expect(step({ head: head({ globalCounter: 2 }), lane: refused })).toEqual({ kind: 'refresh-configuration' });
  });

  test('a device that was given up is left alone', () => {
    const givenUp = { device: device({ holds: [hold('GivenUp', '')] }), lane: lane({ isRefused: true }) };
    expect(step(givenUp)).toEqual({ kind: 'idle', untilSeconds: NOON + HOUR });
  });

  test('a tax in doubt is asked for before anything else, and where that was not answered receipts go on', () => {
    const taxDoubt = { percents: ['15.5'], answer: undefined, sinceSeconds: NOON, isRemarked: true };
    const doubted = { device: device({ taxDoubt }), head: head({ globalCounter: 2 }) };
    expect(step(doubted)).toEqual({ kind: 'refresh-configuration' });
    expect(step({ ...doubted, careAfterSeconds: NOON + 60 })).toEqual({ kind: 'submit', globalCounter: 1 });
    expect(step({ ...doubted, lane: lane({ isStopped: true }) })).toEqual({ kind: 'refresh-configuration' });
  });

  test('a device that may be behind the authority does nothing but ask, whatever else is due', () => {
    for (const kind of ['Restored', 'AuthorityAhead', 'RowsLost'] as const) {
      const holds = [hold('Operator', 'Stolen'), hold(kind, 'old')];
      const held = device({ holds });
      expect(step({ device: held })).toEqual({ kind: 'check-status' });
      expect(step({ head: head({ globalCounter: 2 }), device: held })).toEqual({ kind: 'check-status' });
      expect(step({ head: head({ dayState: 'Closed' }), device: held })).toEqual({ kind: 'check-status' });
      expect(step({ device: { ...expiring, holds }, nowSeconds: WINDOW })).toEqual({ kind: 'check-status' });
    }
  });

  test('a device that is to be compared asks before it sends anything more, but goes on where it is not answered', () => {
    const sells = { head: head({ globalCounter: 2 }), lane: lane({ isToCompare: true }) };
    expect(step(sells)).toEqual({ kind: 'check-status' });
    expect(step({ ...sells, careAfterSeconds: NOON + 60 }).kind).toBe('submit');
  });
});

describe('care that failed', () => {
  const overdue = lane({ pingedAtSeconds: NOON - HOUR });
  const careAfterSeconds = NOON + 60;

  test('is tried again when its time has come, not before', () => {
    expect(step({ lane: overdue, careAfterSeconds })).toEqual({ kind: 'idle', untilSeconds: careAfterSeconds });
    expect(step({ lane: overdue, careAfterSeconds, nowSeconds: careAfterSeconds })).toEqual({ kind: 'ping' });
  });

  test('holds up no receipt', () => {
    const one = head({ globalCounter: 1 });
    expect(step({ head: one, lane: overdue, careAfterSeconds })).toEqual({ kind: 'submit', globalCounter: 1 });
  });
});

describe('to the second', () => {
  test('a certificate is renewed within its last thirty days, and not once it has expired', () => {
    const till = NOON + 30 * 86_400;
    const dying = device({ certificateValidTill: new Date(till * 1000) });
    const at = (nowSeconds: number, certificateTriedAtSeconds?: number) =>
      step({ device: dying, nowSeconds, lane: lane({ certificateTriedAtSeconds }, nowSeconds) }).kind;
    expect([at(NOON), at(NOON + 1), at(till - 1), at(till)].map((kind) => kind === 'renew-certificate')).toEqual([
      false,
      true,
      true,
      false,
    ]);
    expect([at(NOON + HOUR, NOON + 1), at(NOON + HOUR + 1, NOON + 1)]).toEqual(['idle', 'renew-certificate']);
  });

  test('a closing that was lost is tried again after half an hour, however often', () => {
    const failed = head({ dayState: 'CloseFailed' });
    const lost = (ago: number) => ({
      ...DAY,
      closeError: CLOSE_DAY_LOST,
      closeAttempts: 9,
      closeSentAtSeconds: NOON - ago,
    });
    expect(step({ head: failed, day: lost(1799) })).toEqual({ kind: 'idle', untilSeconds: NOON + 1 });
    expect(step({ head: failed, day: lost(1800) })).toMatchObject({ reason: `trying again after ${CLOSE_DAY_LOST}` });
  });

  test('a closing without an error, or of a day without a record, is not tried again on its own', () => {
    const failed = head({ dayState: 'CloseFailed' });
    expect(step({ head: failed, day: undefined }).kind).toBe('idle');
    expect(step({ head: failed, day: { ...DAY, closeSentAtSeconds: NOON - HOUR } }).kind).toBe('idle');
    expect(step({ head: head({ dayState: 'Closing' }), day: undefined }).kind).toBe('close');
  });

  test('the next day opens when the time that was asked for has come', () => {
    const closed = head({ dayState: 'Closed' });
    expect(step({ head: closed, lane: lane({ reopenAfterSeconds: NOON + 1 }) })).toEqual({
      kind: 'idle',
      untilSeconds: NOON + 1,
    });
    expect(step({ head: closed, lane: lane({ reopenAfterSeconds: NOON }) }).kind).toBe('start-opening');
    expect(step({ head: closed, nowSeconds: WINDOW, lane: lane({ requested: 'open' }, WINDOW) }).kind).toBe(
      'start-opening',
    );
  });

  test('a time is past when it has gone by, when there is none, or when it is more than a minute ahead', () => {
    expect([isPast(NOON, 10, NOON + 9), isPast(NOON, 10, NOON + 10), isPast(undefined, 10, NOON)]).toEqual([
      false,
      true,
      true,
    ]);
    expect([isPast(NOON + 60, 10, NOON), isPast(NOON + 61, 10, NOON)]).toEqual([false, true]);
  });

  test('what is unclear is known by the name of the answer, and asked for again', () => {
    const unclear = { lane: lane({ unclear: ['GetStatus'] }) };
    expect([isUnclear(unclear, 'GetStatus'), isUnclear(unclear, 'GetConfig')]).toEqual([true, false]);
    expect(step(unclear).kind).toBe('idle');
    expect(step({ lane: lane({ unclear: ['Answers'] }) })).toEqual({ kind: 'settle-answers' });
  });
});

test('a lane that waits has nothing to do until then, and something to do or to wait for from then on', () => {
  const ago = fc.option(
    fc.nat(5000).map((seconds) => NOON - seconds),
    { nil: undefined },
  );
  const records = fc.record({
    dayState: fc.constantFrom('Opened' as const, 'Closed' as const, 'CloseFailed' as const, 'CloseInitiated' as const),
    openedHoursAgo: fc.option(fc.nat(30), { nil: undefined }),
    lane: fc.record({
      configurationCheckedAtSeconds: fc.nat(23_000).map((seconds) => NOON - seconds),
      statusCheckedAtSeconds: ago,
      pingedAtSeconds: ago,
      pingMinutes: fc.integer({ min: 1, max: 120 }),
      reopenAfterSeconds: fc.option(
        fc.nat(5000).map((seconds) => NOON + seconds),
        { nil: undefined },
      ),
    }),
    careAfterSeconds: fc.option(
      fc.nat(5000).map((seconds) => NOON + seconds),
      { nil: undefined },
    ),
    closeError: fc.constantFrom(undefined, 'InternalError', 'BadCertificateSignature', CLOSE_DAY_LOST),
    closeSentAtSeconds: ago,
    isHeld: fc.boolean(),
    minutes: fc.nat(1439),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  fc.assert(
    fc.property(records, ({ dayState, openedHoursAgo, share, isHeld, minutes, ...rest }) => {
      const given = situation({
        device: device({ maintenanceStartMinute: minutes, ...(isHeld && { holds: [hold('Operator', 'Stolen')] }) }),
        head: head({
          dayState,
          dayOpenedAtSeconds: openedHoursAgo === undefined ? undefined : NOON - openedHoursAgo * HOUR,
        }),
        day: { ...DAY, closeError: rest.closeError, closeSentAtSeconds: rest.closeSentAtSeconds },
        lane: lane(rest.lane),
        careAfterSeconds: rest.careAfterSeconds,
      });
      const idle = nextStep(given);
      if (idle.kind !== 'idle') return;
      const { untilSeconds } = idle;
      expect(untilSeconds).toBeGreaterThan(NOON);
      expect(untilSeconds).toBeLessThanOrEqual(NOON + HOUR);
      const between = NOON + Math.floor((untilSeconds - 1 - NOON) * share);
      expect(nextStep({ ...given, nowSeconds: between }).kind).toBe('idle');
      expect(nextStep({ ...given, nowSeconds: untilSeconds - 1 }).kind).toBe('idle');
      const then = nextStep({ ...given, nowSeconds: untilSeconds });
      expect(then.kind === 'idle' ? then.untilSeconds : Number.POSITIVE_INFINITY).toBeGreaterThan(untilSeconds);
    }),
    runs(2000),
  );
});
