import type { Client } from 'undici';

/** Since its last answer. */
export const KEPT_MS = 60_000;

interface Kept {
  readonly client: Client;
  readonly origin: string;
  readonly timer: NodeJS.Timeout;
}

/** A client with its connection for each key, while it is not in use. */
export class KeptClients {
  readonly #kept = new Map<string, Kept>();

  take(key: string, origin: string): Client | undefined {
    const kept = this.#kept.get(key);
    if (kept?.origin !== origin) return undefined;
    clearTimeout(kept.timer);
    this.#kept.delete(key);
    return kept.client;
  }

  keep(key: string, origin: string, client: Client): void {
    this.forget(key);
    this.#kept.set(key, { client, origin, timer: setTimeout(() => this.forget(key), KEPT_MS).unref() });
  }

  forget(key: string): void {
    const kept = this.#kept.get(key);
    if (kept === undefined) return;
    clearTimeout(kept.timer);
    this.#kept.delete(key);
    void kept.client.destroy();
  }

  close(): void {
    for (const key of this.#kept.keys()) this.forget(key);
  }
}
