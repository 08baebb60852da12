import { Pool } from 'undici';
import { monotonicMs } from './old-load.ts';

export interface Question {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly token: string;
  readonly body?: string;
}

export interface Asker {
  /** Resolves with how long the answer took; a wrong answer counts as an error. */
  ask(question: Question, isRight: (answer: string) => boolean): Promise<number>;
  errors(): number;
  /** The first wrong answer, to show. */
  wrong(): string;
  close(): Promise<void>;
}

/** Asks a service over a number of connections. */
export function askerOf(origin: string, connections: number): Asker {
  const pool = new Pool(origin, { connections });
  let errors = 0;
  let wrong = '';
  const note = (answer: string) => {
    errors += 1;
    wrong ||= answer;
  };
  return {
    ask: async ({ method, path, token, body = null }, isRight) => {
      const sentAtMs = monotonicMs();
      const headers = {
        authorization: `Bearer ${token}`,
        ...(body === null ? {} : { 'content-type': 'application/json' }),
      };
      try {
        const answer = await pool.request({ path, method, headers, body });
        const text = await answer.body.text();
        const durationMs = monotonicMs() - sentAtMs;
        if (answer.statusCode !== 200 || !isRight(text)) note(`${answer.statusCode} ${text.slice(0, 300)}`);
        return durationMs;
      } catch (error) {
        note(String(error));
        return monotonicMs() - sentAtMs;
      }
    },
    errors: () => errors,
    wrong: () => wrong,
    close: () => pool.close(),
  };
}
