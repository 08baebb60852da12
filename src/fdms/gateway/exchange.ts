/**
 * One request and its answer over a connection pool, as a value. Written on undici's dispatch because only there one
 * learns when a request begins to leave: before that the authority cannot have seen it, after that it is unknown.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { connectionFailure } from './connection-failure.ts';

export interface ExchangeRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

export type Exchange =
  | { readonly kind: 'response'; readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: Buffer }
  | { readonly kind: 'failed'; readonly reason: string; readonly mayHaveArrived: boolean };

/** The largest answer by far is a configuration or a manually closed day: some kilobytes. */
const MAX_ANSWER_BYTES = 1024 * 1024;

/** What takes a handshake waits for its turn for so long before its `timeoutMs` begins. */
export const TURN_PATIENCE_MS = 30_000;
/** How long what is under way may still take when the process ends. */
export const CLOSE_GRACE_MS = 5_000;

/**
 * `timeoutMs` bounds everything together: waiting for a connection, connecting, the head and the body of the answer. `onStart` is called
 * when the request begins to leave.
 */
export function exchange(
  dispatcher: Dispatcher,
  request: ExchangeRequest,
  timeoutMs: number,
  onStart = () => {},
): Promise<Exchange> {
  return new Promise((resolve) => {
    const handler = new ExchangeHandler(resolve, timeoutMs, onStart);
    const { method, path, headers, body } = request;
    dispatcher.dispatch({ method, path, headers, body: body ?? null }, handler);
  });
}

class ExchangeHandler implements Dispatcher.DispatchHandler {
  readonly #resolve: (exchange: Exchange) => void;
  readonly #timer: NodeJS.Timeout;
  readonly #onStart: () => void;
  readonly #chunks: Buffer[] = [];
  #controller: Dispatcher.DispatchController | undefined;
  #isSettled = false;
  #size = 0;
  #status = 0;
  #headers: IncomingHttpHeaders = {};

  constructor(resolve: (exchange: Exchange) => void, timeoutMs: number, onStart: () => void) {
    this.#resolve = resolve;
    this.#onStart = onStart;
    this.#timer = setTimeout(() => this.#abort(`no answer within ${timeoutMs / 1000} s`), timeoutMs);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    this.#onStart();
    // It has waited for a connection beyond its deadline: it must not leave any more, its caller has gone.
    if (this.#isSettled) controller.abort(new Error('its deadline has passed'));
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#size += chunk.length;
    if (this.#size > MAX_ANSWER_BYTES) this.#abort(`the answer has more than ${MAX_ANSWER_BYTES} bytes`);
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    const body = Buffer.concat(this.#chunks);
    this.#settle({ kind: 'response', status: this.#status, headers: this.#headers, body });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    const failure = connectionFailure(error);
    const mayHaveArrived = this.#controller !== undefined && !failure.isHandshake;
    this.#settle({ kind: 'failed', reason: failure.reason, mayHaveArrived });
  }

  #abort(reason: string): void {
    const controller = this.#controller;
    this.#settle({ kind: 'failed', reason, mayHaveArrived: controller !== undefined });
    controller?.abort(new Error(reason));
  }

  #settle(exchange: Exchange): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    clearTimeout(this.#timer);
    this.#resolve(exchange);
  }
}
