import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { buildConnector, Client, type Dispatcher } from 'undici';
import { type CallEnd, tracedCall } from '../tracing/tracing.ts';
import { addressKind } from './address-ranges.ts';
import { KEPT_MS, KeptClients } from './kept-clients.ts';
import { resolveName } from './resolve-name.ts';

/** A request to an address from outside: from a vendor or an operator. */
export interface OutgoingRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Over everything: name, connection, handshake, head and body of the answer. */
  readonly timeoutMs: number;
  /** How much of the answer is kept; no more of it is read. */
  readonly answerBytes: number;
  /** Ends it before its time. */
  readonly signal?: AbortSignal | undefined;
  /** Requests with the same one share a connection, one after another; without it each has its own. */
  readonly connectionOf?: string | undefined;
}

export type OutgoingOutcome =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly answer: Buffer;
      /** The header Retry-After. */
      readonly retryAfter?: string | undefined;
    }
  /** `status` where the head of an answer had come. */
  | { readonly kind: 'failed'; readonly reason: string; readonly status: number | undefined };

export interface OutgoingOptions {
  /** Whether this machine and its own network may be called. */
  readonly allowsPrivate: boolean;
  /** Every address of a name; the system's by default. */
  readonly resolve?: (name: string) => Promise<readonly LookupAddress[]>;
}

export type SendOutgoing = (request: OutgoingRequest) => Promise<OutgoingOutcome>;

export interface Outgoing {
  readonly send: SendOutgoing;
  /** Closes the connection that is kept for these requests. */
  readonly forget: (connectionOf: string) => void;
  readonly close: () => void;
}

/** Of an answer whose connection is kept; a longer one costs its sender the connection. */
const READ_TO_THE_END_BYTES = 65_536;

/** The address is one that may not be called. Its message is for the person who registered it. */
class ForbiddenAddress extends Error {
  override readonly name = 'ForbiddenAddress';
}

/**
 * Posts to addresses of others. What a name resolves to is checked and then connected to, the very same addresses, so a name
 * that answers differently the next time gains nothing. No redirects, no proxy, no cookies.
 */
export function createOutgoing(options: OutgoingOptions): Outgoing {
  const connect = guardedConnector(options);
  const kept = new KeptClients();
  // A connection is checked when it is made, also one that is kept.
  const newClient = ({ origin }: URL, isKept: boolean) =>
    new Client(origin, { connect, pipelining: isKept ? 1 : 0, headersTimeout: 0, bodyTimeout: 0, ...KEEP_ALIVE });
  const sendBy = async (client: Client, url: URL, request: OutgoingRequest): Promise<Posted> => {
    const posted = await tracedCall(
      { method: 'POST', host: url.hostname },
      (headers) =>
        post(client, `${url.pathname}${url.search}`, { ...request, headers: { ...request.headers, ...headers } }),
      ({ outcome }) => endOf(outcome),
    );
    if (posted.isWhole && request.connectionOf !== undefined) kept.keep(request.connectionOf, url.origin, client);
    else await client.destroy();
    return posted;
  };
  return {
    send: async (request) => {
      const fault = urlFault(request.url, options.allowsPrivate);
      if (fault !== undefined) return { kind: 'failed', reason: fault, status: undefined };
      const url = new URL(request.url);
      const { connectionOf } = request;
      const known = connectionOf === undefined ? undefined : kept.take(connectionOf, url.origin);
      const startedMs = performance.now();
      const first = await sendBy(known ?? newClient(url, connectionOf !== undefined), url, request);
      // The receiver may close a kept connection just as it is used again: that says nothing of how it would answer.
      if (known === undefined || !first.isCut) return first.outcome;
      const timeoutMs = Math.max(1, Math.round(request.timeoutMs - (performance.now() - startedMs)));
      return (await sendBy(newClient(url, true), url, { ...request, timeoutMs })).outcome;
    },
    forget: (key) => kept.forget(key),
    close: () => kept.close(),
  };
}

const KEEP_ALIVE = { keepAliveTimeout: KEPT_MS, keepAliveMaxTimeout: KEPT_MS };

function endOf(outcome: OutgoingOutcome): CallEnd {
  const { kind, status } = outcome;
  if (kind === 'failed') return { status, failure: outcome.reason };
  return status < 400 ? { status } : { status, failure: String(status) };
}

/** Why this address cannot be registered or called, as far as that is known without resolving its name. */
export function urlFault(text: string, allowsPrivate: boolean): string | undefined {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    return 'must be an address such as https://vendor.example.com/webhook';
  }
  if (url.username !== '' || url.password !== '') return 'must not contain a user or a password';
  // The URL parser has turned 2130706433, 0x7f.1 and 0177.0.0.1 into 127.0.0.1 by now.
  const host = withoutBrackets(url.hostname);
  return isIP(host) === 0 || isAllowed(host, allowsPrivate) ? undefined : forbidden(host);
}

