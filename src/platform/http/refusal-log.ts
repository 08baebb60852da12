import type { Log } from '../logging/log.ts';
import { RateLimiter } from './rate-limit.ts';

const LINES_PER_SECOND = 10;
const LINES_AT_ONCE = 50;
const SUM_EVERY_MS = 5000;

export interface RefusedRequest {
  readonly requestId: string;
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly durationMs: number;
}

/**
 * A line for each refused request, as long as they are few: writing it costs more than refusing, and who is refused decides how
 * often. What exceeds that is counted for each route and status, and told every few seconds.
 */
export class RefusalLog {
  readonly #limiter = new RateLimiter(LINES_PER_SECOND, LINES_AT_ONCE);
  readonly #untold = new Map<string, Pick<RefusedRequest, 'method' | 'route' | 'status'> & { count: number }>();
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  write(refused: RefusedRequest): void {
    const { method, route, status } = refused;
    const kind = `${status} ${method} ${route}`;
    if (this.#limiter.take(kind, performance.now()) === undefined) {
      this.#log.info(refused, 'refused');
      return;
    }
    if (this.#untold.size === 0) setTimeout(() => this.#tell(), SUM_EVERY_MS).unref();
    const untold = this.#untold.get(kind) ?? { method, route, status, count: 0 };
    untold.count += 1;
    this.#untold.set(kind, untold);
  }

  #tell(): void {
    for (const untold of this.#untold.values()) this.#log.info(untold, 'refused more often than was logged');
    this.#untold.clear();
  }
}
