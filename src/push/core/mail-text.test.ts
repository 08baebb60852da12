import { expect, test } from 'vitest';
import { mailText } from './mail-text.ts';

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
Sent by Tillseal at https://tillseal.example.com, because an operator has put this address on its list. Answers are not read; ask the operator to change or end this.`,
  });
});

test('what is over is named, with when', () => {
  const { subject, text } = mailText([solved()], PLACE);
  expect(subject).toBe('Tillseal: Solved: Device stopped, device 1001, Test shop');
  expect(text).toContain('Stolen.\nSince: 2026-11-15 12:00:00+02:00\nOver: 2026-11-15 12:30:00+02:00\n');
});

test('the subject names the most urgent matter and how many others there are; the text has all in order', () => {
  const { subject, text } = mailText(
    [solved(), raised({ Kind: 'ReceiptRed', Message: 'Red.' }), raised({ AuthorityDeviceId: 1002 })],
    PLACE,
  );
  expect(subject).toBe('Tillseal: Device stopped, device 1002, Test shop (and 2 more)');
  expect(text.match(/^.*device 100\d, .*$/gm)).toEqual([
    'Solved: Device stopped, device 1001, Test shop',
    'Receipt red, device 1001, Test shop',
    'Device stopped, device 1002, Test shop',
  ]);
});

test('operators are told what to do and where; a kind of a later version has no advice', () => {
  const operators = { ...PLACE, isForOperators: true };
  expect(mailText([raised()], operators).text).toMatch(
    /\nWhat to do: Remove the cause[\s\S]*See https:\/\/tillseal\.example\.com\/console\/alerts\./,
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
