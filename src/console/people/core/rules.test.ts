import { describe, expect, test } from 'vitest';
import { INSTALLATION_ROLES, includesRole, TENANT_ROLES } from '../../../contract/shared/values.ts';
import { authorityKind } from './authority-kind.ts';
import { canonicalEmail, checkPassword, isEmail } from './password-rules.ts';
import { isFromConsole } from './same-origin.ts';

test.each([
  ['installation', INSTALLATION_ROLES],
  ['taxpayer', TENANT_ROLES],
] as const)('each role of the %s includes those before it and none after it', (kind, roles) => {
  const table = roles.map((role) => roles.map((needed) => includesRole(kind, role, needed)));
  expect(table).toEqual([
    [true, false, false],
    [true, true, false],
    [true, true, true],
  ]);
});

test.each([
  [undefined, 'Simulator'],
  ['simulator', 'Simulator'],
  ['http://127.0.0.1:3001', 'Test'],
  ['https://fdmsapitest.zimra.co.zw', 'Test'],
  ['https://fdmsapi.zimra.co.zw', 'Real'],
])('the authority %s is %s', (url, kind) => expect(authorityKind(url)).toBe(kind));

describe('passwords', () => {
  test.each([
    ['short', 'at least 12'],
    ['aaaaaaaabbbbbbbb', 'same few characters'],
    ['my name is tendai', 'name in your email'],
    ['x'.repeat(201), 'at most 200'],
  ])('%s is refused: %s', (password, reason) => {
    expect(checkPassword('P', password, 'tendai@example.com')[0]?.Message).toContain(reason);
  });

  test('words are enough', () => {
    expect(checkPassword('P', 'green kettle over rain', 'tendai@example.com')).toEqual([]);
  });
});

test('an email is compared without case and blanks, and must look like one', () => {
  expect(canonicalEmail(' Tendai@Example.COM ')).toBe('tendai@example.com');
  expect(['a@b.co', 'a.b+c@d.example'].every(isEmail)).toBe(true);
  expect(['', 'a', 'a@b', 'a b@c.de', 'a@b@c.de', '<a@b.de>'].some(isEmail)).toBe(false);
});

describe('a change comes from the console', () => {
  const ours = { host: 'pay.example:3000', 'x-tillseal-console': '1' };
  const url = 'https://pay.example:3000';

  test.each([
    ['with the header alone, from a program', ours],
    ['from the same origin', { ...ours, origin: 'https://pay.example:3000', 'sec-fetch-site': 'same-origin' }],
    ['through a proxy that changes Host', { ...ours, host: 'inside:80', origin: url }],
  ])('%s', (_name, headers) => expect(isFromConsole(headers, url)).toBe(true));

  test.each([
    ['without the header', { host: 'pay.example:3000', origin: url }],
    ['from another site', { ...ours, 'sec-fetch-site': 'cross-site' }],
    ['from a sibling', { ...ours, 'sec-fetch-site': 'same-site' }],
    ['from another origin', { ...ours, origin: 'https://evil.example' }],
    ['from a sandbox', { ...ours, origin: 'null' }],
    ['from a name that somebody made to lead here', { ...ours, host: 'evil.example', origin: 'http://evil.example' }],
    ['from the same host without TLS', { ...ours, origin: 'http://pay.example:3000' }],
  ])('not %s', (_name, headers) => expect(isFromConsole(headers, url)).toBe(false));

  test('from the host that was asked for, where no address was set', () => {
    expect(isFromConsole({ ...ours, origin: 'http://pay.example:3000' }, undefined)).toBe(true);
    expect(isFromConsole({ ...ours, origin: 'http://evil.example' }, undefined)).toBe(false);
  });
});
