import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How the next requests fare: answered 500, left without an answer, or cut off. */
export type Trouble = 'error' | 'silence' | 'cut';

/** A vendor's webhook: it writes down what it got and what it answered, line by line, for the checker. */
export class VendorReceiver {
  readonly url: string;
  readonly #server: Server;
  readonly #hanging = new Set<ServerResponse>();
  #trouble: { readonly kind: Trouble; left: number } | undefined;
  /** Requests that fared badly so far. */
  troubled = 0;

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

  trouble(kind: Trouble, count: number): void {
    this.#trouble = { kind, left: count };
  }

  heal(): void {
    this.#trouble = undefined;
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
    const trouble = this.#trouble;
    if (trouble === undefined || trouble.left === 0) {
      response.writeHead(200).end();
      return 200;
    }
    trouble.left -= 1;
    this.troubled += 1;
    if (trouble.kind === 'error') {
      response.writeHead(500).end();
      return 500;
    }
    if (trouble.kind === 'cut') response.destroy();
    else this.#hanging.add(response);
    return 0;
  }
}
