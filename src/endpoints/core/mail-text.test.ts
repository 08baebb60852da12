import { expect, test } from 'vitest';
import type { Endpoint } from './endpoint.ts';
import { mailText, mailWaitMs } from './mail-text.ts';

const PLACE = { timeZone: 'Africa/Harare', publicUrl: 'https://tillseal.example.com', isForOperators: false };
const data = {
  AlertId: '7',
  Kind: 'DeviceStopped',
  Message: 'Device 1001 has been out of use since 12:00: Stolen.',
  AuthorityDeviceId: 1001,
  TaxpayerId: '0198b7e2-4c1d-7f3a-9a55-2f1c8e6d0b47',
  VendorId: null,
  TenantName: 'Test shop',
  RaisedAt: '2026-11-15T10:00:00.000Z',
};
const event = (type: string, changes: object = {}) => ({
  number: 1n,
  type,
  at: new Date('2026-11-15T10:00:10Z'),
  data: JSON.stringify({ ...data, ...changes }),
});
const raised = (changes: object = {}) => event('alert.raised', changes);
const solved = (changes: object = {}) => event('alert.solved', { SolvedAt: '2026-11-15T10:30:00.000Z', ...changes });

test('a message says what happened, on which device of whom, and since when', () => {
  expect(mailText([raised()], PLACE)).toEqual({
    subject: 'Tillseal: Device stopped, device 1001, Test shop',
    text: `Device stopped, device 1001, Test shop
Device 1001 has been out of use since 12:00: Stolen.
Since: 2026-11-15 12:00:00+02:00

-- 
Sent by Tillseal at https://tillseal.example.com, because this address is on its list. Answers are not read; ask the operator, or whoever in your business looks after it in the console, to change or end this.`,
  });
});

test('what is over is named, with when', () => {
  const { subject, text } = mailText([solved()], PLACE);
  expect(subject).toBe('Tillseal: Solved: Device stopped, device 1001, Test shop');
  expect(text).toContain('Stolen.\nSince: 2026-11-15 12:00:00+02:00\nOver: 2026-11-15 12:30:00+02:00\n');
});

test('the subject names the most urgent matter and how many others there are; the text counts them and has them by urgency', () => {
  const { subject, text } = mailText(
    [
      solved(),
      raised({ AlertId: '8', Kind: 'ReceiptRed', Message: 'Red.' }),
      raised({ AlertId: '9', AuthorityDeviceId: 1002 }),
    ],
    PLACE,
  );
  expect(subject).toBe('Tillseal: Device stopped, device 1002, Test shop (and 2 more)');
  expect(text.match(/^.*device 100\d, .*$/gm)).toEqual([
    'Device stopped, device 1002, Test shop',
    'Receipt red, device 1001, Test shop',
    'Solved: Device stopped, device 1001, Test shop',
  ]);
  expect(text).toMatch(/^Device stopped: 1\nReceipt red: 1\nSolved: Device stopped: 1\n\n/);
});

test('what was raised and is over by now is one matter, and not an urgent one', () => {
  const { subject, text } = mailText([raised(), solved()], PLACE);
  expect([subject, text.match(/^Since/gm)?.length]).toEqual([
    'Tillseal: Solved: Device stopped, device 1001, Test shop',
    1,
  ]);
});

test('of hundreds the first twenty are named, and how many there are of each kind', () => {
  const many = Array.from({ length: 300 }, (_, n) =>
    raised({ AlertId: `${n}`, Kind: n < 250 ? 'ReportDue' : 'TillBehind' }),
  );
  const { subject, text } = mailText(many, { ...PLACE, isForOperators: true });
  expect(subject).toMatch(/\(and 299 more\)$/);
  expect(text).toMatch(/^Report due: 250\nTill behind: 50\n\n/);
  expect(text.match(/^Since/gm)).toHaveLength(20);
  expect(text).toMatch(/\n\nAnd 280 more\.\n\n-- \nSee https:\/\/tillseal\.example\.com\/console\/alerts\./);
  expect(mailText(many.slice(0, 20), PLACE).text).not.toContain('more.');
});

