/** What an answer means for a sale: the table of docs/outbox.md. */
import { retryAfterOf } from '../errors.ts';
import { parseObject } from '../exact-json.ts';
import type { Answer } from '../http.ts';

export type Verdict =
  | { readonly kind: 'Signed'; readonly answer: string }
  | { readonly kind: 'Parked' | 'Halted'; readonly status: number; readonly answer: string }
  | { readonly kind: 'Again'; readonly reason: string; readonly afterSeconds?: number | undefined };

const PARKS = new Set([400, 409, 413, 415]);
const HALTS = new Set([401, 403]);
/** A proxy may refuse these in its own words, and would do so again. */
const WHOEVER_SAYS_IT = new Set([413, 415]);

/** Something else than Tillseal may answer: a captive portal, whose log-in page has status 200. That is no answer. */
export function judge(
  reference: string,
  { status, text, headers }: Pick<Answer, 'status' | 'text' | 'headers'>,
): Verdict {
  const json = parseObject(text);
  if (status === 200 && json?.['Reference'] === reference && typeof json['DeviceSignature'] === 'string')
    return { kind: 'Signed', answer: text };
  const isOurs = typeof json?.['Code'] === 'string' || WHOEVER_SAYS_IT.has(status);
  if (isOurs && PARKS.has(status) && !isAheadOfClock(status, json)) return { kind: 'Parked', status, answer: text };
  if (isOurs && HALTS.has(status)) return { kind: 'Halted', status, answer: text };
  const code = isOurs ? ` ${String(json?.['Code'])}` : '';
  return { kind: 'Again', reason: `status ${status}${code}`, afterSeconds: retryAfterOf(headers) };
}

/** RCPT031: the till's clock is ahead of Tillseal's. Time heals it. */
function isAheadOfClock(status: number, json: Readonly<Record<string, unknown>> | undefined): boolean {
  const errors = json?.['errors'];
  if (status !== 400 || !Array.isArray(errors)) return false;
  return errors.some(
    (error: unknown) => typeof error === 'object' && error !== null && Reflect.get(error, 'Code') === 'RCPT031',
  );
}
