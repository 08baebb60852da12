import { parseObject } from './exact-json.ts';

/** One thing that is wrong with a request. */
export interface FieldError {
  /** Where: `ReceiptLines[0].HsCode`. */
  readonly Field: string;
  /** Stable: `RCPT048`. Explained under /docs/errors of the service. */
  readonly Code: string;
  /** What was expected. */
  readonly Message: string;
}

/** Whatever this package throws. */
export class TillsealError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** No answer came: whether the request arrived is unknown. Sending the same again is safe. */
export class NetworkError extends TillsealError {}

/** The journal of an outbox cannot be read or written, or does not allow what was asked. Nothing was sent. */
export class JournalError extends TillsealError {}

/** An answer that is not a good one. */
export class AnswerError extends TillsealError {
  readonly status: number;
  /** The stable name of the problem: `InvalidRequest`. */
  readonly code: string | undefined;
  readonly errors: readonly FieldError[];
  /** Quote it when you ask the operator of the service. */
  readonly requestId: string | undefined;
  /** The answer as it came. */
  readonly text: string;

  constructor(status: number, text: string) {
    const problem = parseObject(text) ?? {};
    const errors = fieldErrors(problem['errors']);
    const detail = textOf(problem['detail']) ?? textOf(problem['title']) ?? 'The answer is not one of Tillseal.';
    super(
      [`${status}: ${detail}`, ...errors.map(({ Field, Code, Message }) => `${Field} (${Code}): ${Message}`)].join(
        '\n',
      ),
    );
    this.status = status;
    this.code = textOf(problem['Code']);
    this.errors = errors;
    this.requestId = textOf(problem['requestId']);
    this.text = text;
  }
}

/** 400, 413, 415: the request must be changed. `errors` names every wrong field. */
export class RefusedError extends AnswerError {}
/** 401, 403: the token is missing, not valid, or may not do this. */
export class UnauthorisedError extends AnswerError {}
/** 404: there is no such thing, or it is not yours. */
export class NotFoundError extends AnswerError {}
/** 409: the reference stands for other data. `errors` names the fields that differ. */
export class ConflictError extends AnswerError {}
/** 500 and everything unexpected. */
export class ServiceError extends AnswerError {}

/** 429, 503: nothing was done. The same request again, later. */
export class BusyError extends AnswerError {
  /** Seconds; undefined if the answer does not say. */
  readonly retryAfter: number | undefined;

  constructor(status: number, text: string, retryAfter: number | undefined) {
    super(status, text);
    this.retryAfter = retryAfter;
  }
}

/** The error that belongs to an answer. */
export function errorOf(status: number, text: string, headers: Headers): AnswerError {
  if (status === 429 || status === 503) return new BusyError(status, text, retryAfterOf(headers));
  if (status === 401 || status === 403) return new UnauthorisedError(status, text);
  if (status === 404) return new NotFoundError(status, text);
  if (status === 409) return new ConflictError(status, text);
  if ([400, 413, 415].includes(status)) return new RefusedError(status, text);
  return new ServiceError(status, text);
}

/** In seconds. A proxy may write a date there. */
export function retryAfterOf(headers: Headers): number | undefined {
  const text = headers.get('retry-after') ?? '';
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function fieldErrors(value: unknown): FieldError[] {
  if (!Array.isArray(value)) return [];
  return value.map((error: Partial<Record<keyof FieldError, unknown>>) => ({
    Field: textOf(error?.Field) ?? '',
    Code: textOf(error?.Code) ?? '',
    Message: textOf(error?.Message) ?? '',
  }));
}
