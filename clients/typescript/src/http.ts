import { NoAnswerError } from './errors.ts';

/** Where the service is and who asks. */
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

/** Asks, and returns the answer, whatever it is. Redirects are not followed: a POST would become a GET on the way. */
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
    const bytes = new Uint8Array(await response.arrayBuffer());
    return { status: response.status, headers: response.headers, bytes, text: new TextDecoder().decode(bytes) };
  } catch (error) {
    if (signal?.aborted) throw error;
    const reason = patience.aborted ? `no answer within ${Math.ceil(timeoutMs)} ms` : causeOf(error);
    throw new NoAnswerError(`${url} cannot be reached: ${reason}.`, { cause: error });
  }
}

function causeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message || String(Reflect.get(cause, 'code')) : String(cause);
}
