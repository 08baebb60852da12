import { createHash, type KeyObject, verify } from 'node:crypto';
import type { SignatureData } from '../../fdms/index.ts';

export function hashOf(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('base64');
}

/**
 * Both parts must be right: the hash that of the string, and the signature made over the string itself with the key of the
 * certificate. ECDSA signatures are DER, RSA ones PKCS#1 v1.5; the key says which.
 */
export function isSignedWith(key: KeyObject, text: string, { hash, signature }: SignatureData): boolean {
  if (hash !== hashOf(text)) return false;
  try {
    return verify('sha256', Buffer.from(text, 'utf8'), key, Buffer.from(signature, 'base64'));
  } catch {
    return false;
  }
}
