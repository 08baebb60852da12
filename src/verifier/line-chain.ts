/**
 * How the lines of an export hold together: each ends with the SHA-256 over the hash of the line before and its own text.
 * A change of any byte, and a line that was removed, added or moved, shows at the line where it happened.
 *
 * This alone proves nothing if someone recomputes the hashes: the signatures in the lines do that.
 */
import { createHash } from 'node:crypto';

export const CHAIN_START = createHash('sha256').update('tillseal-export/1').digest('base64');

const KEY = ',"Chain":"';
/** 44 characters of base64, a quote and a brace. */
const SUFFIX_LENGTH = KEY.length + 44 + 2;

/** The line with its hash, and the hash for the next one. `text` is a JSON object. */
export function chainLine(previous: string, text: string): { readonly line: string; readonly hash: string } {
  const open = text.slice(0, -1);
  const hash = hashOf(previous, Buffer.from(open));
  return { line: `${open}${KEY}${hash}"}`, hash };
}

/** The hash of the line if it follows from the one before, else undefined. Compares bytes: not even a space may differ. */
export function checkChain(previous: string, line: Buffer): string | undefined {
  const end = line.length - SUFFIX_LENGTH;
  const hash = hashOf(previous, line.subarray(0, end));
  return line.subarray(end).equals(Buffer.from(`${KEY}${hash}"}`)) ? hash : undefined;
}

function hashOf(previous: string, open: Buffer): string {
  return createHash('sha256').update(previous).update(open).digest('base64');
}
