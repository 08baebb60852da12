import 'reflect-metadata';
import { createPublicKey, verify } from 'node:crypto';
import { Pkcs10CertificateRequest } from '@peculiar/x509';
import { describe, expect, test } from 'vitest';
import { createTestCa, newDeviceKey } from '../../../test/support/authority/server.ts';
import { checkIssuedCertificate, createCertificateRequest, deviceCommonName, readCertificate } from '../index.ts';

describe('a certificate request', () => {
  test("has the specification's own example as its name, second hyphen included", () => {
    expect(deviceCommonName('SN: 001', 187)).toBe('ZIMRA-SN: 001-0000000187');
  });

  test.each(['ec', 'rsa'] as const)(
    'of an %s key has the common name as its whole subject and verifies',
    async (kind) => {
      const privateKey = newDeviceKey(kind);
      const request = new Pkcs10CertificateRequest(await createCertificateRequest(privateKey, 'SN: 001', 187));
      expect(request.subjectName.toJSON()).toEqual([{ CN: ['ZIMRA-SN: 001-0000000187'] }]);
      expect(await request.verify()).toBe(true);
      const publicKey = createPublicKey({ key: Buffer.from(request.publicKey.rawData), format: 'der', type: 'spki' });
      expect(publicKey.equals(createPublicKey(privateKey))).toBe(true);
    },
  );

  test('is signed in ASN.1 DER, not as raw r and s', async () => {
    const privateKey = newDeviceKey();
    const pem = await createCertificateRequest(privateKey, 'SN1', 1);
    const { signed, signature } = partsOfRequest(pem);
    expect(signature[0]).toBe(0x30);
    // Node takes DER unless told otherwise: this is the check a plain OpenSSL makes.
    expect(verify('sha256', signed, createPublicKey(privateKey), signature)).toBe(true);
  });

  test('takes every character a serial number may have literally', async () => {
    const serial = 'A,b+c="d"#<e>;\\é';
    const request = new Pkcs10CertificateRequest(await createCertificateRequest(newDeviceKey(), serial, 7));
    expect(request.subjectName.toJSON()).toEqual([{ CN: [`ZIMRA-${serial}-0000000007`] }]);
  });

  test.each([
    ['', 1],
    ['123456789012345678901', 1],
    ['SN', -1],
    ['SN', 1.5],
  ])('is not made for serial "%s" and device %d', async (serial, deviceId) => {
    await expect(createCertificateRequest(newDeviceKey(), serial, deviceId)).rejects.toThrow(RangeError);
  });
});

describe('an issued certificate', () => {
  async function issued(days?: number) {
    const ca = await createTestCa();
    const privateKey = newDeviceKey();
    const pem = await ca.issue(await createCertificateRequest(privateKey, 'SN: 001', 187), days);
    return { pem, expected: { publicKey: createPublicKey(privateKey), serialNumber: 'SN: 001', deviceId: 187 } };
  }

  test('is read: name, validity, key and thumbprint', async () => {
    const { pem, expected } = await issued(30);
    const facts = readCertificate(pem);
    expect(facts.commonName).toBe('ZIMRA-SN: 001-0000000187');
    expect(facts.validTill.getTime() - Date.now()).toBeGreaterThan(29.9 * 86_400_000);
    expect(facts.publicKey.equals(expected.publicKey)).toBe(true);
    expect(facts.thumbprint).toMatch(/^[0-9A-F]{40}$/);
  });

  test('is good when it carries our key and our device', async () => {
    const { pem, expected } = await issued();
    expect(checkIssuedCertificate(pem, expected, new Date())).toMatchObject({ kind: 'good' });
  });

  test.each([
    ['another key', { publicKey: createPublicKey(newDeviceKey()) }, /this device's key/],
    ['another device', { deviceId: 188 }, /0000000187" instead of "ZIMRA-SN: 001-0000000188/],
    ['another serial number', { serialNumber: 'SN: 002' }, /instead of/],
  ])('for %s is not taken', async (_what, change, reason) => {
    const { pem, expected } = await issued();
    const check = checkIssuedCertificate(pem, { ...expected, ...change }, new Date());
    expect(check).toEqual({ kind: 'bad', reason: expect.stringMatching(reason) });
  });

  test('that has expired is not taken', async () => {
    const { pem, expected } = await issued(10);
    const later = new Date(Date.now() + 11 * 86_400_000);
    expect(checkIssuedCertificate(pem, expected, later)).toMatchObject({ kind: 'bad' });
  });

  test('that is no certificate at all is not taken', async () => {
    const { expected } = await issued();
    expect(checkIssuedCertificate('no certificate', expected, new Date())).toMatchObject({ kind: 'bad' });
  });
});

/** The signed part and the signature of a request, cut out of its DER by hand: no library between us and the bytes. */
function partsOfRequest(pem: string): { readonly signed: Buffer; readonly signature: Buffer } {
  const der = Buffer.from(pem.replace(/-----[^-]+-----/g, ''), 'base64');
  const outer = element(der, 0);
  const information = element(der, outer.content);
  const algorithm = element(der, information.end);
  const bits = element(der, algorithm.end);
  // The first byte of a bit string counts its unused bits.
  return { signed: der.subarray(outer.content, information.end), signature: der.subarray(bits.content + 1, bits.end) };
}

function element(der: Buffer, start: number): { readonly content: number; readonly end: number } {
  const first = der.readUInt8(start + 1);
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
  const length = lengthBytes === 0 ? first : der.readUIntBE(start + 2, lengthBytes);
  const content = start + 2 + lengthBytes;
  return { content, end: content + length };
}
