/**
 * Specification §13: a signature is made over the string itself with one SHA-256, ECDSA in ASN.1 DER or RSA in PKCS#1 v1.5.
 * Both encodings are what node:crypto takes by default. Handing it the finished hash would hash twice.
 */
import { type KeyObject, verify } from 'node:crypto';

/** Whether the signature over this text was made with the private half of this key. A malformed one simply was not. */
export function verifyText(publicKey: KeyObject, text: string, signature: Buffer): boolean {
  return verify('sha256', Buffer.from(text), publicKey, signature);
}
