import { expect, test } from 'vitest';
import { connectionFailure } from './connection-failure.ts';

const failed = (code: string, cause?: Error) => Object.assign(new Error('secret text', { cause }), { code });

test.each([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'CERT_HAS_EXPIRED',
  'ERR_TLS_CERT_ALTNAME_INVALID',
])('%s is a server we do not trust, and nothing was read by it', (code) => {
  const reason = `the authority's server certificate is not trusted (${code})`;
  expect(connectionFailure(failed(code))).toEqual({ reason, isHandshake: true });
});

test.each([
  'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
  'ERR_SSL_TLSV1_ALERT_UNKNOWN_CA',
  'ERR_SSL_SSL/TLS_ALERT_CERTIFICATE_EXPIRED',
  'ERR_SSL_SSLV3_ALERT_CERTIFICATE_REVOKED',
  'ERR_SSL_SSL/TLS_ALERT_BAD_CERTIFICATE',
])('%s is our certificate refused, and nothing was read', (code) => {
  const reason = `the authority's server refused our certificate (${code})`;
  expect(connectionFailure(failed(code))).toEqual({ reason, isHandshake: true });
});

test.each([
  'ECONNRESET',
  'UND_ERR_SOCKET',
  'UND_ERR_HEADERS_TIMEOUT',
  'ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR',
  'NEW_CODE',
])('%s says nothing about what was read', (code) => {
  expect(connectionFailure(failed(code)).isHandshake).toBe(false);
});

test('a wrapped failure is named by what it wraps, and no message is repeated', () => {
  const wrapped = failed('UND_ERR_SOCKET', failed('ECONNRESET'));
  expect(connectionFailure(wrapped)).toEqual({ reason: 'the connection was reset (ECONNRESET)', isHandshake: false });
});
