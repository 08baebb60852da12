import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { device, wall } from '../../../test/support/devices.ts';
import { formatWall } from '../../kernel/zone.ts';
import { checkFuture, decideDate } from './signing-date.ts';

const NOW = wall('2026-11-15T12:00:00');
const advance = device();
const strict = device({ datePolicy: 'strict' });

/** Dates as seconds from now. */
function decide(on: typeof advance, requested: number, head: number | undefined, opened?: number, isLate = false) {
  const from = (seconds: number | undefined) => (seconds === undefined ? undefined : NOW + seconds);
  const bounds = { headWall: from(head), openedWall: from(opened), nowWall: NOW, isLate };
  const decision = decideDate(on, NOW + requested, bounds);
  if (decision.kind === 'sign') return decision.wallSeconds - NOW;
  return decision.kind === 'busy' ? decision.refusal : decision.violation;
}

describe('a date later than the last one', () => {
  test.each([
    ['the first of a device', -50_000_000, undefined],
    ['one second later', 1, 0],
    ['long before now', -86_400, -86_401],
    ['exactly at the limit of the future', 120, 100],
  ])('is signed as it is: %s', (_name, requested, head) => {
    expect(decide(advance, requested, head)).toBe(requested);
    expect(decide(strict, requested, head)).toBe(requested);
  });
});

describe('a late receipt', () => {
  test.each([
    ['later than head and opening, it keeps its date', -100, -200, -300, -100],
    ['an hour behind the head, it follows the head', -3600, 0, -7200, 1],
    ['as old as the head', 0, 0, -7200, 1],
    ['a year old', -31_536_000, -5, -7200, -4],
    ['from before the opening, after the last receipt of the day before', -40_000, -50_000, -7200, -7199],
    ['in the very second of the opening', -7200, -50_000, -7200, -7199],
    ['from before the opening and the head', -40_000, -10, -7200, -9],
    ['the first of a device', -40_000, undefined, -7200, -7199],
    ['head ahead of the clock by a burst', -3600, 149, -7200, 150],
  ])('is signed with the next possible date, whatever the policy: %s', (_name, requested, head, opened, signed) => {
    expect(decide(advance, requested, head, opened, true)).toBe(signed);
    expect(decide(strict, requested, head, opened, true)).toBe(signed);
  });

  test.each([
    ['a year ahead', 31_536_000, -60, -7200, 0],
    ['a second beyond the limit', 121, -60, -7200, 0],
    ['at the limit, it keeps its date', 120, -60, -7200, 120],
    ['after a burst', 7200, 100, -7200, 101],
    ['at the second of the last receipt', 7200, 0, -7200, 1],
    ['the first of a device', 7200, undefined, -7200, 0],
    ['in the second of the opening', 7200, -50_000, 0, 0],
  ])(
    'beyond the limit of the future is signed as the later of now and the next date: %s',
    (_name, requested, head, opened, signed) => {
      expect(decide(advance, requested, head, opened, true)).toBe(signed);
      expect(decide(strict, requested, head, opened, true)).toBe(signed);
    },
  );

  test('is put off by a device that is ahead by half of what it may be: its other tills can sell', () => {
    expect(decide(strict, -3600, 150, -7200, true)).toMatchObject({ code: 'DeviceBusy', retryAfterSeconds: 1 });
    expect(decide(advance, 7200, 300, -7200, true)).toMatchObject({ code: 'DeviceBusy', retryAfterSeconds: 151 });
    expect(decide(advance, 0, 299, -7200)).toBe(300);
  });
});

describe('a date after the last receipt, but not after the opening of the day', () => {
  test.each([
    ['a sale that met a closed day for half a minute', -20, -40, -10, -9],
    ['in the very second of the opening', -10, -40, -10, -9],
    ['one that met it for a night', -36_000, -40_000, -10, -9],
    ['the first of a device', -36_000, undefined, -10, -9],
    ['in the second of the last receipt, of the day before', -40, -40, -10, -9],
    ['within the limit before the last receipt, of the day before', -339, -40, -10, -9],
  ])(
    'is signed one second after the opening under the policy advance: %s',
    (_name, requested, head, opened, signed) => {
      expect(decide(advance, requested, head, opened)).toBe(signed);
    },
  );

  test('counts from the last receipt, not from the opening, when it has to move too far', () => {
    expect(decide(advance, -36_000, -9, -10)).toMatchObject({ Code: 'RCPT030' });
    expect(decide(advance, -36_000, -35_701, -10)).toBe(-9);
    expect(decide(advance, -36_000, -35_700, -10)).toMatchObject({ Code: 'RCPT030' });
  });

  test('is signed as it is under the policy strict', () => {
    expect(decide(strict, -20, -40, -10)).toBe(-20);
    expect(decide(strict, -36_000, undefined, -10)).toBe(-36_000);
    expect(decide(strict, -40, -40, -10)).toMatchObject({ Code: 'RCPT030' });
  });
});

