import { Agent } from 'undici';
import type { Answer, Attempt } from './attempt.ts';

/** No answer after this time counts as a hang. */
const PATIENCE_MS = 120_000;

/** Sends over persistent connections, as integrations do. wire.ts sends what no client would. */
export interface Client {
  readonly send: (attempt: Attempt) => Promise<Answer>;
  readonly close: () => Promise<void>;
}

export function createClient(url: string, connections: number): Client {
  const agent = new Agent({ connections, headersTimeout: PATIENCE_MS, bodyTimeout: PATIENCE_MS, pipelining: 1 });
  return {
    send: async (attempt) => {
      const startedAtMs = performance.now();
      const response = await agent.request({
        origin: url,
        path: attempt.path,
        method: attempt.method,
        headers: attempt.headers.flat(),
        body: attempt.body ?? null,
      });
      const headers = Object.fromEntries(
        Object.entries(response.headers).map(([name, value]) => [name, [value].flat().join(', ')]),
      );
      const body = Buffer.from(await response.body.arrayBuffer());
      return { status: response.statusCode, headers, body, durationMs: performance.now() - startedAtMs };
    },
    close: () => agent.destroy(),
  };
}