test('a message waits for others: ten seconds, and five minutes after the one before; if it is urgent, one minute', () => {
  const secondsOf = (events: readonly ReturnType<typeof raised>[], at: string, taken: string | null) => {
    const endpoint = { lastTakenAt: taken === null ? null : new Date(`2026-11-15T${taken}Z`) } as Endpoint;
    return mailWaitMs(endpoint, events, new Date(`2026-11-15T${at}Z`)) / 1000;
  };
  const seconds = (event: ReturnType<typeof raised>, ...times: [string, string | null]) => secondsOf([event], ...times);
  const quiet = raised({ Kind: 'TillBehind' });
  expect([seconds(quiet, '10:00:11', null), seconds(quiet, '10:00:20', null)]).toEqual([9, 0]);
  // Asked again after ten seconds, because something urgent may have come.
  expect(seconds(quiet, '10:00:21', '10:00:00')).toBe(10);
  expect([seconds(quiet, '10:04:59', '10:00:00'), seconds(quiet, '10:05:00', '10:00:00')]).toEqual([1, 0]);
  expect([seconds(raised(), '10:00:59', '10:00:00'), seconds(raised(), '10:01:00', '10:00:00')]).toEqual([1, 0]);
  expect(secondsOf([quiet, raised()], '10:01:00', '10:00:00')).toBe(0);
  expect([seconds(raised({ Kind: 'FromLater' }), '10:01:00', '10:00:00'), secondsOf([], '10:00:11', null)]).toEqual([
    10, 0,
  ]);
  // Wrong clocks hold up nothing.
  expect(seconds(quiet, '10:00:00', null)).toBe(0);
  expect([seconds(quiet, '09:00:00', null), seconds(quiet, '10:01:00', '11:00:00')]).toEqual([0, 0]);
});

test('operators are told what to do and where; a kind of a later version has no advice', () => {
  const operators = { ...PLACE, isForOperators: true };
  expect(mailText([raised()], operators).text).toMatch(
    /\nWhat to do: If an operator blocked it[\s\S]*See https:\/\/tillseal\.example\.com\/console\/alerts\./,
  );
  expect(mailText([raised({ Kind: 'FromLater', TenantName: null, AuthorityDeviceId: null })], operators)).toMatchObject(
    {
      subject: 'Tillseal: From later',
      text: expect.not.stringContaining('What to do'),
    },
  );
});

test('no name or message makes a header or a line of its own, however it is written', () => {
  const hostile = 'Shop\r\nBcc: all@example.com\r\n\r\nPay here\u2028now\u0000\u202e';
  const { subject, text } = mailText([raised({ TenantName: hostile, Message: hostile })], PLACE);
  expect(subject).toBe('Tillseal: Device stopped, device 1001, Shop Bcc: all@example.com Pay here now');
  expect(text.split('\n').slice(0, 3)).toEqual([
    'Device stopped, device 1001, Shop Bcc: all@example.com Pay here now',
    'Shop Bcc: all@example.com Pay here now',
    'Since: 2026-11-15 12:00:00+02:00',
  ]);
  expect(mailText([raised({ TenantName: 'x'.repeat(5000) })], PLACE).subject.length).toBeLessThan(170);
});

test('a test says that it is one', () => {
  const { subject, text } = mailText([{ ...raised(), type: 'endpoint.test', data: '{}' }], PLACE);
  expect([subject, text.split('\n')[0]]).toEqual(['Tillseal: test message', 'Messages about alerts arrive here.']);
});

test('who is asked whether messages may be sent is told by whom, and nothing else', () => {
  const asked = (Description: string) =>
    mailText([{ type: 'endpoint.confirmation', data: JSON.stringify({ Token: 'abc', Description }) }], PLACE);
  expect(asked('Alerts of\nTest shop')).toEqual({
    subject: 'Tillseal: may messages be sent to you?',
    text: `Somebody who uses Tillseal at https://tillseal.example.com wants messages sent to this address (Alerts of Test shop).

If that is right, open this within seven days, and press the button there:
https://tillseal.example.com/console/confirm#abc

If you do not know what this is about, do nothing: no message follows.`,
  });
  expect(asked('').text).toContain('to this address.\n');
});

test('of nothing there is a message, and no fault', () => {
  expect(mailText([], PLACE).subject).toBe('Tillseal: ');
});
