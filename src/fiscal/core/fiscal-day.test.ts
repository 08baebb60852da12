import { describe, expect, test } from 'vitest';
import { device, head, hold, instant } from '../../../test/support/devices.ts';
import { type DayOutlook, maintenanceWindow, nextOpening, refuseOutsideDay, refuseUnopened } from './fiscal-day.ts';
import type { DayState } from './head.ts';

const NOON = instant('2026-11-15T12:00:00+02:00');

describe('the daily maintenance window', () => {
  /** A day that has been open for an hour, whatever the time. */
  const at = (local: string, startMinute: number, zone = 'Africa/Harare') => {
    const now = instant(local);
    const open = head({ dayOpenedAtSeconds: now - 3600 });
    return refuseOutsideDay(device({ maintenanceStartMinute: startMinute, zone }), open, now);
  };

  test.each([
    ['02:00', 120, '2026-11-15T01:59:59+02:00', undefined],
    ['02:00', 120, '2026-11-15T02:00:00+02:00', 7200],
    ['02:00', 120, '2026-11-15T03:59:59+02:00', 1],
    ['02:00', 120, '2026-11-15T04:00:00+02:00', undefined],
    ['23:00, across midnight', 1380, '2026-11-15T22:59:59+02:00', undefined],
    ['23:00, across midnight', 1380, '2026-11-15T23:00:00+02:00', 7200],
    ['23:00, across midnight', 1380, '2026-11-15T23:59:59+02:00', 3601],
    ['23:00, across midnight', 1380, '2026-11-16T00:00:00+02:00', 3600],
    ['23:00, across midnight', 1380, '2026-11-16T00:59:59+02:00', 1],
    ['23:00, across midnight', 1380, '2026-11-16T01:00:00+02:00', undefined],
    ['00:00', 0, '2026-11-15T23:59:59+02:00', undefined],
    ['00:00', 0, '2026-11-16T00:00:00+02:00', 7200],
    ['23:59', 1439, '2026-11-16T01:58:59+02:00', 1],
  ])('from %s (minute %i) is seen at %s with %s s to wait', (_name, startMinute, local, retryAfterSeconds) => {
    const refusal = at(local, startMinute);
    expect(refusal?.retryAfterSeconds).toBe(retryAfterSeconds);
    expect(refusal?.code).toBe(retryAfterSeconds === undefined ? undefined : 'MaintenanceWindow');
  });

  test("is by the device's own clock, not by UTC", () => {
    expect(at('2026-11-15T02:30:00Z', 120)).toBeUndefined();
    expect(at('2026-11-15T02:30:00Z', 120, 'UTC')?.code).toBe('MaintenanceWindow');
    expect(at('2026-11-15T07:30:00Z', 120, 'America/New_York')?.code).toBe('MaintenanceWindow');
  });

  test('says when it ends, in local time and as an instant', () => {
    const refusal = at('2026-11-15T23:10:00+02:00', 1380);
    expect(refusal?.detail).toContain('2026-11-16T01:00:00 (Africa/Harare)');
    expect(refusal?.opensAt).toBe('2026-11-16T01:00:00+02:00');
  });

  test('comes before the state of the day, because a day is closed by it', () => {
    const closed = head({ dayState: 'Closed' });
    expect(refuseOutsideDay(device(), closed, instant('2026-11-15T03:00:00+02:00'))?.code).toBe('MaintenanceWindow');
  });

  test.each([
    ['2026-11-15T01:00:00+02:00', 120, '2026-11-15T02:00:00+02:00'],
    ['2026-11-15T02:00:00+02:00', 120, '2026-11-15T02:00:00+02:00'],
    ['2026-11-15T03:59:59+02:00', 120, '2026-11-15T02:00:00+02:00'],
    ['2026-11-15T04:00:00+02:00', 120, '2026-11-16T02:00:00+02:00'],
    ['2026-11-16T00:30:00+02:00', 1380, '2026-11-15T23:00:00+02:00'],
    ['2026-11-16T01:00:00+02:00', 1380, '2026-11-16T23:00:00+02:00'],
  ])('that is on at %s, or comes next (minute %i), starts at %s and lasts two hours', (now, startMinute, start) => {
    const window = maintenanceWindow(device({ maintenanceStartMinute: startMinute }), instant(now));
    expect(window).toEqual({ startSeconds: instant(start), endSeconds: instant(start) + 7200 });
  });
});

describe('a receipt is sealed only in an open day', () => {
  test.each<[DayState, string | undefined]>([
    ['Closed', 'FiscalDayNotOpen'],
    ['Opening', 'FiscalDayNotOpen'],
    ['Opened', undefined],
    ['Closing', 'FiscalDayNotOpen'],
    ['CloseInitiated', 'FiscalDayNotOpen'],
    ['CloseFailed', undefined],
  ])('%s: %s', (dayState, code) => {
    const refusal = refuseOutsideDay(device(), head({ dayState }), NOON);
    expect(refusal?.code).toBe(code);
    if (refusal) {
      expect(refusal.detail).toContain(dayState);
      expect(refusal.retryAfterSeconds).toBeGreaterThan(0);
    }
  });
});