test('whatever was asked for, a signed date comes after the last one, and no date under strict moves without the header', () => {
  const seconds = fc.integer({ min: -100_000, max: 100_000 });
  fc.assert(
    fc.property(
      seconds,
      fc.option(seconds, { nil: undefined }),
      fc.integer({ min: -90_000, max: 0 }),
      fc.boolean(),
      fc.boolean(),
      (requested, head, opened, isStrict, isLate) => {
        const signed = decide(isStrict ? strict : advance, requested, head, opened, isLate);
        if (typeof signed !== 'number') return;
        expect(signed).toBeGreaterThan(head ?? Number.NEGATIVE_INFINITY);
        if (signed !== requested) {
          expect(isStrict && !isLate).toBe(false);
          // Either the first second it may have, or now, for a date beyond the future's limit.
          expect([Math.max(head ?? opened, opened) + 1, 0]).toContain(signed);
        }
        if (!isStrict || isLate) expect(signed).toBeGreaterThanOrEqual(opened);
        if (signed > 120) expect(signed).toBe((head ?? opened) + 1);
      },
    ),
  );
});

describe('under the policy advance a date that is not later', () => {
  test.each([
    ['the same second', 0, 0, 1],
    ['one second earlier', -1, 0, 1],
    ['at the limit: moved by exactly 300 s', -299, 0, 1],
    ['at the limit, both in the past', -1299, -1000, -999],
    ['head ahead of the clock by a burst', 0, 299, 300],
  ])('is signed one second after the last: %s', (_name, requested, head, signed) => {
    expect(decide(advance, requested, head)).toBe(signed);
  });

  test('is refused when it would move by more than the limit, with the date, the zone and the advice of an offset', () => {
    const refused = decide(advance, -301, 0);
    expect(refused).toMatchObject({ Field: 'Date', Code: 'RCPT030' });
    const message = refused instanceof Object && 'Message' in refused ? refused.Message : '';
    expect(message).toContain('more than 300 s');
    expect(message).toContain('2026-11-15T12:00:00 (Africa/Harare)');
    expect(message).toContain('offset');
  });

  test('a till that sends UTC as local time is told so, not moved by two hours', () => {
    expect(decide(advance, -7200, -1)).toMatchObject({ Code: 'RCPT030' });
  });

  test("the device's own limit counts", () => {
    const tolerant = device({ advanceLimitSeconds: 10_000 });
    expect(decide(tolerant, -9999, 0)).toBe(1);
    expect(decide(tolerant, -10_001, 0)).toMatchObject({ Code: 'RCPT030' });
    expect(decide(device({ advanceLimitSeconds: 0 }), -5, -5)).toMatchObject({ Code: 'RCPT030' });
  });
});

describe('under the policy strict a date that is not later', () => {
  test.each([
    [0, 0],
    [-1, 0],
    [100, 100],
  ])('is refused and never moved (%i s from now after %i s)', (requested, head) => {
    const refused = decide(strict, requested, head);
    expect(refused).toMatchObject({ Field: 'Date', Code: 'RCPT030' });
    expect(JSON.stringify(refused)).toContain(formatWall(NOW + head));
  });
});

describe('a device whose head ran ahead of the clock', () => {
  test('is busy once the next date would be more than 300 s ahead, and says when to come back', () => {
    expect(decide(advance, 0, 299)).toBe(300);
    expect(decide(advance, 0, 301)).toMatchObject({
      code: 'DeviceBusy',
      retryAfterSeconds: 2,
      detail: expect.stringContaining('run 301 s ahead'),
    });
    expect(decide(advance, 100, 1000)).toMatchObject({ code: 'DeviceBusy', retryAfterSeconds: 701 });
  });

  test('puts off a sale that waited a moment, and is never the reason to set one aside: as a late one it passes', () => {
    expect(decide(advance, -1, 300)).toMatchObject({ code: 'DeviceBusy', retryAfterSeconds: 1 });
    expect(decide(advance, -2, 299)).toMatchObject({ code: 'DeviceBusy', retryAfterSeconds: 150 });
    expect(decide(advance, -300, 0)).toMatchObject({ code: 'DeviceBusy', retryAfterSeconds: 1 });
    expect(decide(advance, -300, 0, undefined, true)).toBe(1);
    expect(decide(advance, -152, 149, undefined, true)).toBe(150);
  });

  test('takes the receipt when it comes back after that time', () => {
    const busy = decide(advance, 0, 450);
    const wait = busy instanceof Object && 'retryAfterSeconds' in busy ? (busy.retryAfterSeconds ?? 0) : 0;
    expect(decide(advance, 0, 450 - wait)).toBe(300);
    expect(decide(advance, 0, 450 - wait + 1)).toMatchObject({ code: 'DeviceBusy' });
  });
});

describe('a date in the future', () => {
  test('is taken up to and including 120 s and refused beyond under every policy', () => {
    for (const policy of [advance, strict]) {
      expect(decide(policy, 120, undefined)).toBe(120);
      expect(decide(policy, 121, undefined)).toMatchObject({ Field: 'Date', Code: 'RCPT031' });
      expect(decide(policy, 121, 1000)).toMatchObject({ Code: 'RCPT031' });
    }
  });

  test('is measured by the setting of the device, and the message gives the time there', () => {
    expect(checkFuture(device({ futureLimitSeconds: 0 }), NOW, { nowWall: NOW, isLate: false })).toBeUndefined();
    const refused = checkFuture(device({ futureLimitSeconds: 0 }), NOW + 1, { nowWall: NOW, isLate: false });
    expect(refused?.Message).toContain('more than 0 s');
    expect(refused?.Message).toContain('2026-11-15T12:00:00');
    expect(refused?.Message).toContain('Africa/Harare');
  });
});
