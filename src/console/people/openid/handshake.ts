import { createHmac, hkdfSync, randomBytes } from 'node:crypto';

/** What the provider is given with a question, and must give back with its answer. */
export interface Handshake {
  readonly state: string;
  readonly nonce: string;
  /** Of PKCE. */
  readonly verifier: string;
}

export const HANDSHAKE_SECONDS = 600;

/** For the browser's cookie: when it was made, and a secret. Nothing is stored, and any instance can go on. */
export function newHandshake(now: Date): string {
  return `${Math.floor(now.getTime() / 1000)}.${randomBytes(24).toString('base64url')}`;
}

/** All three follow from the cookie and what it was made for: what was begun as a log-in cannot end as a link. Undefined: too old, or none of ours. */
export function handshakeOf(
  cookie: string | undefined,
  purpose: string,
  masterKey: Buffer,
  now: Date,
): Handshake | undefined {
  const [, seconds] = /^(\d{1,12})\.[\w-]{32}$/.exec(cookie ?? '') ?? [];
  const age = now.getTime() / 1000 - Number(seconds);
  if (seconds === undefined || age > HANDSHAKE_SECONDS || age < -HANDSHAKE_SECONDS) return undefined;
  const key = Buffer.from(hkdfSync('sha256', masterKey, '', 'asking an OpenID provider', 32));
  const part = (name: string) => createHmac('sha256', key).update(`${name} ${purpose} ${cookie}`).digest('base64url');
  return { state: part('state'), nonce: part('nonce'), verifier: part('verifier') };
}
