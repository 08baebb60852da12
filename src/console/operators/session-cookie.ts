import { createHash, randomBytes } from 'node:crypto';
import { LONGEST_SECONDS } from './session-store.ts';

/**
 * The session in the browser: unreadable for scripts, never sent from another site, and over https only for this very host
 * (which is what the prefix makes the browser insist on).
 */
export interface SessionCookie {
  readonly name: string;
  readonly attributes: string;
}

export function sessionCookie(publicUrl: string): SessionCookie {
  const isSecure = publicUrl.startsWith('https:');
  return {
    name: isSecure ? '__Host-tillseal-session' : 'tillseal-session',
    attributes: `Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`,
  };
}

export function newSessionId(): string {
  return randomBytes(32).toString('base64url');
}

export function hashSession(sessionId: string): Buffer {
  return createHash('sha256').update(sessionId).digest();
}

export function setCookie(cookie: SessionCookie, sessionId: string): string {
  return `${cookie.name}=${sessionId}; Max-Age=${LONGEST_SECONDS}; ${cookie.attributes}`;
}

export function clearCookie(cookie: SessionCookie): string {
  return `${cookie.name}=; Max-Age=0; ${cookie.attributes}`;
}

/** The hash of the session a request carries. Whatever does not look like one of ours is none. */
export function sessionHashOf(header: string | undefined, cookie: SessionCookie): Buffer | undefined {
  const found = (header ?? '')
    .split(';')
    .map((part) => part.trim())
    .find((part) => part.startsWith(`${cookie.name}=`));
  const sessionId = found?.slice(cookie.name.length + 1);
  return sessionId !== undefined && /^[A-Za-z0-9_-]{43}$/.test(sessionId) ? hashSession(sessionId) : undefined;
}
