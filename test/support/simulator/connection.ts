import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import type { Simulator } from '../../../src/simulator/index.ts';

export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** Tests look into answers of every shape. */
  readonly body: ReturnType<JSON['parse']>;
}

export const MODEL_HEADERS = { DeviceModelName: 'Server', DeviceModelVersion: 'v1' };

/** A client of the gateway over real TLS, with a device's certificate or none. */
export class TestConnection {
  readonly #simulator: Simulator;
  readonly #agent: Agent;

  constructor(simulator: Simulator, client: { readonly cert?: string; readonly key?: string } = {}) {
    this.#simulator = simulator;
    this.#agent = new Agent({ keepAlive: true, ca: readFileSync(simulator.caFile), ...client });
  }

  get(path: string, headers: Record<string, string> = MODEL_HEADERS): Promise<Answered> {
    return this.#send('GET', path, undefined, headers);
  }

  post(path: string, body?: unknown, headers: Record<string, string> = MODEL_HEADERS): Promise<Answered> {
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    return this.#send('POST', path, text, headers);
  }

  close(): void {
    this.#agent.destroy();
  }

  #send(method: string, path: string, text: string | undefined, headers: Record<string, string>): Promise<Answered> {
    return new Promise((resolve, reject) => {
      const sent = request(
        `${this.#simulator.url}${path}`,
        { method, agent: this.#agent, headers: { ...headers, 'content-type': 'application/json' } },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => {
            const answer = Buffer.concat(chunks).toString('utf8');
            const { statusCode = 0, headers: answerHeaders } = response;
            resolve({ status: statusCode, headers: answerHeaders, text: answer, body: JSON.parse(answer) });
          });
        },
      );
      sent.on('error', reject);
      sent.end(text);
    });
  }
}
