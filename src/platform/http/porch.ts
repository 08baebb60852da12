import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Live, Readiness } from '../../contract/platform/health.ts';
import { problemDocument } from '../../contract/shared/problem.ts';
import { newId } from '../../kernel/ids.ts';
import type { Log } from '../logging/log.ts';
import type { Metrics } from '../metrics.ts';
import { SECURITY_HEADERS } from './security-headers.ts';

const SAY_AGAIN_MS = 60_000;
const LOOK_EVERY_MS = 1000;
const PAGE = "default-src 'none'; frame-ancestors 'none'";

export interface PorchOptions {
  readonly metrics: Metrics;
  readonly log: Log;
  /** What the start waits for; undefined: it goes on. */
  readonly waitsFor: () => string | undefined;
}

/**
 * Answers at the service's address while it starts: that the process is alive and not ready, and what it waits for. A start may have to
 * wait for hours, for a database or a standby that is away, and whoever looks has to see that; the log says it at once and every minute.
 */
export class Porch {
  readonly #server: Server;
  readonly #options: PorchOptions;
  readonly #saying: NodeJS.Timeout;
  #said: { readonly words: string; readonly atMs: number } | undefined;

  constructor(options: PorchOptions) {
    this.#options = options;
    this.#saying = setInterval(() => this.#say(), LOOK_EVERY_MS).unref();
    this.#server = createServer((request, response) => {
      const answer = async () => {
        const { status, type, body } = await this.#answer(request.url ?? '/');
        const headers = { ...SECURITY_HEADERS, 'content-security-policy': PAGE, 'content-type': type };
        response.writeHead(status, { ...headers, connection: 'close', 'retry-after': '2' }).end(body);
      };
      answer().catch(() => response.destroy());
    });
  }

  listen(port: number, host: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject).listen(port, host, resolve);
    });
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    clearInterval(this.#saying);
    if (!this.#server.listening) return;
    const closed = new Promise<void>((resolve) => void this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  async #answer(url: string): Promise<{ readonly status: number; readonly type: string; readonly body: string }> {
    const reason = this.#options.waitsFor() ?? 'the start is under way';
    const detail = `Tillseal is starting: ${reason}.`;
    const json = (status: number, body: object, type = 'application/json') => ({
      status,
      type: `${type}; charset=utf-8`,
      body: JSON.stringify(body),
    });
    const [path = ''] = url.split('?', 1);
    if (path === '/health/live') return json(200, { Status: 'live' } satisfies Live);
    if (path === '/health/ready') {
      return json(503, { Status: 'not ready', Database: 'unreachable', Reason: detail } satisfies Readiness);
    }
    if (path === '/metrics') {
      const { registry } = this.#options.metrics;
      return { status: 200, type: registry.contentType, body: await registry.metrics() };
    }
    if (path.startsWith('/api/')) {
      return json(503, problemDocument({ code: 'Unavailable', detail }, '', newId()), 'application/problem+json');
    }
    const page = `<!doctype html><html lang="en"><title>Tillseal is starting</title><meta http-equiv="refresh" content="3"><h1>Tillseal is starting</h1><p>It waits: ${reason}.</p>`;
    return { status: 503, type: 'text/html; charset=utf-8', body: page };
  }

  #say(): void {
    const words = this.#options.waitsFor();
    if (words === undefined) return;
    const now = performance.now();
    if (this.#said?.words === words && now - this.#said.atMs < SAY_AGAIN_MS) return;
    this.#said = { words, atMs: now };
    this.#options.log.warn({}, `the start waits: ${words}`);
  }
}
