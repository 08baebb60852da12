import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Authority } from '../state/authority.ts';
import { entryPage, verificationPage } from './page.ts';
import { STYLE } from './style.ts';
import { verifyReceipt } from './verify-receipt.ts';

const STATUSES = { valid: 200, tampered: 409, 'not-found': 404 } as const;

const PAGE_HEADERS = {
  'content-security-policy': `default-src 'none'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
} as const;

/** The address in a QR code as a page, or as JSON to who asks for that; `/` takes what was typed from the paper. */
export function answerVerification(
  authority: Authority,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  query: URLSearchParams,
): void {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.writeHead(405, { allow: 'GET, HEAD' }).end();
    return;
  }
  if (path === '/') {
    send(response, 200, 'text/html; charset=utf-8', entryPage());
    return;
  }
  if (path === '/verify') {
    response.writeHead(303, { location: `/${typedReference(query)}`, ...PAGE_HEADERS }).end();
    return;
  }
  const verification = verifyReceipt(authority, path.slice(1));
  const status = STATUSES[verification.status];
  const isJson = request.headers.accept?.includes('application/json') ?? false;
  if (isJson) send(response, status, 'application/json', JSON.stringify(verification));
  else send(response, status, 'text/html; charset=utf-8', verificationPage(verification));
}

/** What the form sends, in the form of a QR code. */
function typedReference(query: URLSearchParams): string {
  const given = (name: string) => query.get(name)?.trim() ?? '';
  const [year = '', month = '', day = ''] = given('date').split('-');
  const digits = (name: string) => given(name).replace(/\D/g, '').padStart(10, '0');
  const code = given('code').replace(/[^0-9A-Fa-f]/g, '');
  return `${digits('device')}${encodeURIComponent(day + month + year)}${digits('number')}${code}`;
}

function send(response: ServerResponse, status: number, type: string, text: string): void {
  response.writeHead(status, { ...PAGE_HEADERS, 'content-type': type, vary: 'accept' });
  response.end(text);
}
