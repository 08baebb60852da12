/** Specification §13: the hash of a receipt or of a day is one SHA-256 over the UTF-8 bytes of its string. */
import { hash } from 'node:crypto';

export function sha256(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
