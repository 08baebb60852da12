import { setTimeout as delay } from 'node:timers/promises';
import type { Api, Event, Receipt, ReceiptAnswer, ReceiptDraft, SignedReceipt } from './api.ts';
import { BusyError, errorOf, NetworkError, ServiceError } from './errors.ts';
import { parseExactJson } from './exact-json.ts';
import { type Answer, type Connection, exchange } from './http.ts';
import { Outbox, type OutboxOptions } from './outbox/outbox.ts';

export type Address = keyof Api;
type Part<Name extends string, Value> = [Value] extends [undefined] ? unknown : { readonly [Key in Name]: Value };

/** What an operation takes; its query may be left out. */
export type Given<A extends Address> = Part<'params', Api[A]['params']> &
  Part<'body', Api[A]['body']> & { readonly query?: Api[A]['query']; readonly signal?: AbortSignal };

/** An operation that needs nothing can be called with its address alone. */
type Arguments<A extends Address> = object extends Given<A> ? [given?: Given<A>] : [given: Given<A>];

export interface ClientOptions extends Connection {
  /** How long an answer may take. Signing alone waits up to ten seconds for the authority. */
  readonly timeoutMs?: number;
}

/** A date that has become too old for the device is moved to the next possible one. */
interface Late {
  readonly isLate: boolean;
}

/** Tillseal's API. Every answer but a good one is thrown, as the error of its kind. */
export class Tillseal {
  readonly #connection: Connection;
  readonly #timeoutMs: number;

  constructor({ timeoutMs = 30_000, ...connection }: ClientOptions) {
    this.#connection = connection;
    this.#timeoutMs = timeoutMs;
  }

  /** Seals a receipt. The same one again gets the same seal. */
  sign(receipt: Receipt, late?: Late): Promise<SignedReceipt> {
    return this.#ask('POST /api/receipt/sign', { body: receipt }, headersOf(late));
  }

  /** Every rule that can be known without sealing; returns the receipt as it would be sealed. */
  check(receipt: Receipt, late?: Late): Promise<ReceiptAnswer> {
    return this.#ask('POST /api/receipt/check', { body: receipt }, headersOf(late));
  }

  /** Completes a receipt without `Taxes` and `TotalAmount`, and with one payment without its amount: ready to be signed. */
  calculate(receipt: ReceiptDraft, late?: Late): Promise<ReceiptAnswer> {
    return this.#ask('POST /api/receipt/calculate', { body: receipt }, headersOf(late));
  }

  /** Any operation, by its address as the API reference has it: `GET /api/device/:authorityDeviceId`. */
  call<A extends Address>(address: A, ...[given]: Arguments<A>): Promise<Api[A]['answer']> {
    return this.#ask(address, given ?? {});
  }

  /**
   * What happens, in order, for ever: waits for the next event, and goes on after interruptions. Keep the `Number` of the last one that
   * you have dealt with, and begin `after` it the next time.
   */
  async *events({
    after = 0,
    signal,
  }: {
    readonly after?: number;
    readonly signal?: AbortSignal;
  } = {}): AsyncGenerator<Event> {
    let last = after;
    const isOver = () => signal?.aborted === true;
    for (let failures = 0; !isOver(); ) {
      const asked = this.#ask('GET /api/events', { query: { After: String(last), Wait: 25 } }, { signal });
      const page = await asked.catch(passingError);
      if (isOver()) return;
      if (page instanceof Error) {
        const seconds = (page instanceof BusyError ? page.retryAfter : undefined) ?? Math.min(60, 2 ** failures);
        failures += 1;
        await delay(Math.max(1, seconds) * 1000, undefined, { signal }).catch(() => {});
        continue;
      }
      failures = 0;
      for (const event of page.Events) {
        yield event;
        last = event.Number;
      }
    }
  }

  /** An outbox with this address and token. */
  outbox(file: string, options: Omit<OutboxOptions, 'file' | keyof Connection> = {}): Promise<Outbox> {
    return Outbox.open({ file, ...options, ...this.#connection });
  }

  async #ask<A extends Address>(
    address: A,
    given: object,
    more: { headers?: Record<string, string>; signal?: AbortSignal | undefined } = {},
  ): Promise<Api[A]['answer']> {
    const {
      params,
      query,
      body,
      signal = more.signal,
    }: { params?: object; query?: object; body?: unknown; signal?: AbortSignal } = given;
    const [method = '', path = ''] = address.split(' ');
    const answer = await exchange(this.#connection, {
      method,
      path: pathOf(path, params, query),
      body: body === undefined ? undefined : JSON.stringify(body),
      headers: more.headers ?? {},
      timeoutMs: this.#timeoutMs,
      signal,
    });
    if (answer.status < 200 || answer.status > 299) throw errorOf(answer.status, answer.text, answer.headers);
    return readAnswer(answer);
  }
}

function headersOf(late: Late | undefined): { readonly headers: Record<string, string> } {
  return { headers: late?.isLate ? { 'late-receipt': 'true' } : {} };
}

function pathOf(path: string, params: object = {}, query: object = {}): string {
  const filled = path.replaceAll(/:(\w+)/g, (_all, name: string) =>
    encodeURIComponent(String(Reflect.get(params, name))),
  );
  const asked = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) asked.set(name, String(value));
  return asked.size === 0 ? filled : `${filled}?${asked.toString()}`;
}

/** JSON is read, everything else (a PDF, a table of text) returned as it is. */
function readAnswer<A extends Address>({ status, headers, bytes, text }: Answer): Api[A]['answer'] {
  if (!headers.get('content-type')?.includes('json')) return bytes;
  try {
    return parseExactJson(text) as Api[A]['answer'];
  } catch {
    throw new ServiceError(status, text);
  }
}

/** One that time heals; all others are thrown. */
function passingError(error: unknown): Error {
  if (error instanceof NetworkError || error instanceof BusyError || error instanceof ServiceError) return error;
  if (error instanceof Error && error.name === 'AbortError') return error;
  throw error;
}
