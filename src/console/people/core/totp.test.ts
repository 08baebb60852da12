import { expect, test } from 'vitest';
import { base32, findStep, stepOf, totp, totpUri } from './totp.ts';

const SECRET = Buffer.from('12345678901234567890');

/** Appendix B of RFC 6238, of whose eight digits apps show the last six. */
test.each([
  [59, '94287082'],
  [1_111_111_109, '07081804'],
  [1_111_111_111, '14050471'],
  [1_234_567_890, '89005924'],
  [2_000_000_000, '69279037'],
  [20_000_000_000, '65353130'],
])('the code at %i s is that of the RFC', (seconds, code) => {
  expect(totp(SECRET, stepOf(new Date(seconds * 1000)))).toBe(code.slice(2));
});

test('a code is good half a minute early or late, and no longer', () => {
  const at = (seconds: number) => new Date(seconds * 1000);
  const code = totp(SECRET, stepOf(at(3000)));
  expect([3000, 2999, 2970, 3059].map((seconds) => findStep(SECRET, code, at(seconds)))).toEqual([100, 100, 100, 100]);
  expect([2969, 3060].map((seconds) => findStep(SECRET, code, at(seconds)))).toEqual([undefined, undefined]);
  expect(findStep(SECRET, ` ${code.slice(0, 3)} ${code.slice(3)}`, at(3000))).toBe(100);
  expect(findStep(SECRET, code.slice(1), at(3000))).toBeUndefined();
});

/** RFC 4648, section 10. */
test.each([
  ['', ''],
  ['f', 'MY'],
  ['fo', 'MZXQ'],
  ['foo', 'MZXW6'],
  ['foob', 'MZXW6YQ'],
  ['fooba', 'MZXW6YTB'],
  ['foobar', 'MZXW6YTBOI'],
])('base32 of "%s"', (text, code) => expect(base32(Buffer.from(text))).toBe(code));

test('the address for the app names issuer and account', () => {
  expect(totpUri(SECRET, 'Tillseal', 'ada@example.com')).toBe(
    'otpauth://totp/Tillseal%3Aada%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Tillseal',
  );
});
