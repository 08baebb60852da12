import { setTimeout as delay } from 'node:timers/promises';
import { ask } from '../../test/support/ask.ts';

const ATTEMPT_MS = 5000;
/** While a world is made, nothing hangs and nothing may be made twice: a busy machine may take its time. */
export const MAKING_MS = 60_000;

/** The operators' API, at any instance that answers. What is not answered is sent again: every call here may be repeated. */
export class Admin {
  readonly #instances: readonly { readonly url: string }[];
  readonly #token: string;
  readonly #attemptMs: number;

  constructor(instances: readonly { readonly url: string }[], token: string, attemptMs = ATTEMPT_MS) {
    this.#instances = instances;
    this.#token = token;
    this.#attemptMs = attemptMs;
  }

  async call<T>(method: string, path: string, body?: object, patienceMs = 60_000): Promise<T> {
    const deadline = Date.now() + patienceMs;
    for (let attempt = 0; ; attempt += 1) {
      const instance = this.#instances[attempt % this.#instances.length];
      const answer = await this.#send(instance?.url ?? '', method, path, body);
      if (answer.status >= 200 && answer.status < 300) return JSON.parse(answer.text) as T;
      const isPassing = answer.status === 0 || answer.status >= 500 || answer.status === 429;
      if (!isPassing || Date.now() > deadline) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
      await delay(200);
    }
  }

  async #send(url: string, method: string, path: string, body: object | undefined) {
    try {
      const signal = AbortSignal.timeout(this.#attemptMs);
      const response = await ask({ url, token: this.#token }, method, `/api/admin/${path}`, body, signal);
      return { status: response.status, text: await response.text() };
    } catch (error) {
      return { status: 0, text: String(error) };
    }
  }
}
