import { NoAnswerError } from './errors.ts';

/** The service's address, and the token to use. */
export interface Connection {
  /** `https://tillseal.example.com` */
  readonly url: string;
  readonly token: string;
}

export interface Question {
  readonly method: string;
  readonly path: string;
  readonly body?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** How long to wait for the whole answer. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  readonly text: string;
}

const LONGEST_ANSWER = 16 * 1024 * 1024;

/** Asks, and returns the answer with any status. Redirects are not followed, because a POST would become a GET. */
export async function exchange({ url, token }: Connection, question: Question): Promise<Answer> {
  const { method, path, body, headers, timeoutMs, signal } = question;
  const patience = AbortSignal.timeout(Math.max(1, Math.ceil(timeoutMs)));
  try {
    const response = await fetch(`${url.replace(/\/+$/, '')}${path}`, {
      method,
      headers: {
        accept: 'application/json',
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      redirect: 'manual',
      signal: signal === undefined ? patience : AbortSignal.any([patience, signal]),
      ...(body === undefined ? {} : { body }),
    });
    const bytes = await bytesOf(response);
    return { status: response.status, headers: response.headers, bytes, text: new TextDecoder().decode(bytes) };
  } catch (error) {
    if (signal?.aborted) throw error;
    const reason = patience.aborted ? `no answer within ${Math.ceil(timeoutMs)} ms` : causeOf(error);
    throw new NoAnswerError(`${url} cannot be reached: ${reason}.`, { cause: error });
  }
}

/** No answer from Tillseal is as long; one from something else may be endless. */
async function bytesOf({ body }: Response): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of body ?? []) {
    length += part.length;
    if (length > LONGEST_ANSWER) throw new Error(`the answer is longer than ${LONGEST_ANSWER} bytes`);
    parts.push(part);
  }
  return new Uint8Array(Buffer.concat(parts));
}

function causeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message || String(Reflect.get(cause, 'code')) : String(cause);
}
