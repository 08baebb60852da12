import { expect, test } from 'vitest';
import { device, head, hold, instant } from '../../../test/support/devices.ts';
import type { Device } from './device.ts';
import type { Head } from './head.ts';
import { hangsOnDay, nextOutage, type Outage, type Standing } from './outage.ts';
import { reportText } from './outage-report.ts';

const at = (time: string) => instant(`2026-11-15T${time}:00+02:00`);
const OPEN = { dayState: 'Opened', requested: undefined, reopenAfterSeconds: undefined, isHeldUp: false } as const;

function standing(
  changes: Partial<Device> = {},
  of: Partial<Head> = {},
  outlook: Partial<Standing['outlook']> = {},
): Standing {
  const day = head(of);
  return {
    ...day,
    ...device(changes),
    outlook: { ...OPEN, error: undefined, dayState: day.dayState, ...outlook },
  };
}
const held = (since: string, reason = 'Stolen') =>
  standing({ holds: [{ ...hold('Operator', reason), since: new Date(at(since) * 1000) }] });
const closed = (outlook: Partial<Standing['outlook']> = {}) => standing({}, { dayState: 'Closed' }, outlook);

/** Looked at again and again, from the first time on. */
function follow(looks: readonly (readonly [time: string, standing: Standing])[]): Outage | undefined {
  return looks.reduce<Outage | undefined>((before, [time, seen]) => nextOutage(before, seen, at(time)), undefined);
}

test('a device that seals has none', () => {
  expect(nextOutage(undefined, standing(), at('12:00'))).toBeUndefined();
  expect(nextOutage(undefined, standing({}, { dayState: 'CloseFailed' }), at('12:00'))).toBeUndefined();
});

test('a hold is told at once, from when it began, with its reason', () => {
  expect(nextOutage(undefined, held('11:59'), at('12:00'))).toEqual({
    code: 'DeviceOnHold',
    problem: 'Stolen',
    beganAtSeconds: at('11:59'),
    isTold: true,
    isReminded: false,
    isReported: false,
  });
});

test('an expired certificate is an outage as well, and so is a day that is too long', () => {
  const expired = standing({ certificateValidTill: new Date('2026-11-15T09:00:00Z') });
  expect(nextOutage(undefined, expired, at('12:00'))).toMatchObject({
    problem: 'its certificate expired on 2026-11-15T09:00:00.000Z',
    beganAtSeconds: at('11:00'),
    isTold: true,
  });
  const long = standing({ dayMaximumHours: 5 }, {}, { error: 'the authority does not answer' });
  expect(nextOutage(undefined, long, at('12:00'))).toMatchObject({
    code: 'FiscalDayTooLong',
    problem: 'Fiscal day 1 of device 1001 has been open for more than 5 hours; the authority does not answer',
    beganAtSeconds: at('11:00'),
    isTold: true,
  });
});

test('a day between two others is a moment, and an outage when it takes longer', () => {
  const first = follow([['12:00', closed()]]);
  expect(first).toMatchObject({ code: 'FiscalDayNotOpen', isTold: false });
  expect(nextOutage(first, standing(), at('12:01'))).toBeUndefined();
  expect(nextOutage(first, closed(), at('12:02'))).toMatchObject({ beganAtSeconds: at('12:00'), isTold: true });
});

test('a day closed by hand until a known time is none, and becomes one when it does not open then', () => {
  const planned = closed({ reopenAfterSeconds: at('14:00') });
  expect(nextOutage(undefined, planned, at('12:00'))).toBeUndefined();
  expect(nextOutage(undefined, planned, at('14:01'))).toMatchObject({ code: 'FiscalDayNotOpen' });
  expect(nextOutage(undefined, closed({ reopenAfterSeconds: at('14:00'), isHeldUp: true }), at('12:00'))).toBeDefined();
});

test('inside the window nothing begins, and what lasts goes on', () => {
  expect(nextOutage(undefined, closed(), at('02:30'))).toBeUndefined();
  expect(nextOutage(undefined, held('02:10'), at('02:30'))).toBeUndefined();
  expect(nextOutage(undefined, held('02:10'), at('04:01'))).toMatchObject({ beganAtSeconds: at('04:00') });
  expect(nextOutage(undefined, held('02:00'), at('04:01'))).toMatchObject({ beganAtSeconds: at('04:00') });
  expect(nextOutage(undefined, held('01:30'), at('02:30'))).toMatchObject({ beganAtSeconds: at('01:30') });
  const stuck = standing({}, { dayState: 'Closing' }, { isHeldUp: true });
  const looks = [
    ['01:00', stuck],
    ['01:05', stuck],
    ['02:30', stuck],
  ] as const;
  expect(follow(looks)).toMatchObject({ code: 'FiscalDayNotOpen', beganAtSeconds: at('01:00'), isTold: true });
  expect(follow([...looks, ['04:01', standing()]])).toBeUndefined();
});

test('a hold that ends inside the window is over at once', () => {
  const before = follow([['01:30', held('01:30')]]);
  expect(nextOutage(before, standing(), at('02:30'))).toBeUndefined();
});

test('a moment that runs into the window is forgotten, and counts from its end', () => {
  const closing = standing({}, { dayState: 'Closing' });
  const looks = [
    ['01:59', closing],
    ['02:03', closing],
  ] as const;
  expect(follow(looks)).toBeUndefined();
  expect(follow([...looks, ['04:01', closing]])).toMatchObject({ beganAtSeconds: at('04:01'), isTold: false });
});

