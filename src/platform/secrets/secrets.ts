import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';

/**
 * Secrets at rest: AES-256-GCM. Each taxpayer has its own data key, wrapped by the master key, so that the master key
 * can be changed without touching every secret. `context` is authenticated along: a ciphertext moved to another row,
 * device or taxpayer does not open.
 */
const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
export const KEY_BYTES = 32;

export function encrypt(key: Buffer, plaintext: Buffer, context: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context));
  const body = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  return Buffer.concat([Buffer.from([VERSION]), nonce, cipher.getAuthTag(), body]);
}

/** Throws when the key, the context or a single bit is wrong. */
export function decrypt(key: Buffer, sealed: Buffer, context: string): Buffer {
  if (sealed[0] !== VERSION) throw new Error('the secret was encrypted by an unknown version');
  const nonce = sealed.subarray(1, 1 + NONCE_BYTES);
  const tag = sealed.subarray(1 + NONCE_BYTES, 1 + NONCE_BYTES + TAG_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(context)).setAuthTag(tag);
  // Separate memory: a slice of Node's pool, as concat returns it, would keep 64 kB alive for every cached key.
  const secret = decipher.update(sealed.subarray(1 + NONCE_BYTES + TAG_BYTES));
  decipher.final(); // Throws when the tag is wrong; in this mode it has nothing more to give.
  return secret;
}

/** Identifies a master key without revealing it: kept in the database to notice a wrong one at start. */
export function fingerprint(masterKey: Buffer): Buffer {
  return createHmac('sha256', masterKey).update('tillseal master key fingerprint').digest();
}
