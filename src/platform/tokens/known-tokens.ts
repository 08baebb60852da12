import { setTimeout as delay } from 'node:timers/promises';
import type { Queryable } from '../database/database.ts';
import { recentlyUsed } from '../recently-used.ts';

/** A revocation must be felt on every instance within 5 s. */
const TRUSTED_MS = 3000;
const LOOK_EVERY_MS = 1000;
const MAX_TOKENS = 20_000;
/** Enough for tills that keep using a revoked one. */
const MAX_UNKNOWN = 1000;
const GATHER_MS = 500;
const MAX_GATHERED = 1000;
/** This many of a network are accepted even when others have filled it. */
const QUIET = 20;
/** A thousand answers in one go would hold up everyone else for a tenth of a second, and so would the thousand requests that follow them. */
const ANSWERED_AT_ONCE = 20;
const ANSWERS_APART_MS = 10;

export interface KnownTokensOptions<Identity> {
  /** Those of the tokens that exist. */
  readonly find: (tokens: readonly string[]) => Promise<ReadonlyMap<string, Identity>>;
  /** Another value whenever a token or a holder has changed. */
  readonly changes: () => Promise<bigint>;
}

interface Known<Identity> {
  readonly identity: Identity;
  /** It is so as long as no more has changed. */
  readonly changes: bigint | undefined;
}

interface Gathering<Identity> {
  readonly tokens: Set<string>;
  /** How many each network has sent. */
  readonly networks: Map<string, number>;
  /** Answered one after the other. */
  readonly portions: PromiseWithResolvers<ReadonlyMap<string, Identity>>[];
}

/**
 * Who is behind the tokens that were used lately. Remembered until something about tokens changes anywhere, which one small
 * query a second finds out, and only while there are callers: ten thousand shops would otherwise be looked up again
 * every few seconds. Unknown tokens are remembered apart, so a flood of them cannot push out the known ones.
 */
export class KnownTokens<Identity extends object> {
  readonly #options: KnownTokensOptions<Identity>;
  readonly #known = recentlyUsed<Known<Identity>>(MAX_TOKENS);
  /** With the change number up to which they did not exist. A new token is random: it cannot have been tried before it was issued. */
  readonly #unknown = recentlyUsed<bigint>(MAX_UNKNOWN);
  /** Many requests with one token ask once. */
  readonly #loading = new Map<string, Promise<Identity | undefined>>();
  #gathering: Gathering<Identity> | undefined;
  #changes: bigint | undefined;
  #looking: Promise<void> | undefined;
  #lookedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: KnownTokensOptions<Identity>) {
    this.#options = options;
  }

  /** If it is in memory: nearly always, and then there is no promise to wait for. */
  get(token: string): Identity | undefined {
    if (this.#ageMs > LOOK_EVERY_MS) this.#look().catch(() => {}); // a caller that needs it asks again
    return this.#ageMs < TRUSTED_MS ? this.#current(token) : undefined;
  }

  /** Whether the database would be asked for a token that was never used here. */
  isDoubtful(token: string): boolean {
    const isSettled = this.#ageMs < TRUSTED_MS && this.#unknown.get(token) === this.#changes;
    return !isSettled && !this.#known.has(token) && !this.#loading.has(token);
  }

  async find(token: string): Promise<Identity | undefined> {
    if (this.#ageMs >= TRUSTED_MS) await this.#look();
    if (this.#unknown.get(token) === this.#changes) return undefined;
    return this.#current(token) ?? (await this.#load(token));
  }

  /**
   * Together with all that is asked for like this in half a second, in one question: it takes longer, and however many are
   * sent they cost next to nothing. Undefined when too many wait already, unless the network has few among them.
   */
  findGathered(token: string, network: string): Promise<Identity | undefined> | undefined {
    this.#gathering ??= this.#gather();
    const { tokens, networks, portions } = this.#gathering;
    const sent = networks.get(network) ?? 0;
    if (tokens.size >= (sent < QUIET ? 2 * MAX_GATHERED : MAX_GATHERED)) return undefined;
    networks.set(network, sent + 1);
    const nth = Math.floor(tokens.size / ANSWERED_AT_ONCE);
    tokens.add(token);
    portions[nth] ??= Promise.withResolvers();
    return portions[nth].promise.then((all) => all.get(token));
  }

  get #ageMs(): number {
    return performance.now() - this.#lookedAtMs;
  }

  #current(token: string): Identity | undefined {
    const known = this.#known.get(token);
    return known?.changes === this.#changes ? known?.identity : undefined;
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
      this.#loading.clear();
      this.#changes = changes;
    }
    this.#lookedAtMs = atMs;
  }

  #load(token: string): Promise<Identity | undefined> {
    const underWay = this.#loading.get(token);
    if (underWay !== undefined) return underWay;
    const loading = this.#ask([token])
      .then((found) => found.get(token))
      .finally(() => {
        if (this.#loading.get(token) === loading) this.#loading.delete(token);
      });
    this.#loading.set(token, loading);
    return loading;
  }

  #gather(): Gathering<Identity> {
    const gathering: Gathering<Identity> = { tokens: new Set(), networks: new Map(), portions: [] };
    const ask = async () => {
      await delay(GATHER_MS);
      this.#gathering = undefined;
      if (this.#ageMs >= TRUSTED_MS) await this.#look();
      const found = await this.#ask([...gathering.tokens]);
      for (const { resolve } of gathering.portions) {
        resolve(found);
        await delay(ANSWERS_APART_MS);
      }
    };
    ask().catch((error: unknown) => {
      for (const { reject } of gathering.portions) reject(error);
    });
    return gathering;
  }

  async #ask(tokens: readonly string[]): Promise<ReadonlyMap<string, Identity>> {
    const before = this.#changes;
    const found = await this.#options.find(tokens);
    // What was read before a change and arrives after it is good for who asked, but is not kept.
    if (this.#changes !== before) return found;
    for (const token of tokens) {
      const identity = found.get(token);
      if (identity !== undefined) this.#known.set(token, { identity, changes: before });
      else {
        this.#known.delete(token);
        if (before !== undefined) this.#unknown.set(token, before);
      }
    }
    return found;
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
