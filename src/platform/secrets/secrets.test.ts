import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { decrypt, encrypt, fingerprint } from './secrets.ts';

const key = randomBytes(32);
const secret = Buffer.from('a private key of a device');
const context = 'private key 1 of device 1001';

test('what was encrypted opens with the same key and context, and is not readable before', () => {
  const sealed = encrypt(key, secret, context);
  expect(sealed.includes(secret)).toBe(false);
  expect(decrypt(key, sealed, context)).toEqual(secret);
  expect(decrypt(key, encrypt(key, Buffer.alloc(0), context), context)).toEqual(Buffer.alloc(0));
});

test('the same secret is never encrypted to the same bytes twice', () => {
  const made = new Set(Array.from({ length: 1000 }, () => encrypt(key, secret, context).toString('hex')));
  expect(made.size).toBe(1000);
});

test('a ciphertext moved to another device or key version does not open', () => {
  const sealed = encrypt(key, secret, context);
  for (const other of ['private key 1 of device 1002', 'private key 2 of device 1001', '', `${context} `]) {
    expect(() => decrypt(key, sealed, other)).toThrow();
  }
});

test('another key does not open it', () => {
  expect(() => decrypt(randomBytes(32), encrypt(key, secret, context), context)).toThrow();
});

test('a single flipped bit anywhere is noticed', () => {
  const sealed = encrypt(key, secret, context);
  for (let bit = 0; bit < sealed.length * 8; bit += 1) {
    const changed = Buffer.from(sealed);
    changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
    expect(() => decrypt(key, changed, context), `bit ${bit}`).toThrow();
  }
});

test('a ciphertext cut short anywhere is noticed', () => {
  const sealed = encrypt(key, secret, context);
  for (let length = 0; length < sealed.length; length += 1) {
    expect(() => decrypt(key, sealed.subarray(0, length), context), `${length} bytes`).toThrow();
  }
});

test('a fingerprint tells keys apart and does not contain them', () => {
  expect(fingerprint(key)).toEqual(fingerprint(Buffer.from(key)));
  expect(fingerprint(key)).not.toEqual(fingerprint(randomBytes(32)));
  expect(fingerprint(key)).not.toEqual(key);
});

test('a decrypted secret has memory of its own', () => {
  const key = randomBytes(32);
  const secret = decrypt(key, encrypt(key, randomBytes(32), 'c'), 'c');
  expect(secret.buffer.byteLength).toBe(32);
});
