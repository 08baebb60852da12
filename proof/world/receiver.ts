import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A status, or what a broken receiver does: never answers, or cuts the connection. */
export type Reply = number | 'silence' | 'cut';

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const RETRY_AFTER_SECONDS = '6';

/** Somebody's web server. It records what it received and what it answered, line by line, for the checker. */
export abstract class Receiver {
  readonly #server = createServer();
  readonly #hanging = new Set<ServerResponse>();

  protected abstract replyTo(request: Received): Reply;

  async start(logFile: string): Promise<this> {
    appendFileSync(logFile, '');
    this.#server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request
        .on('error', () => {})
        .on('data', (chunk: Buffer) => chunks.push(chunk))
        .on('end', () => {
          const { url: path = '', headers } = request;
          const received = { path, headers, body: Buffer.concat(chunks).toString('utf8') };
          const status = this.#answer(response, this.replyTo(received));
          appendFileSync(logFile, `${JSON.stringify({ at: Date.now(), status, ...received })}\n`);
        });
    });
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  heal(): void {
    for (const response of this.#hanging) response.destroy();
    this.#hanging.clear();
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  /** 0: no answer. */
  #answer(response: ServerResponse, reply: Reply): number {
    if (reply === 'cut') response.destroy();
    else if (reply === 'silence') this.#hanging.add(response);
    else response.writeHead(reply, reply === 429 ? { 'retry-after': RETRY_AFTER_SECONDS } : {}).end();
    return typeof reply === 'number' ? reply : 0;
  }
}
