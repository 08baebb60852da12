// biome-ignore-all lint/suspicious/noThenProperty: every language has this name, and what is no function is awaited as what it is.
/* oxlint-disable unicorn/no-thenable -- the same */
import type { ProblemCode, Then } from './api.ts';
import { parseObject } from './exact-json.ts';

/** One thing that is wrong with a request. */
export interface FieldError {
  /** Where: `ReceiptLines[0].HsCode`. */
  readonly field: string;
  /** Stable: `RCPT048`. Explained under /docs/errors of the service. */
  readonly code: string;
  /** What was expected. */
  readonly message: string;
}

/** The base of everything that this package throws. */
export class TillsealError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** There was no answer, or not one from Tillseal: whether the request arrived is unknown. Sending the same again is safe. */
export class NoAnswerError extends TillsealError {}

/**
 * The file of an outbox cannot be read or written, or does not allow what was asked. Thrown by `sell`: nothing was sent, unless it says
 * that the file was lost or the sale discarded meanwhile.
 */
export class OutboxError extends TillsealError {}

/** A webhook that is not genuine, or too old. */
export class WebhookError extends TillsealError {}

/** Any answer from Tillseal but success. */
export class ProblemError extends TillsealError {
  readonly status: number;
  /** The stable name of the problem: `InvalidRequest`. One that is newer than this client is possible, too. */
  readonly code: ProblemCode | (string & {}) | null;
  readonly title: string | null;
  readonly detail: string | null;
  /** What to do: send the same again later, let a person change it, or stop. Null in answers of an older service. */
  readonly then: Then | (string & {}) | null;
  readonly errors: readonly FieldError[];
  /** Quote it when you ask the operator of the service. */
  readonly requestId: string | null;
  readonly retryAfterSeconds: number | null;
  /** The answer as it came. */
  readonly text: string;

  constructor(status: number, text: string, retryAfterSeconds: number | null = null) {
    const problem = parseObject(text) ?? {};
    const [title, detail] = [textOf(problem['title']), textOf(problem['detail'])];
    const errors = fieldErrors(problem['errors']);
    const lines = errors.map(({ field, code, message }) => `${field} (${code}): ${message}`);
    super([`${status}: ${detail ?? title ?? 'The answer says nothing more.'}`, ...lines].join('\n'));
    this.status = status;
    this.code = textOf(problem['Code']);
    this.title = title;
    this.detail = detail;
    this.then = textOf(problem['Then']);
    this.errors = errors;
    this.requestId = textOf(problem['requestId']);
    this.retryAfterSeconds = retryAfterSeconds;
    this.text = text;
  }
}

/** 400, 413, 415: the request must be changed. `errors` names every wrong field. */
export class InvalidRequestError extends ProblemError {}
/** 401, 403: the token is missing, not valid, or may not do this. */
export class AccessDeniedError extends ProblemError {}
/** 404: there is no such thing, or it is not yours. */
export class NotFoundError extends ProblemError {}
/** 409: the reference is already used for other data. `errors` names the fields that differ. */
export class ConflictError extends ProblemError {}
/** 429, 5xx: the same request again, after `retryAfterSeconds`. */
export class UnavailableError extends ProblemError {}

/** The error for an answer from Tillseal. */
export function problemOf(status: number, text: string, retryAfterSeconds: number | null = null): ProblemError {
  return new (kindOf(status))(status, text, retryAfterSeconds);
}

function kindOf(status: number): typeof ProblemError {
  if (status === 429 || status >= 500) return UnavailableError;
  if (status === 401 || status === 403) return AccessDeniedError;
  if (status === 404) return NotFoundError;
  if (status === 409) return ConflictError;
  return [400, 413, 415].includes(status) ? InvalidRequestError : ProblemError;
}

/** Whether a text is a problem from Tillseal, and not a page of a proxy or a captive portal. */
export function isProblem(text: string): boolean {
  return typeof parseObject(text)?.['Code'] === 'string';
}

/** In whole seconds, as Tillseal writes it. */
export function retryAfterOf(headers: Headers): number | null {
  const text = headers.get('retry-after') ?? '';
  return /^[0-9]+$/.test(text) ? Number(text) : null;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function fieldErrors(value: unknown): FieldError[] {
  if (!Array.isArray(value)) return [];
  return value.map((error: unknown) => {
    const { Field, Code, Message }: { Field?: unknown; Code?: unknown; Message?: unknown } = Object(error);
    return { field: textOf(Field) ?? '', code: textOf(Code) ?? '', message: textOf(Message) ?? '' };
  });
}
