import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { ServiceProcess } from '../shared/processes.ts';

/** Another user of the service, beside the tills that are measured. */
export interface Neighbour {
  readonly name: string;
  /** Runs once, before the measurement: makes tenants, tokens, documents, and returns what its connections then keep sending. */
  prepare(service: ServiceProcess, signal: AbortSignal): Promise<NeighbourLoad>;
  /** The expected status of its answers; any other counts as refused. */
  readonly expects: number;
}

export interface NeighbourLoad {
  readonly connections: number;
  /** The shortest time between two requests of a connection; none by default. */
  readonly everyMs?: number;
  /** Requests as they go over the wire; each connection starts at a different one and continues through the list. */
  readonly requests: readonly string[];
}

/** The answers over all rounds. */
export interface NeighbourAnswers {
  readonly answers: Readonly<Record<string, number>>;
  /** How long it ran. */
  readonly seconds: number;
  /** Connections that could not be made or were cut. */
  readonly broken: number;
}

export interface RunningLoad {
  /** Resolves when every connection has sent its first request. */
  begin(): Promise<void>;
  end(): Promise<void>;
  /** Ends the process. */
  close(): Promise<NeighbourAnswers>;
}

/** An HTTP/1.1 request with only the headers that are needed. */
export function requestText(method: string, path: string, headers: Record<string, string>, body = ''): string {
  const all = { host: 'bench', ...headers, ...(body === '' ? {} : { 'content-length': Buffer.byteLength(body) }) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

/** In a separate process, so that it does not slow down the generator that measures. */
export async function startNeighbour(origin: string, load: NeighbourLoad): Promise<RunningLoad> {
  const child = fork(join(import.meta.dirname, 'process.ts'), { execArgv: [] });
  const ask = async (message: object) => {
    child.send(message);
    return answerOf(child);
  };
  await ask({ kind: 'load', origin, ...load });
  return {
    begin: async () => void (await ask({ kind: 'begin' })),
    end: async () => void (await ask({ kind: 'end' })),
    close: async () => {
      const answers = (await ask({ kind: 'answers' })) as NeighbourAnswers;
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
      return answers;
    },
  };
}

async function answerOf(child: ChildProcess): Promise<unknown> {
  const [answer] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => Promise.reject(new Error('the neighbour has ended'))),
  ]);
  return answer;
}
