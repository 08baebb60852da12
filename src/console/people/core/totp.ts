import { createHmac, timingSafeEqual } from 'node:crypto';

/** Codes of an app: RFC 6238 with SHA-1, six digits and 30 seconds, which is what all apps do. */
const STEP_SECONDS = 30;
/** The clocks of phones are not exact: the code before and the one after are good, too. */
const STEPS_APART = [0, -1, 1];
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

export function stepOf(now: Date): number {
  return Math.floor(now.getTime() / 1000 / STEP_SECONDS);
}

export function totp(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const hash = createHmac('sha1', secret).update(counter).digest();
  const offset = (hash.at(-1) ?? 0) & 0x0f;
  const number = hash.readUInt32BE(offset) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, '0');
}

/** The step whose code it is; undefined: a wrong one. */
export function findStep(secret: Buffer, code: string, now: Date): number | undefined {
  const given = Buffer.from(code.replaceAll(/\s/g, ''));
  return STEPS_APART.map((apart) => stepOf(now) + apart).find((step) => {
    const good = Buffer.from(totp(secret, step));
    return given.length === good.length && timingSafeEqual(given, good);
  });
}

/** RFC 4648, as apps take it: without padding. */
export function base32(bytes: Buffer): string {
  let text = '';
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xfff;
    bits += 8;
    for (; bits >= 5; bits -= 5) text += ALPHABET[(value >> (bits - 5)) & 31];
  }
  return bits === 0 ? text : text + ALPHABET[(value << (5 - bits)) & 31];
}

export function totpUri(secret: Buffer, issuer: string, account: string): string {
  const label = encodeURIComponent(`${issuer}:${account}`);
  return `otpauth://totp/${label}?secret=${base32(secret)}&issuer=${encodeURIComponent(issuer)}`;
}
