import { expect, test } from 'vitest';
import { hashToken, newToken, readCredentials } from './auth.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const { token } = newToken();
const tenantId = '019a8b5e-0000-7000-8000-000000000001';

test('a token carries 256 random bits behind a readable prefix, and only its hash is kept', () => {
  const tokens = Array.from({ length: 1000 }, () => newToken());
  expect(new Set(tokens.map((made) => made.token)).size).toBe(1000);
  for (const made of tokens) {
    expect(made.token).toMatch(/^tsk_[A-Za-z0-9_-]{43}$/);
    expect(made.hash).toEqual(hashToken(made.token));
    expect(made.displayPrefix).toHaveLength(10);
  }
});

test.each([
  ['a bare token', `Bearer ${token}`, undefined],
  ['a lower-case scheme', `bearer ${token}`, undefined],
  ['an upper-case scheme', `BEARER ${token}`, undefined],
  ['several spaces', `Bearer   ${token}`, undefined],
  ['base64 of token:tenantId', `Bearer ${base64(`${token}:${tenantId}`)}`, tenantId],
  ['base64url without padding', `Bearer ${Buffer.from(`${token}:${tenantId}`).toString('base64url')}`, tenantId],
])('a bearer header is read: %s', (_name, header, expected) => {
  expect(readCredentials(header)).toEqual({ scheme: 'bearer', token, tenantId: expected });
});

test('a basic header is read as vendor code and token; the token may contain a colon', () => {
  expect(readCredentials(`Basic ${base64(`VENDOR:${token}`)}`)).toEqual({ scheme: 'basic', user: 'VENDOR', token });
  expect(readCredentials(`basic ${base64('VENDOR:a:b')}`)).toEqual({ scheme: 'basic', user: 'VENDOR', token: 'a:b' });
});

test.each([
  ['nothing', undefined],
  ['an empty header', ''],
  ['a scheme alone', 'Bearer'],
  ['a scheme and a space', 'Bearer '],
  ['another scheme', `Digest ${token}`],
  ['no scheme', token],
  ['text after the token', `Bearer ${token} and more`],
  ['text before the scheme', ` Bearer ${token}`],
  ['a token that is neither ours nor base64', 'Bearer not+base64!'],
  ['base64 without a colon', `Bearer ${base64('justatoken')}`],
  ['base64 with an empty token', `Bearer ${base64(`:${tenantId}`)}`],
  ['a control character', `Bearer ${token}\u0000`],
  ['a letter outside ASCII', 'Bearer tsk_é'],
  ['more than 512 characters', `Bearer tsk_${'a'.repeat(512)}`],
  ['basic without a colon', `Basic ${base64('VENDOR')}`],
])('is no credential: %s', (_name, header) => {
  expect(readCredentials(header)).toBeUndefined();
});