describe('a fiscal day has a maximum length', () => {
  test.each([
    [24, 24 * 3600, undefined],
    [24, 24 * 3600 + 1, 'FiscalDayTooLong'],
    [12, 12 * 3600, undefined],
    [12, 12 * 3600 + 1, 'FiscalDayTooLong'],
  ])('of %i hours: open for %i s: %s', (dayMaximumHours, openSeconds, code) => {
    const refusal = refuseOutsideDay(
      device({ dayMaximumHours }),
      head({ dayOpenedAtSeconds: NOON - openSeconds }),
      NOON,
    );
    expect(refusal?.code).toBe(code);
    if (refusal) expect(refusal.detail).toContain(`more than ${dayMaximumHours} hours`);
  });

  test('and one that nobody knows the beginning of is too long', () => {
    expect(refuseOutsideDay(device(), head({ dayOpenedAtSeconds: undefined }), NOON)?.code).toBe('FiscalDayTooLong');
  });

  test('also after a close that failed', () => {
    const old = head({ dayState: 'CloseFailed', dayOpenedAtSeconds: NOON - 90_000 });
    expect(refuseOutsideDay(device(), old, NOON)).toMatchObject({ code: 'FiscalDayTooLong' });
  });
});

describe('a day that is not open', () => {
  const outlook = (changes: Partial<DayOutlook> = {}): DayOutlook => ({
    dayState: 'Closed',
    requested: undefined,
    reopenAfterSeconds: undefined,
    isHeldUp: false,
    ...changes,
  });
  const tomorrow = instant('2026-11-16T04:00:00+02:00');
  const at = (atSeconds: number) => ({ kind: 'at', atSeconds });

  test.each<[string, Partial<DayOutlook>, object | undefined]>([
    ['closed by hand', { reopenAfterSeconds: tomorrow }, at(tomorrow)],
    ['being closed by hand', { dayState: 'Closing', requested: 'close', reopenAfterSeconds: tomorrow }, at(tomorrow)],
    ['closed by hand, opening asked for', { requested: 'open', reopenAfterSeconds: tomorrow }, { kind: 'soon' }],
    ['closed to be opened at once', { reopenAfterSeconds: NOON }, { kind: 'soon' }],
    ['closed near its maximum', { dayState: 'CloseInitiated' }, { kind: 'soon' }],
    ['opening', { dayState: 'Opening', reopenAfterSeconds: tomorrow }, { kind: 'soon' }],
    ['held up', { reopenAfterSeconds: tomorrow, isHeldUp: true }, { kind: 'unknown' }],
    ['open', { dayState: 'Opened' }, undefined],
    ['open after a failed closing', { dayState: 'CloseFailed' }, undefined],
  ])('%s: %j opens %j', (_name, changes, opening) => {
    expect(nextOpening(device(), outlook(changes), NOON)).toEqual(opening);
  });

  test('opens at the end of a window that its time falls into, also when the window was moved', () => {
    const moved = device({ maintenanceStartMinute: 180 });
    const end = instant('2026-11-16T05:00:00+02:00');
    expect(nextOpening(moved, outlook({ reopenAfterSeconds: tomorrow }), NOON)).toEqual(at(end));
    expect(nextOpening(moved, outlook(), instant('2026-11-16T03:30:00+02:00'))).toEqual(at(end));
    const start = instant('2026-11-16T03:00:00+02:00');
    expect(nextOpening(moved, outlook({ reopenAfterSeconds: start }), NOON)).toEqual(at(end));
    expect(nextOpening(moved, outlook({ reopenAfterSeconds: start - 1 }), NOON)).toEqual(at(start - 1));
  });

  test('of a blocked device opens nobody knows when', () => {
    expect(nextOpening(device({ holds: [hold('Operator', 'Stolen')] }), outlook(), NOON)).toEqual({ kind: 'unknown' });
  });

  test('says when it opens, and lets a till ask every five minutes, because an operator may open it earlier', () => {
    const refusal = refuseUnopened(device(), 'Closed', { kind: 'at', atSeconds: tomorrow }, NOON);
    expect(refusal).toMatchObject({ opensAt: '2026-11-16T04:00:00+02:00', retryAfterSeconds: 300 });
    expect(refusal.detail).toContain('2026-11-16T04:00:00+02:00');
    const nearly = refuseUnopened(device(), 'Closed', { kind: 'at', atSeconds: NOON + 12 }, NOON);
    expect(nearly.retryAfterSeconds).toBe(12);
  });

  test('without a known time says none', () => {
    const refusal = refuseUnopened(device(), 'Closing', { kind: 'unknown' }, NOON);
    expect(refusal).not.toHaveProperty('opensAt');
    expect(refusal.retryAfterSeconds).toBeLessThanOrEqual(300);
    expect(refuseUnopened(device(), 'Opening', { kind: 'soon' }, NOON).retryAfterSeconds).toBe(5);
  });
});
