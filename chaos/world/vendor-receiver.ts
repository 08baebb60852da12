import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How the next requests fail: answered 500, never answered, or cut off. */
export type Failure = 'error' | 'silence' | 'cut';

/** A vendor's webhook. It records what it received and what it answered, line by line, for the checker. */
export class VendorReceiver {
  readonly url: string;
  readonly #server: Server;
  readonly #hanging = new Set<ServerResponse>();
  #failure: { readonly kind: Failure; left: number } | undefined;
  /** How many requests have failed so far. */
  failed = 0;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  }

  static async start(logFile: string): Promise<VendorReceiver> {
    const log = createWriteStream(logFile);
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request
        .on('error', () => {})
        .on('data', (chunk: Buffer) => chunks.push(chunk))
        .on('end', () => {
          const status = receiver.#answer(response);
          const { headers } = request;
          const line = { at: Date.now(), status, headers, body: Buffer.concat(chunks).toString('utf8') };
          log.write(`${JSON.stringify(line)}\n`);
        });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const receiver = new VendorReceiver(server);
    return receiver;
  }

  fail(kind: Failure, count: number): void {
    this.#failure = { kind, left: count };
  }

  heal(): void {
    this.#failure = undefined;
    for (const response of this.#hanging) response.destroy();
    this.#hanging.clear();
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  /** 0: no answer. */
  #answer(response: ServerResponse): number {
    const failure = this.#failure;
    if (failure === undefined || failure.left === 0) {
      response.writeHead(200).end();
      return 200;
    }
    failure.left -= 1;
    this.failed += 1;
    if (failure.kind === 'error') {
      response.writeHead(500).end();
      return 500;
    }
    if (failure.kind === 'cut') response.destroy();
    else this.#hanging.add(response);
    return 0;
  }
}
