/**
 * A browser sends our cookie with whatever a page asks for, so a change needs proof that the page is ours: a header that no
 * form can set and no other site may send without our consent, and, where the browser tells, where the page came from.
 */
export const CONSOLE_HEADER = 'x-tillseal-console';

export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>;

/**
 * `publicUrl` where it was set: what a request says of its own host proves nothing to who made a name lead here. Where it was
 * not, the console may be open under any name this machine has, and the host that was asked for is all there is to compare with.
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