function guardedConnector({ allowsPrivate, resolve = resolveName }: OutgoingOptions): buildConnector.connector {
  const check = async (name: string): Promise<readonly LookupAddress[]> => {
    const addresses = await resolve(name);
    if (addresses.length === 0) throw new Error('the name has no address');
    // All of them: a name that leads both out and in is not trusted to lead out.
    const isWrong = addresses.some(({ address }) => !isAllowed(address, allowsPrivate));
    // Who may register an address must not learn what names of this network lead to.
    if (isWrong) throw new ForbiddenAddress('does not lead to a public address');
    return addresses;
  };
  const answerLookup = async (name: string, isForAll: boolean, callback: Parameters<LookupFunction>[2]) => {
    const found = await check(name).catch((error: unknown) => asError(error));
    if (found instanceof Error) callback(found, '');
    else if (isForAll) callback(null, [...found]);
    else callback(null, found[0]?.address ?? '', found[0]?.family);
  };
  const lookup: LookupFunction = (name, { all = false }, callback) => void answerLookup(name, all, callback);
  const connect = buildConnector({ lookup, allowH2: false, timeout: 0 });
  return (target, callback) => {
    // A literal address is never looked up, so it is checked here.
    const host = withoutBrackets(target.hostname);
    if (isIP(host) === 0 || isAllowed(host, allowsPrivate)) connect(target, callback);
    else callback(new ForbiddenAddress(forbidden(host)), null);
  };
}

function isAllowed(address: string, allowsPrivate: boolean): boolean {
  const kind = addressKind(address);
  return kind === 'public' || (kind === 'private' && allowsPrivate);
}

function forbidden(address: string): string {
  return `leads to ${address}, which is not an address of the public internet`;
}

function withoutBrackets(host: string): string {
  return host.startsWith('[') ? host.slice(1, -1) : host;
}

interface Posted {
  readonly outcome: OutgoingOutcome;
  /** The answer was read to its end: the connection can be used again. */
  readonly isWhole: boolean;
  /** The connection broke before there was an answer. */
  readonly isCut: boolean;
}

function post(client: Client, path: string, request: OutgoingRequest): Promise<Posted> {
  const mostBytes = request.connectionOf === undefined ? request.answerBytes : READ_TO_THE_END_BYTES;
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let status: number | undefined;
    let retryAfter: string | undefined;
    const settle = (outcome: OutgoingOutcome, isWhole: boolean, isCut: boolean) => {
      clearTimeout(timer);
      request.signal?.removeEventListener('abort', stop);
      resolve({ outcome, isWhole, isCut });
    };
    const answered = (isWhole: boolean) => {
      const answer = Buffer.concat(chunks).subarray(0, request.answerBytes);
      settle({ kind: 'answered', status: status ?? 0, answer, retryAfter }, isWhole, false);
    };
    const failed = (reason: string, isCut = false) => settle({ kind: 'failed', reason, status }, false, isCut);
    const timer = setTimeout(() => failed(`no whole answer within ${request.timeoutMs / 1000} s`), request.timeoutMs);
    const stop = () => failed('the service was stopped before the answer came');
    request.signal?.addEventListener('abort', stop);
    if (request.signal?.aborted) return stop();
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: () => {},
      onResponseStart: (_controller, code, headers) => {
        status = code;
        retryAfter = headers['retry-after']?.toString();
      },
      onResponseData: (_controller, chunk) => {
        chunks.push(chunk);
        size += chunk.length;
        if (size >= mostBytes) answered(false);
      },
      onResponseEnd: () => answered(true),
      onResponseError: (_controller, error) => failed(failureOf(error), status === undefined),
    };
    client.dispatch({ method: 'POST', path, headers: request.headers, body: request.body }, handler);
  });
}

const FAILURES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refuses connections',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was reset',
  ENOTFOUND: 'the name is unknown',
  ENODATA: 'the name is unknown',
  EAI_AGAIN: 'the name could not be looked up',
  ETIMEOUT: 'the name could not be looked up in time',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  ETIMEDOUT: 'no connection in time',
  UND_ERR_SOCKET: 'the connection was cut',
};

function failureOf(error: Error): string {
  if (error instanceof ForbiddenAddress) return error.message;
  const inner = error instanceof AggregateError ? error.errors.find((one) => one instanceof Error) : error.cause;
  const code = codeOf(inner) ?? codeOf(error) ?? error.name;
  return `${FAILURES[code] ?? 'the connection failed'} (${code})`;
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
