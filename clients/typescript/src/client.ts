import { setTimeout as delay } from 'node:timers/promises';
import { Outbox, type OutboxOptions } from './outbox/outbox.ts';
import { LATE } from './outbox/sending.ts';
import type { Api, DocumentAddress, Event, Receipt, ReceiptAnswer, ReceiptDraft, SignedReceipt } from './wire/api.ts'; // Made by `npm run check` and `npm test`: git ignores it.
import { isProblem, NoAnswerError, problemOf, retryAfterOf, UnavailableError } from './wire/errors.ts';
import { parseExactJson } from './wire/exact-json.ts';
import { type Answer, type Connection, exchange } from './wire/http.ts';

/** The types, which are made from the contract, refuse a list that lacks one. */
const DOCUMENTS = {
  'GET /api/device/:authorityDeviceId/day/:fiscalDayNumber/report': true,
  'GET /api/receipt/:reference/print': true,
} as const satisfies Record<DocumentAddress, true>;

type Address = keyof Api;
export type Method = Address extends `${infer M} ${string}` ? M : never;
/** The paths that can be called with a method, as the API reference has them: `/api/device/:authorityDeviceId`. */
export type Path<M extends Method> = Address extends infer A ? (A extends `${M} ${infer P}` ? P : never) : never;
type Operation<M extends Method, P extends string> = Api[Extract<Address, `${M} ${P}`>];
type Part<Name extends string, Value> = [Value] extends [undefined] ? unknown : { readonly [Key in Name]: Value };

/** What an operation takes; its query may be left out. */
export type Given<M extends Method, P extends string> = Part<'params', Operation<M, P>['params']> &
  Part<'body', Operation<M, P>['body']> & { readonly query?: Operation<M, P>['query']; readonly signal?: AbortSignal };

/** An operation that needs nothing can be called with its address alone. */
type Arguments<M extends Method, P extends string> =
  object extends Given<M, P> ? [given?: Given<M, P>] : [given: Given<M, P>];

export interface ClientOptions {
  /** How long an answer may take (30). Signing alone waits up to ten seconds for the authority. */
  readonly timeoutSeconds?: number;
}

/** A date that has become too old for the device is moved to the next possible one. */
export interface Late {
  readonly late?: boolean;
}

interface Asked {
  readonly params?: object;
  readonly query?: object;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** How long the service may wait before it answers. */
  readonly waitSeconds?: number;
}

/** Tillseal's API. Any answer but success is thrown as the error for its status. */
export class Client {
  readonly #connection: Connection;
  readonly #timeoutSeconds: number;

  constructor(url: string, token: string, { timeoutSeconds = 30 }: ClientOptions = {}) {
    this.#connection = { url, token };
    this.#timeoutSeconds = timeoutSeconds;
  }

  /** Seals a receipt. The same one again gets the same seal. */
  sign(receipt: Receipt, late?: Late): Promise<SignedReceipt> {
    return this.#ask('POST', '/api/receipt/sign', { body: receipt, headers: lateHeader(late) });
  }

  /** Checks every rule that can be checked without sealing; returns the receipt as it would be sealed. */
  check(receipt: Receipt, late?: Late): Promise<ReceiptAnswer> {
    return this.#ask('POST', '/api/receipt/check', { body: receipt, headers: lateHeader(late) });
  }

  /** Completes a receipt without `Taxes` and `TotalAmount`, and with one payment without its amount: ready to be signed. */
  calculate(receipt: ReceiptDraft, late?: Late): Promise<ReceiptAnswer> {
    return this.#ask('POST', '/api/receipt/calculate', { body: receipt, headers: lateHeader(late) });
  }

  /** Any operation, by its method and path as the API reference has them. */
  call<M extends Method, P extends Path<M>>(
    method: M,
    path: P,
    ...[given]: Arguments<M, P>
  ): Promise<Operation<M, P>['answer']> {
    return this.#ask(method, path, (given ?? {}) as Asked);
  }

  /**
   * All events in order, for ever: it waits for the next one and continues after interruptions. With `waitSeconds: 0` it ends with the
   * last event there is. Keep the `Number` of the last event that you have handled, and start `after` it the next time.
   */
  async *events(
    after = 0,
    { waitSeconds = 30, signal }: { readonly waitSeconds?: number; readonly signal?: AbortSignal } = {},
  ): AsyncGenerator<Event> {
    let last = after;
    const isOver = () => signal?.aborted === true;
    for (let failures = 0; !isOver(); ) {
      const query = { After: String(last), Wait: waitSeconds };
      const asked = { query, signal, waitSeconds };
      const page = await this.#ask<Api['GET /api/events']['answer']>('GET', '/api/events', asked).catch(passingError);
      if (isOver()) return;
      if (page instanceof Error) {
        if (waitSeconds === 0) throw page;
        const pause = page instanceof UnavailableError ? page.retryAfterSeconds : null;
        const seconds = Math.min(300, Math.max(1, pause ?? Math.min(60, 2 ** failures)));
        failures += 1;
        await delay(seconds * 1000, undefined, { signal }).catch(() => {});
        continue;
      }
      failures = 0;
      for (const event of page.Events) {
        yield event;
        last = event.Number;
      }
      if (waitSeconds === 0 && page.Events.length === 0) return;
    }
  }

  /** The outbox in this file, which is created if it does not exist. */
  openOutbox(file: string, options: OutboxOptions = {}): Promise<Outbox> {
    return Outbox.open(this.#connection, file, options);
  }

  async #ask<Result>(method: string, path: string, asked: Asked): Promise<Result> {
    const { params, query, body, headers, signal, waitSeconds = 0 } = asked;
    const answer = await exchange(this.#connection, {
      method,
      path: pathOf(path, params, query),
      body: body === undefined ? undefined : JSON.stringify(body),
      ...(headers && { headers }),
      timeoutMs: (this.#timeoutSeconds + waitSeconds) * 1000,
      signal,
    });
    return readAnswer(answer, Object.hasOwn(DOCUMENTS, `${method} ${path}`)) as Result;
  }
}

function lateHeader(late: Late | undefined): Record<string, string> {
  return late?.late ? LATE : {};
}

function pathOf(path: string, params: object = {}, query: object = {}): string {
  const filled = path.replaceAll(/:(\w+)/g, (_all, name: string) =>
    encodeURIComponent(String(Reflect.get(params, name))),
  );
  const asked = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) asked.set(name, String(value));
  return asked.size === 0 ? filled : `${filled}?${asked.toString()}`;
}

/** JSON is read, a document (a PDF, a table of text) returned as it is. */
function readAnswer({ status, headers, bytes, text }: Answer, canBeDocument: boolean): unknown {
  const isGood = status >= 200 && status <= 299;
  if (!isGood && isProblem(text)) throw problemOf(status, text, retryAfterOf(headers));
  const isJson = headers.get('content-type')?.includes('json') === true;
  try {
    if (isGood && isJson) return parseExactJson(text);
  } catch {}
  if (isGood && !isJson && canBeDocument) return bytes;
  throw new NoAnswerError(
    `The answer (status ${status}) is not one of Tillseal's: something between may have given it.`,
  );
}

/** A failure that passes with time; all others are thrown. */
function passingError(error: unknown): Error {
  if (error instanceof NoAnswerError || error instanceof UnavailableError) return error;
  if (error instanceof Error && error.name === 'AbortError') return error;
  throw error;
}
