import { LRUCache } from 'lru-cache';
import type { Queryable } from './database.ts';

/** A revocation must be felt on every instance within 5 s. */
const TRUSTED_MS = 3000;
const LOOK_EVERY_MS = 1000;
const MOST_TOKENS = 20_000;

export interface KnownTokensOptions<Identity> {
  readonly find: (token: string) => Promise<Identity | undefined>;
  /** Another value whenever a token or a holder has changed. */
  readonly changes: () => Promise<bigint>;
}

/**
 * Who is behind the tokens that were used lately. Remembered until something about tokens changes anywhere, which one small
 * question a second finds out, and only while somebody is there: ten thousand shops would otherwise be asked for anew
 * every few seconds. Unknown tokens are not remembered, so a flood of them cannot push out the known ones.
 */
export class KnownTokens<Identity extends object> {
  readonly #options: KnownTokensOptions<Identity>;
  readonly #known = new LRUCache<string, Identity>({ max: MOST_TOKENS });
  /** Many requests with one token ask once. */
  readonly #loading = new Map<string, Promise<Identity | undefined>>();
  #changes: bigint | undefined;
  #looking: Promise<void> | undefined;
  #lookedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: KnownTokensOptions<Identity>) {
    this.#options = options;
  }

  /** When it is at hand: nearly always, and then nobody has to wait for a promise. */
  get(token: string): Identity | undefined {
    if (this.#ageMs > LOOK_EVERY_MS) this.#look().catch(() => {}); // whoever cannot do without it asks again
    return this.#ageMs < TRUSTED_MS ? this.#known.get(token) : undefined;
  }

  async find(token: string): Promise<Identity | undefined> {
    if (this.#ageMs >= TRUSTED_MS) await this.#look();
    return this.#known.get(token) ?? (await this.#load(token));
  }

  get #ageMs(): number {
    return performance.now() - this.#lookedAtMs;
  }

  #look(): Promise<void> {
    this.#looking ??= this.#lookOnce().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #lookOnce(): Promise<void> {
    const atMs = performance.now();
    const changes = await this.#options.changes();
    if (changes !== this.#changes) {
      this.#known.clear();
      this.#loading.clear();
      this.#changes = changes;
    }
    this.#lookedAtMs = atMs;
  }

  #load(token: string): Promise<Identity | undefined> {
    const underWay = this.#loading.get(token);
    if (underWay !== undefined) return underWay;
    const loading = this.#loadOnce(token).finally(() => {
      if (this.#loading.get(token) === loading) this.#loading.delete(token);
    });
    this.#loading.set(token, loading);
    return loading;
  }

  async #loadOnce(token: string): Promise<Identity | undefined> {
    const before = this.#changes;
    const identity = await this.#options.find(token);
    // What was read before a change and arrives after it is good for who asked, but is not kept.
    if (identity !== undefined && this.#changes === before) this.#known.set(token, identity);
    return identity;
  }
}

/** How many changes to tokens and their holders were committed. */
export async function countTokenChanges(db: Queryable): Promise<bigint> {
  const { rows } = await db.query<{ number: bigint }>({
    name: 'count-token-changes',
    text: 'select number from token_changes',
    values: [],
  });
  const count = rows[0]?.number;
  if (count === undefined) throw new Error('nothing counts the changes of tokens');
  return count;
}
