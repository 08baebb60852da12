/**
 * A browser sends our cookie with whatever a page asks for, so a change needs proof that the page is ours: a header that no
 * form can set and no other site may send without our consent, and, where the browser tells, where the page came from.
 */
export const CONSOLE_HEADER = 'x-tillseal-console';

export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>;

/**
 * Compares with `publicUrl` where it is set, because an attacker can make any host name lead here, and then the request's own host
 * proves nothing. Without it the console may be open under any of the machine's names, and the request's host is all there is.
 */
export function isFromConsole(headers: RequestHeaders, publicUrl: string | undefined): boolean {
  if (headers[CONSOLE_HEADER] === undefined) return false;
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') return false;
  const origin = headers['origin'];
  if (origin === undefined) return true;
  if (typeof origin !== 'string' || !URL.canParse(origin)) return false;
  const from = new URL(origin);
  return publicUrl === undefined ? from.host === headers['host'] : from.origin === new URL(publicUrl).origin;
}
