import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Where the endpoints of the benchmark are, in a separate process: `/at-once`, `/slow`, which takes 250 ms, and `/never`. */

const SLOW_MS = 250;
/** As common web servers do. */
const KEPT_MS = 75_000;

/** A request. */
export interface Arrival {
  readonly atMs: number;
  /** Since each of its events. */
  readonly delaysMs: readonly number[];
}
export type Arrivals = Record<string, Arrival[]>;

let arrivals: Arrivals = {};
const hanging = new Set<ServerResponse>();

// When the benchmark ends early, so does this.
process.on('disconnect', () => process.exit());
/** Everything since the last question. */
process.on('message', (how) => {
  process.send?.(arrivals);
  arrivals = {};
  if (how === 'cut') for (const response of hanging) response.destroy();
});

const server = createServer({ keepAliveTimeout: KEPT_MS }, (request, response) => {
  const chunks: Buffer[] = [];
  const { url = '' } = request;
  request
    .on('data', (chunk: Buffer) => chunks.push(chunk))
    .on('end', () => {
      const atMs = Date.now();
      const { Events } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { Events: { At: string }[] };
      arrivals[url] ??= [];
      arrivals[url].push({ atMs, delaysMs: Events.map(({ At }) => atMs - Date.parse(At)) });
      if (url === '/at-once') response.writeHead(204).end();
      if (url === '/slow') setTimeout(() => response.writeHead(204).end(), SLOW_MS);
      if (url === '/never') hanging.add(response.on('close', () => hanging.delete(response)));
    });
}).listen(0, '127.0.0.1', () => process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
