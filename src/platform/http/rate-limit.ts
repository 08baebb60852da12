import { recentlyUsed } from '../recently-used.ts';

interface Bucket {
  tokens: number;
  filledAtMs: number;
}

/**
 * A number of requests per second and holder, with bursts of up to one second's worth or as given. Each instance counts separately: the
 * limit protects the service, it is not an invoice.
 */
export class RateLimiter {
  readonly #buckets = recentlyUsed<Bucket>(50_000);
  readonly #perSecond: number;
  readonly #burst: number;

  /** 0 means no limit. */
  constructor(perSecond: number, burst = perSecond) {
    this.#perSecond = perSecond;
    this.#burst = burst;
  }

  /** Undefined when the request may pass, otherwise the seconds after which the next one may. */
  take(holder: string, nowMs: number): number | undefined {
    if (this.#perSecond === 0) return undefined;
    const bucket = this.#buckets.get(holder) ?? { tokens: this.#burst, filledAtMs: nowMs };
    const elapsedMs = Math.max(0, nowMs - bucket.filledAtMs);
    bucket.tokens = Math.min(this.#burst, bucket.tokens + (elapsedMs * this.#perSecond) / 1000);
    bucket.filledAtMs = nowMs;
    this.#buckets.set(holder, bucket);
    if (bucket.tokens < 1) return (1 - bucket.tokens) / this.#perSecond;
    bucket.tokens -= 1;
    return undefined;
  }

  /** What was taken turned out to be none of what is counted. */
  giveBack(holder: string): void {
    const bucket = this.#buckets.get(holder);
    if (bucket !== undefined) bucket.tokens = Math.min(this.#burst, bucket.tokens + 1);
  }
}
