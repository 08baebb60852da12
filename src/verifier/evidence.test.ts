import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { expect, test } from 'vitest';
import { isProven } from './evidence.ts';
import { Fields } from './fields.ts';

const THUMBPRINT = 'AB'.repeat(20);
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const header = { authorityKeys: new Map([[THUMBPRINT, publicKey]]), missingCertificates: new Set<string>() };
const textOf = (date: string) => `signed ${date}`;

/** Evidence over the text for this date. */
function signedOver(date: string, changes: object = {}): Fields {
  const text = textOf(date);
  const evidence = {
    Hash: createHash('sha256').update(text).digest('base64'),
    Signature: sign('sha256', Buffer.from(text), privateKey).toString('base64'),
    CertificateThumbprint: THUMBPRINT,
    ...changes,
  };
  return Fields.parse(JSON.stringify(evidence));
}

const SENT = '2026-01-02T03:04:05.678+02:00';

test.each([SENT, '2026-01-02T03:04:05'])('evidence for a date sent as %s is proved', (signed) => {
  expect(isProven(signedOver(signed), SENT, textOf, header)).toBe(true);
  expect(isProven(signedOver(signed, { Hash: null }), SENT, textOf, header)).toBe(true);
});

test.each([
  ['2026-01-02', '2026-01-02T00:00:00'],
  ['2026-01-02T03:04Z', '2026-01-02T03:04:00'],
  ['2026-01-02 03:04:05', '2026-01-02T03:04:05'],
])('a date sent as %s may have been signed as %s', (sent, signed) => {
  expect(isProven(signedOver(signed), sent, textOf, header)).toBe(true);
});

test('what does not begin with a date is signed as it was sent', () => {
  const sent = 'x2026-01-02T03:04:05Z';
  expect(isProven(signedOver(sent), sent, textOf, header)).toBe(true);
  expect(() => isProven(signedOver('x2026-01-02T03:04:05'), sent, textOf, header)).toThrow(/another text/);
});

test('its hash may be written in hex, in either case', () => {
  const hex = createHash('sha256').update(textOf(SENT)).digest('hex');
  for (const Hash of [hex, hex.toUpperCase()]) {
    expect(isProven(signedOver(SENT, { Hash }), SENT, textOf, header)).toBe(true);
  }
});

test.each([
  ['lower case', 'ab'.repeat(20)],
  ['colons', Array(20).fill('AB').join(':')],
  ['base64', Buffer.alloc(20, 0xab).toString('base64')],
])('its certificate may be named in %s', (_, CertificateThumbprint) => {
  expect(isProven(signedOver(SENT, { CertificateThumbprint }), SENT, textOf, header)).toBe(true);
});

test.each(['AB:'.repeat(21), 'NO THUMBPRINT'])('a certificate named %s is missing as it is named', (named) => {
  const missingCertificates = new Set<string>();
  const evidence = signedOver(SENT, { CertificateThumbprint: named });
  expect(isProven(evidence, SENT, textOf, { ...header, missingCertificates })).toBe(false);
  expect([...missingCertificates]).toEqual([named]);
});

test('evidence that names no certificate proves nothing and disproves nothing; another text is wrong', () => {
  expect(isProven(signedOver(SENT, { CertificateThumbprint: null }), SENT, textOf, header)).toBe(false);
  expect(() => isProven(signedOver('2026-01-02T03:04:06'), SENT, textOf, header)).toThrow(/another text/);
  expect(() => isProven(signedOver('2026-01-02T03:04:06', { Hash: null }), SENT, textOf, header)).toThrow(/not made/);
});
