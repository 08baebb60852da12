import { createHash, randomBytes } from 'node:crypto';
import { MAX_SECONDS } from './session-store.ts';

/**
 * What we keep in the browser: unreadable for scripts, never sent from another site, and over https only for this very host
 * (which is what the prefix makes the browser insist on).
 */
export interface ConsoleCookie {
  readonly name: string;
  readonly attributes: string;
}

export const sessionCookie = (publicUrl: string): ConsoleCookie => consoleCookie(publicUrl, 'tillseal-session');
export const openIdCookie = (publicUrl: string): ConsoleCookie => consoleCookie(publicUrl, 'tillseal-openid');
export const browserCookie = (publicUrl: string): ConsoleCookie => consoleCookie(publicUrl, 'tillseal-browser');

function consoleCookie(publicUrl: string, name: string): ConsoleCookie {
  const isSecure = publicUrl.startsWith('https:');
  return {
    name: isSecure ? `__Host-${name}` : name,
    attributes: `Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`,
  };
}

export function newSessionId(): string {
  return randomBytes(32).toString('base64url');
}

export function hashSession(sessionId: string): Buffer {
  return createHash('sha256').update(sessionId).digest();
}

export function setCookie(cookie: ConsoleCookie, value: string, seconds = MAX_SECONDS): string {
  return `${cookie.name}=${value}; Max-Age=${seconds}; ${cookie.attributes}`;
}

export function clearCookie(cookie: ConsoleCookie): string {
  return `${cookie.name}=; Max-Age=0; ${cookie.attributes}`;
}

/** The hash of the session a request carries. Whatever does not look like one of ours is none. */
export function sessionHashOf(header: string | undefined, cookie: ConsoleCookie): Buffer | undefined {
  const sessionId = cookieValue(header, cookie);
  return sessionId !== undefined && /^[A-Za-z0-9_-]{43}$/.test(sessionId) ? hashSession(sessionId) : undefined;
}

export function cookieValue(header: string | undefined, cookie: ConsoleCookie): string | undefined {
  const found = (header ?? '')
    .split(';')
    .map((part) => part.trim())
    .find((part) => part.startsWith(`${cookie.name}=`));
  return found?.slice(cookie.name.length + 1);
}
