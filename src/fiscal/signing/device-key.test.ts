import { createPublicKey, createVerify, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { verifyText } from '../../fdms/index.ts';
import { algorithmOf, generateDeviceKey, loadPrivateKey, signText } from './device-key.ts';

const text = '322CREDITNOTEUSD852020-09-19T09:23:07é';

describe.each(['ECDSA-P256', 'RSA-2048'] as const)('%s', (algorithm) => {
  test('a generated pair survives being stored, and its signature is of the text with one SHA-256', async () => {
    const pair = await generateDeviceKey(algorithm);
    const privateKey = loadPrivateKey(Buffer.from(pair.privateKey.toString('base64'), 'base64'));
    const publicKey = createPublicKey(pair.publicKeyPem);
    expect([pair.algorithm, algorithmOf(privateKey), algorithmOf(publicKey)]).toEqual(Array(3).fill(algorithm));
    expect(pair.publicKeyPem).toMatch(/^-----BEGIN PUBLIC KEY-----\n/);

    const signature = await signText(privateKey, text);
    expect(verifyText(publicKey, text, signature)).toBe(true);
    // The older streaming interface as a second opinion.
    expect(createVerify('sha256').update(text, 'utf8').verify(pair.publicKeyPem, signature)).toBe(true);
  });

  test('another text, another key, a changed or malformed signature do not verify', async () => {
    const pair = await generateDeviceKey(algorithm);
    const publicKey = createPublicKey(pair.publicKeyPem);
    const signature = await signText(loadPrivateKey(pair.privateKey), text);
    const other = createPublicKey((await generateDeviceKey(algorithm)).publicKeyPem);
    const changed = Buffer.from(signature);
    changed[signature.length - 1] = (changed.at(-1) ?? 0) ^ 1;
    expect(verifyText(publicKey, `${text} `, signature)).toBe(false);
    expect(verifyText(other, text, signature)).toBe(false);
    for (const wrong of [changed, Buffer.alloc(0), randomBytes(70), randomBytes(256), signature.subarray(1)]) {
      expect(verifyText(publicKey, text, wrong)).toBe(false);
    }
  });

  test('a batch is signed side by side', async () => {
    const pair = await generateDeviceKey(algorithm);
    const key = loadPrivateKey(pair.privateKey);
    const publicKey = createPublicKey(key);
    const texts = Array.from({ length: 50 }, (_, index) => `${text}${index}`);
    const signatures = await Promise.all(texts.map((one) => signText(key, one)));
    expect(texts.every((one, index) => verifyText(publicKey, one, signatures[index] ?? Buffer.alloc(0)))).toBe(true);
  });
});

test('an ECDSA signature is ASN.1 DER, and a raw one does not pass', async () => {
  const pair = await generateDeviceKey('ECDSA-P256');
  const key = loadPrivateKey(pair.privateKey);
  const signature = await signText(key, text);
  expect([signature[0], signature[1]]).toEqual([0x30, signature.length - 2]);
  const raw = sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' });
  expect(verifyText(createPublicKey(pair.publicKeyPem), text, raw)).toBe(false);
});

test('an RSA signature is PKCS#1 v1.5: the same each time, of the length of the key', async () => {
  const key = loadPrivateKey((await generateDeviceKey('RSA-2048')).privateKey);
  const signature = await signText(key, text);
  expect(signature).toHaveLength(256);
  expect(await signText(key, text)).toEqual(signature);
});

test('keys the authority would not take are refused', () => {
  const others = [
    generateKeyPairSync('ec', { namedCurve: 'secp384r1' }),
    generateKeyPairSync('rsa', { modulusLength: 1024 }),
    generateKeyPairSync('ed25519'),
  ];
  for (const { privateKey, publicKey } of others) {
    expect(algorithmOf(publicKey)).toBeUndefined();
    expect(() => loadPrivateKey(privateKey.export({ type: 'pkcs8', format: 'der' }))).toThrow(TypeError);
  }
  expect(() => loadPrivateKey(Buffer.from('no key'))).toThrow();
});
