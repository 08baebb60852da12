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
  ['lower case', 'ab'.repeat(20)],
  ['colons', Array(20).fill('AB').join(':')],
  ['base64', Buffer.alloc(20, 0xab).toString('base64')],
])('its certificate may be named in %s', (_, CertificateThumbprint) => {
  expect(isProven(signedOver(SENT, { CertificateThumbprint }), SENT, textOf, header)).toBe(true);
});

test('evidence that names no certificate proves nothing and disproves nothing; another text is wrong', () => {
  expect(isProven(signedOver(SENT, { CertificateThumbprint: null }), SENT, textOf, header)).toBe(false);
  expect(() => isProven(signedOver('2026-01-02T03:04:06'), SENT, textOf, header)).toThrow(/another text/);
  expect(() => isProven(signedOver('2026-01-02T03:04:06', { Hash: null }), SENT, textOf, header)).toThrow(/not made/);
});