test('a day closed until a known time does not hide a hold, and of several holds the first counts', () => {
  const since = (time: string) => ({ ...hold('Operator', time), since: new Date(at(time) * 1000) });
  const both = { ...closed({ reopenAfterSeconds: at('14:00') }), holds: [since('11:30'), since('11:00')] };
  expect(nextOutage(undefined, both, at('12:00'))).toMatchObject({
    code: 'DeviceOnHold',
    problem: '11:30; 11:00',
    beganAtSeconds: at('11:00'),
  });
  const expired = {
    ...closed({ reopenAfterSeconds: at('14:00') }),
    certificateValidTill: new Date(at('11:00') * 1000),
  };
  expect(nextOutage(undefined, expired, at('12:00'))).toMatchObject({ code: 'DeviceOnHold' });
});

test('only of a day that is not open, or too long, more has to be read', () => {
  const hangs = ({ outlook: _outlook, ...one }: Standing, time = '12:00') => hangsOnDay(one, at(time));
  expect([standing(), held('11:00'), closed(), standing({ dayMaximumHours: 5 })].map((one) => hangs(one))).toEqual([
    false,
    false,
    true,
    true,
  ]);
  expect(hangs(closed(), '02:30')).toBe(false);
});

test('what nothing was read of is not planned', () => {
  expect(nextOutage(undefined, { ...closed(), outlook: undefined }, at('12:00'))).toMatchObject({
    code: 'FiscalDayNotOpen',
    problem: 'The fiscal day of device 1001 is not open (it is Closed)',
  });
});

test('while commits wait for a standby every device is out of use that could sell, from when they began to, and not for a moment', () => {
  const waiting = (since: string, of: Partial<Head> = {}) => ({ ...standing({}, of), commitsWaitSince: at(since) });
  const first = nextOutage(undefined, waiting('12:00'), at('12:01'));
  expect(first).toMatchObject({ code: 'Unavailable', beganAtSeconds: at('12:00'), isTold: false });
  expect(nextOutage(first, standing(), at('12:01'))).toBeUndefined();
  expect(nextOutage(first, waiting('12:00'), at('12:02'))).toMatchObject({ beganAtSeconds: at('12:00'), isTold: true });
  expect(nextOutage(undefined, waiting('05:00'), at('15:00'))).toMatchObject({ isTold: true, isReminded: true });
  const planned = { ...closed({ reopenAfterSeconds: at('14:00') }), commitsWaitSince: at('11:00') };
  expect(nextOutage(undefined, planned, at('12:00'))).toBeUndefined();
  expect(nextOutage(undefined, waiting('02:10'), at('02:30'))).toBeUndefined();
  expect(nextOutage(undefined, waiting('02:10'), at('04:01'))).toMatchObject({ beganAtSeconds: at('04:00') });
  const before = nextOutage(undefined, waiting('01:30'), at('01:40'));
  expect(nextOutage(before, waiting('01:30'), at('02:30'))).toMatchObject({ beganAtSeconds: at('01:30') });
  expect(nextOutage(before, standing(), at('02:30'))).toBeUndefined();
});

test('a day that was opened since it was looked at is not planned either', () => {
  expect(nextOutage(undefined, closed({ dayState: 'Opened' }), at('12:00'))).toBeDefined();
});

test('a clock that is set back ends nothing', () => {
  const before = follow([['12:00', held('12:00')]]);
  expect(nextOutage(before, held('12:00'), at('11:59'))).toEqual(before);
});

test('after six hours somebody is reminded of the report, unless it was made', () => {
  const before = follow([['05:00', held('05:00')]]);
  expect(nextOutage(before, held('05:00'), at('10:59'))).toMatchObject({ isReminded: false });
  expect(nextOutage(before, held('05:00'), at('11:00'))).toMatchObject({ isReminded: true });
  const reported = before && { ...before, isReported: true };
  expect(nextOutage(reported, held('05:00'), at('11:00'))).toMatchObject({ isReminded: false });
  const reminded = reported && { ...reported, isReminded: true };
  expect(nextOutage(reminded, held('05:00'), at('11:01'))).toMatchObject({ isReminded: true });
});

test('another reason continues the same outage', () => {
  const before = follow([['05:00', held('05:00')]]);
  expect(nextOutage(before, standing({}, { dayState: 'Closing' }, { isHeldUp: true }), at('05:01'))).toMatchObject({
    code: 'FiscalDayNotOpen',
    beganAtSeconds: at('05:00'),
    isTold: true,
  });
});

test('a report names company, devices, problem, contact and how sales are recorded, on the clock of the shop', () => {
  const one = { SerialNumber: 'SN-1', zone: 'Africa/Harare', BeganAt: '2026-11-15T10:00:00.000Z', EndedAt: null };
  const text = reportText({
    tin: '2000000001',
    name: 'Test shop',
    branch: 'Avondale',
    contacts: ['0242 700 000', undefined, 'shop@example.com'],
    devices: [
      { ...one, deviceId: 1001, Problem: 'Stolen \n TIN: 1' },
      { ...one, deviceId: 1002, Problem: 'Broken', EndedAt: '2026-11-15T20:00:00.000Z' },
    ],
    salesRecording: 'By hand, invoice book 12',
  });
  expect(text).toBe(`REPORT: FISCAL DEVICE OUT OF USE

TIN: 2000000001
Company: Test shop, Avondale
Contact: 0242 700 000, shop@example.com

Device: registration number 1001, serial number SN-1
Out of use since: 2026-11-15 12:00
Problem: Stolen TIN: 1

Device: registration number 1002, serial number SN-1
Out of use since: 2026-11-15 12:00, until 2026-11-15 22:00
Problem: Broken

How sales are recorded meanwhile: By hand, invoice book 12
`);
});
