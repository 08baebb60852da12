import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedWebhook {
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Names as they were written on the wire, and values, in turns. */
  readonly rawHeaders: readonly string[];
  readonly body: string;
}

/** What the endpoint does with a request: a status, or anything with the response, also nothing. */
export type VendorAnswer = number | ((response: ServerResponse, received: ReceivedWebhook) => void);

export interface VendorEndpoint {
  readonly url: string;
  readonly received: ReceivedWebhook[];
  answer: VendorAnswer;
  close(): Promise<void>;
}

/** A vendor's webhook: a real HTTP server that remembers what it got. */
export async function startVendorEndpoint(answer: VendorAnswer = 200): Promise<VendorEndpoint> {
  const received: ReceivedWebhook[] = [];
  const endpoint = { received, answer };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request
      .on('error', () => {})
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('end', () => {
        const { method = '', url: path = '', headers, rawHeaders } = request;
        const body = Buffer.concat(chunks).toString('utf8');
        const webhook = { at: Date.now(), method, path, headers, rawHeaders, body };
        received.push(webhook);
        if (typeof endpoint.answer === 'number') response.writeHead(endpoint.answer).end();
        else endpoint.answer(response, webhook);
      });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return Object.assign(endpoint, {
    url: `http://127.0.0.1:${port}/hook`,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  });
}

/** Answers nothing, for as long as it is asked. */
export const HANG: VendorAnswer = () => {};
