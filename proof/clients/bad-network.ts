/** A proxy in front of the service that does everything that can happen to a request between a till and a server. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../world/random.ts';

const FAILURES = {
  /** The request arrives and is answered, but the answer is lost. */
  lost: 12,
  /** The request does not arrive. */
  cut: 7,
  /** The till gets no answer, and the request arrives long after the till has sent it again. */
  ghost: 4,
  /** Only half of the answer arrives. */
  torn: 3,
  delayed: 6,
  /** 503 with Retry-After. */
  unavailable: 5,
  /** 429 with Retry-After. */
  busy: 3,
  /** A captive portal: status 200, and a log-in page. */
  portal: 2,
} as const;
type Failure = keyof typeof FAILURES;

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export class BadNetwork {
  /** False: everything passes. */
  isBad = true;
  readonly counts = new Map<Failure | 'passed', number>();
  readonly #target: URL;
  readonly #random: Random;
  readonly #server = createServer((incoming, outgoing) => {
    // A till that is killed during its request sends nothing more.
    this.#serve(incoming, outgoing).catch(() => outgoing.destroy());
  });

  private constructor(target: string, random: Random) {
    this.#target = new URL(target);
    this.#random = random;
  }

  static async start(target: string, random: Random): Promise<BadNetwork> {
    const network = new BadNetwork(target, random);
    await new Promise<void>((resolve) => network.#server.listen(0, '127.0.0.1', resolve));
    return network;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  #isFailing(): boolean {
    return this.isBad && this.#random.next() < 0.4;
  }

  #pick(): Failure {
    const kinds = Object.entries(FAILURES).flatMap(([kind, weight]) =>
      Array.from({ length: weight }, () => kind as Failure),
    );
    return this.#random.pick(kinds);
  }

  async #serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = await buffer(incoming);
    const failure = this.#isFailing() ? this.#pick() : undefined;
    this.counts.set(failure ?? 'passed', (this.counts.get(failure ?? 'passed') ?? 0) + 1);
    const deliver = () => this.#deliver(incoming.method ?? '', incoming.url ?? '', incoming.headers, body);
    await this.#answer(failure, deliver, outgoing);
  }

  async #answer(failure: Failure | undefined, deliver: () => Promise<Answer>, outgoing: ServerResponse): Promise<void> {
    const pause = () => delay(this.#random.between(200, 2_500));
    switch (failure) {
      case 'cut':
        outgoing.destroy();
        return;
      case 'ghost':
        outgoing.destroy();
        await pause();
        await deliver();
        return;
      case 'lost':
        await deliver();
        outgoing.destroy();
        return;
      case 'torn': {
        const { status, headers, body } = await deliver();
        outgoing.writeHead(status, headers);
        outgoing.write(body.subarray(0, body.length / 2), () => outgoing.destroy());
        return;
      }
      case 'unavailable':
      case 'busy': {
        const status = failure === 'busy' ? 429 : 503;
        outgoing.writeHead(status, { 'content-type': 'application/problem+json', 'retry-after': '1' });
        outgoing.end(JSON.stringify({ status, Code: failure === 'busy' ? 'DeviceBusy' : 'Overloaded' }));
        return;
      }
      case 'portal':
        outgoing.writeHead(200, { 'content-type': 'text/html' }).end('<html><form>Log in to our Wi-Fi</form></html>');
        return;
      case 'delayed':
      case undefined: {
        const { status, headers, body } = await deliver();
        if (failure === 'delayed') await pause();
        outgoing.writeHead(status, headers).end(body);
      }
    }
  }

  #deliver(method: string, path: string, headers: IncomingHttpHeaders, body: Buffer): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const { hostname, port } = this.#target;
      const sent = request(
        { hostname, port, method, path, headers: { ...headers, connection: 'close' } },
        (response) => {
          const { statusCode: status = 0, headers: answered } = response;
          const { connection: _1, 'keep-alive': _2, 'transfer-encoding': _3, ...rest } = answered;
          buffer(response).then((text) => resolve({ status, headers: rest, body: text }), reject);
        },
      );
      sent.once('error', reject);
      sent.end(body);
    });
  }
}
