import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { type ConsoleCookie, cookieValue } from './session-cookie.ts';

/**
 * A browser in which an operator has logged in before. It proves only that: its holder still needs the password,
 * but is not made to wait for what others have tried with the same email or from the same address.
 */
export interface KnownBrowser {
  readonly id: string;
  /** Of the operator's email. */
  readonly emailHash: Buffer;
}

const LASTS_SECONDS = 180 * 24 * 3600;
const ID_BYTES = 12;
const EMAIL_BYTES = 16;
const FACTS_BYTES = ID_BYTES + 4 + EMAIL_BYTES;
const MAC_BYTES = 16;

/** Signed, not stored: telling a known browser from others must cost no question to the database. */
export function browserCookieFor(cookie: ConsoleCookie, masterKey: Buffer, emailHash: Buffer, now: Date): string {
  const facts = Buffer.alloc(FACTS_BYTES);
  randomBytes(ID_BYTES).copy(facts);
  facts.writeUInt32BE(Math.floor(now.getTime() / 1000), ID_BYTES);
  emailHash.copy(facts, ID_BYTES + 4, 0, EMAIL_BYTES);
  const value = Buffer.concat([facts, macOf(masterKey, facts)]).toString('base64url');
  return `${cookie.name}=${value}; Max-Age=${LASTS_SECONDS}; ${cookie.attributes}`;
}

export function knownBrowserOf(
  header: string | undefined,
  cookie: ConsoleCookie,
  masterKey: Buffer,
  now: Date,
): KnownBrowser | undefined {
  const bytes = Buffer.from(cookieValue(header, cookie) ?? '', 'base64url');
  if (bytes.length !== FACTS_BYTES + MAC_BYTES) return undefined;
  const facts = bytes.subarray(0, FACTS_BYTES);
  if (!timingSafeEqual(macOf(masterKey, facts), bytes.subarray(FACTS_BYTES))) return undefined;
  if (now.getTime() / 1000 - facts.readUInt32BE(ID_BYTES) > LASTS_SECONDS) return undefined;
  return { id: facts.toString('hex', 0, ID_BYTES), emailHash: facts.subarray(ID_BYTES + 4) };
}

function macOf(masterKey: Buffer, facts: Buffer): Buffer {
  const key = Buffer.from(hkdfSync('sha256', masterKey, '', 'browsers operators logged in with', 32));
  return createHmac('sha256', key).update(facts).digest().subarray(0, MAC_BYTES);
}
