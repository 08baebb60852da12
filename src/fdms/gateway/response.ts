/**
 * What an answer of the authority's server means: the value asked for, a refusal in the authority's own words, or nothing
 * that can be relied on. Specification §8.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { type ExactJson, JsonRefusal, parseExactJson } from '../../platform/json/exact-json.ts';
import { AnswerReader, findField, NotTheProtocol } from './answer-reader.ts';
import type { ReadAnswer } from './answers.ts';
import type { Exchange } from './exchange.ts';

export type GatewayAnswer<T> =
  | { readonly kind: 'answered'; readonly value: T }
  | {
      /** A 4xx in the authority's own words. */
      readonly kind: 'refused';
      readonly status: number;
      readonly code: string | undefined;
      readonly detail: string;
      readonly operationId: string | undefined;
    }
  | {
      /** No connection, no answer in time, a cut one, 5xx, 429, or an answer that is not the protocol's. */
      readonly kind: 'unavailable';
      readonly reason: string;
      readonly mayHaveArrived: boolean;
      readonly retryAfterSeconds?: number;
      /** What it says, where an answer came and could not be read; its beginning, if it is long. */
      readonly unread?: string;
    };

export type Response = Extract<Exchange, { kind: 'response' }>;

export interface InterpretedResponse<T> {
  readonly answer: GatewayAnswer<T>;
  readonly operationId: string | undefined;
}

/** A header is not trusted beyond this: a lane that waits for a day helps no one. */
const MAX_RETRY_AFTER_SECONDS = 300;
const MAX_DETAIL_LENGTH = 2_000;
const MAX_UNREAD_LENGTH = 20_000;

export function interpretResponse<T>(response: Response, read: ReadAnswer<T>, now: Date): InterpretedResponse<T> {
  const json = tryParse(response.body);
  const operationId = operationIdOf(json, response.headers);
  const { status } = response;
  if (status >= 200 && status < 300) return { answer: readValue(response, json, operationId, read), operationId };
  const isRefusal = status >= 400 && status < 500 && status !== 408 && status !== 429;
  if (isRefusal && (isProblem(json) || operationId !== undefined)) {
    const { code, detail } = describeProblem(json, status);
    return { answer: { kind: 'refused', status, code, detail, operationId }, operationId };
  }
  return { answer: unavailable(response, now), operationId };
}

/** The clock of the server, as far as it says: whole seconds. */
export function serverDate(headers: IncomingHttpHeaders): Date | undefined {
  const time = Date.parse(headers.date ?? '');
  return Number.isNaN(time) ? undefined : new Date(time);
}

function readValue<T>(
  { status, body }: Response,
  json: ExactJson | undefined,
  operationId: string | undefined,
  read: ReadAnswer<T>,
): GatewayAnswer<T> {
  try {
    if (json === undefined) throw new NotTheProtocol('it is not JSON');
    return { kind: 'answered', value: read(new AnswerReader(json, json.value), operationId ?? '') };
  } catch (error) {
    if (!(error instanceof NotTheProtocol)) throw error;
    const reason = `the authority's answer (HTTP ${status}) was not understood: ${error.message}`;
    const unread = body.toString('utf8').slice(0, MAX_UNREAD_LENGTH).replaceAll('\0', '\u{fffd}').toWellFormed();
    return { kind: 'unavailable', reason, mayHaveArrived: true, unread };
  }
}

function unavailable({ status, headers }: Response, now: Date): GatewayAnswer<never> {
  const retryAfterSeconds = readRetryAfter(headers, now);
  return {
    kind: 'unavailable',
    reason: status === 429 ? 'the authority asks for fewer requests (HTTP 429)' : reasonFor(status),
    // A 429 is decided before a request is looked at; behind anything else it may have been.
    mayHaveArrived: status !== 429,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  };
}

function reasonFor(status: number): string {
  if (status >= 500) return `the authority's server failed (HTTP ${status})`;
  if (status >= 300 && status < 400) return `the authority's address redirects elsewhere (HTTP ${status})`;
  return `an answer that is not the authority's (HTTP ${status})`;
}

/** Seconds, or a date: then by the server's own clock where it tells, since ours may differ. */
function readRetryAfter(headers: IncomingHttpHeaders, now: Date): number | undefined {
  const text = headers['retry-after']?.trim() ?? '';
  const seconds = /^\d+$/.test(text)
    ? Number(text)
    : Math.ceil((Date.parse(text) - (serverDate(headers) ?? now).getTime()) / 1_000);
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(seconds, 0), MAX_RETRY_AFTER_SECONDS);
}

function tryParse(body: Buffer): ExactJson | undefined {
  return parseOrNothing(body) ?? parseOrNothing(Buffer.from(storable(body.toString('utf8'))));
}

function parseOrNothing(body: Buffer): ExactJson | undefined {
  try {
    return parseExactJson(body);
  } catch (error) {
    if (error instanceof JsonRefusal) return undefined;
    throw error;
  }
}

const ESCAPE = /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[\da-fA-F]{4}|.)/gs;
const HALF_A_CHARACTER = /^\\u[dD][89a-fA-F][\da-fA-F]{2}$/;

/** The same without what cannot be stored: a byte order mark, bytes that are no text, U+0000 and halves of characters. */
function storable(json: string): string {
  return json.replace(/^\uFEFF/, '').replaceAll(ESCAPE, (escaped) => {
    if (escaped === '\\u0000') return '';
    return HALF_A_CHARACTER.test(escaped) ? '\\ufffd' : escaped;
  });
}

function operationIdOf(json: ExactJson | undefined, headers: IncomingHttpHeaders): string | undefined {
  const inBody = textField(json?.value, 'operationID');
  const inHeader = headers['operationid'];
  return inBody ?? (typeof inHeader === 'string' && inHeader !== '' ? inHeader.slice(0, 100) : undefined);
}

const PROBLEM_FIELDS = ['errorCode', 'title', 'detail', 'errors', 'status'];

function isProblem(json: ExactJson | undefined): boolean {
  const value = json?.value;
  return PROBLEM_FIELDS.some((name) => findField(value, name) !== undefined);
}

/** Everything the authority said, in one text: the detail or title, then what it says of single fields. */
function describeProblem(json: ExactJson | undefined, status: number) {
  const problem = json?.value;
  const summary = textField(problem, 'detail') ?? textField(problem, 'title') ?? `HTTP ${status}`;
  const detail = [summary, ...fieldErrors(problem)].join('; ').slice(0, MAX_DETAIL_LENGTH);
  return { code: textField(problem, 'errorCode'), detail };
}

function fieldErrors(problem: unknown): string[] {
  const errors = field(problem, 'errors');
  if (typeof errors !== 'object' || errors === null) return [];
  return Object.entries(errors).map(
    ([name, texts]) => `${name}: ${Array.isArray(texts) ? texts.map(String).join(' ') : String(texts)}`,
  );
}

function textField(holder: unknown, key: string): string | undefined {
  const value = field(holder, key);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function field(holder: unknown, key: string): unknown {
  return findField(holder, key)?.value;
}
