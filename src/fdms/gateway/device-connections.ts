/**
 * The connections to the authority: one per device certificate, because the certificate is the identity, and some
 * without a certificate. The least recently used one is closed when there are too many; what is under way on it is finished.
 */
import type { KeyObject } from 'node:crypto';
import { createSecureContext, type SecureContext } from 'node:tls';
import { LRUCache } from 'lru-cache';
import { buildConnector, Client, Pool } from 'undici';
import { CLOSE_GRACE_MS, type Exchange, type ExchangeRequest, exchange, TURN_PATIENCE_MS } from './exchange.ts';

export interface DeviceIdentity {
  readonly deviceId: number;
  readonly certificatePem: string;
  readonly privateKey: KeyObject;
}

export interface ConnectionOptions {
  readonly origin: string;
  /** The authorities a server certificate must lead to; undefined: those of the system. */
  readonly caPem: string | undefined;
  readonly timeoutMs: number;
  /** How many devices keep their connection; each takes about 200 kB. */
  readonly maxDevices?: number;
}

const CONNECTIONS_WITHOUT_DEVICE = 4;
/** Each keeps the CA bundle parsed: 1 ms and some kilobytes for one CA, 10 ms and 650 KB for all of a system's 140. */
const MAX_DEVICES = 1_000;
/**
 * Longer than the five minutes between two pings, so that a device in use keeps its connection for as long as the server does: to
 * shake hands again costs ten times as much as a receipt.
 */
const KEEP_IDLE_MS = 360_000;
/** After a restart or an outage ten thousand devices must not all shake hands at once: 2 ms each, on both sides. */
const HANDSHAKES_AT_ONCE = 32;
const MAX_CONNECT_MS = 10_000;

export class DeviceConnections {
  readonly #options: ConnectionOptions;
  readonly #anonymous: Pool;
  /** A device takes one step at a time, and a pool of its own would take 16 kB more, for a queue that is never used. */
  readonly #clients: LRUCache<string, { readonly client: Client; readonly context: SecureContext }>;
  readonly #leaving = new Set<Promise<void>>();
  readonly #turns = new Set<(isMine: boolean) => void>();
  #handshakes = 0;
  #isStopping = false;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    const choices = this.#choices(createSecureContext(this.#authorities()));
    this.#anonymous = new Pool(options.origin, { ...choices, connections: CONNECTIONS_WITHOUT_DEVICE });
    this.#clients = new LRUCache({
      max: options.maxDevices ?? MAX_DEVICES,
      dispose: ({ client, context }) => this.#retire(client, context),
    });
  }

  /**
   * One request of a device, or of none, and its answer. If it takes a handshake, it first waits for its turn, which is not the
   * authority's time. The turn is over when the request begins to leave, or has failed.
   */
  async exchange(identity: DeviceIdentity | undefined, request: ExchangeRequest): Promise<Exchange> {
    const { timeoutMs } = this.#options;
    const known = identity === undefined ? this.#anonymous : this.#clients.get(identity.certificatePem)?.client;
    if (known?.stats.connected) return exchange(known, request, timeoutMs);
    if (!(await this.#isMyTurn())) return unsent('too many devices connect at the same time');
    if (this.#isStopping) return unsent('the service stops');
    const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
    void isOver.then(() => this.#endTurn());
    const found = this.#find(identity);
    if (found !== undefined) return exchange(found, request, timeoutMs, end).finally(end);
    end();
    return unsent("the device's certificate and private key cannot be used together");
  }

  #find(identity: DeviceIdentity | undefined): Pool | Client | undefined {
    try {
      return identity === undefined ? this.#anonymous : this.of(identity);
    } catch {
      return undefined;
    }
  }

  /** Throws when certificate and key do not belong together or cannot be read. */
  of(identity: DeviceIdentity): Client {
    const known = this.#clients.get(identity.certificatePem);
    if (known !== undefined) return known.client;
    // Made once per certificate, not per connection. The key exists as text for this moment only and never on a disk.
    const key = identity.privateKey.export({ type: 'pkcs8', format: 'pem' });
    const context = createSecureContext({ ...this.#authorities(), cert: identity.certificatePem, key });
    const client = new Client(this.#options.origin, this.#choices(context));
    this.#clients.set(identity.certificatePem, { client, context });
    return client;
  }

  /** A certificate that was replaced: its key need not stay in memory. */
  forget(replaced: DeviceIdentity | undefined): void {
    if (replaced !== undefined) this.#clients.delete(replaced.certificatePem);
  }

  /** How many requests wait for their turn to shake hands. */
  get waiting(): number {
    return this.#turns.size;
  }

  /** Nothing new connects; what has its connection goes on. A service that stops must not wait for thousands of handshakes. */
  stopConnecting(): void {
    this.#isStopping = true;
    for (const decide of this.#turns) decide(false);
  }

  async close(): Promise<void> {
    this.stopConnecting();
    const all = [this.#anonymous, ...[...this.#clients.values()].map(({ client }) => client)];
    this.#clients.clear();
    this.#retire(this.#anonymous);
    const timer = setTimeout(() => {
      for (const one of all) void one.destroy();
    }, CLOSE_GRACE_MS);
    await Promise.all(this.#leaving);
    clearTimeout(timer);
  }

  #authorities(): { ca?: string } {
    return this.#options.caPem === undefined ? {} : { ca: this.#options.caPem };
  }

  #choices(secureContext: SecureContext): Client.Options {
    const { timeoutMs } = this.#options;
    // Every connection proves the identity again: a resumed session would outlive a revoked certificate.
    const timeout = Math.min(timeoutMs, MAX_CONNECT_MS);
    return {
      connect: buildConnector({ secureContext, timeout, maxCachedSessions: 0, allowH2: false }),
      allowH2: false,
      // The exchange has one time limit for everything.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: KEEP_IDLE_MS,
      keepAliveMaxTimeout: KEEP_IDLE_MS,
    };
  }

  /** False when it did not come in time. */
  async #isMyTurn(): Promise<boolean> {
    if (this.#handshakes < HANDSHAKES_AT_ONCE) {
      this.#handshakes += 1;
      return true;
    }
    if (this.#isStopping) return false;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#turns.add(resolve);
    const timer = setTimeout(resolve, TURN_PATIENCE_MS, false);
    const isMine = await promise;
    clearTimeout(timer);
    this.#turns.delete(resolve);
    return isMine;
  }

  #endTurn(): void {
    const [next] = this.#turns;
    if (next === undefined) this.#handshakes -= 1;
    else {
      this.#turns.delete(next);
      next(true);
    }
  }

  #retire(one: Pool | Client, context?: SecureContext): void {
    if (one.closed || one.destroyed) return;
    const closing = one
      .close()
      .catch(() => undefined)
      .finally(() => {
        this.#leaving.delete(closing);
        // Else its 30 kB outside the heap stay until it is collected.
        context?.context.close();
      });
    this.#leaving.add(closing);
  }
}

function unsent(reason: string): Exchange {
  return { kind: 'failed', reason, mayHaveArrived: false };
}
