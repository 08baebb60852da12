import { X509Certificate } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Connections } from '../../../src/fdms/gateway/connection-thread.ts';
import type { DeviceIdentity } from '../../../src/fdms/gateway/device-connections.ts';
import type { Exchange, ExchangeRequest } from '../../../src/fdms/gateway/exchange.ts';
import type { Clock } from '../../../src/platform/clock.ts';
import { createLogger } from '../../../src/platform/logging/logger.ts';
import { DeviceKeys } from '../../../src/simulator/certificates/device-keys.ts';
import { openIdentity } from '../../../src/simulator/certificates/identity.ts';
import { encodeControl } from '../../../src/simulator/control/present.ts';
import { control } from '../../../src/simulator/control/routes.ts';
import { createAnswering } from '../../../src/simulator/gateway/answer-call.ts';
import { closeByHand, decideClosing } from '../../../src/simulator/operations/decide-closing.ts';
import type { Authority } from '../../../src/simulator/state/authority.ts';
import { AuthorityClock } from '../../../src/simulator/state/authority-clock.ts';
import { CallLog } from '../../../src/simulator/state/call-log.ts';
import { Faults } from '../../../src/simulator/state/faults.ts';
import { DEFAULT_SWITCHES, type Switches } from '../../../src/simulator/state/switches.ts';
import { WebhookReceiver } from '../../../src/simulator/state/webhook-receiver.ts';
import { Database } from '../../../src/simulator/store/database.ts';
import { type FiscalDay, lastDay } from '../../../src/simulator/store/days.ts';
import { receiptsByNumber, receiptsOfDevice, type StoredReceipt } from '../../../src/simulator/store/receipts.ts';
import { AuthorityBooks } from './books.ts';
import type { TestAuthority } from './instance.ts';

/** How a closing that was accepted ends, where its checks do not decide: with an error, and perhaps as if nothing had been sent. */
export interface FailedClosing {
  readonly code?: string;
  readonly isLeftOpen?: boolean;
}

/** Takes a moment to make, and one is as good as another. */
const identity = (async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tillseal-authority-'));
  const made = await openIdentity(folder);
  await rm(folder, { recursive: true });
  return made;
})();

/**
 * The simulator's rules and books in this process, without its servers and its timers: it answers within the call, and decides a closing
 * when it is told to. So the order of everything is the caller's.
 */
export class PacedAuthority implements TestAuthority {
  readonly books: AuthorityBooks;
  readonly reach = {
    url: 'https://authority.test',
    caPem: undefined,
    connect: () => connections((device, request) => this.exchange(device, request)),
  };
  readonly #authority: Authority;
  readonly #faults = new Faults();
  readonly #answer: ReturnType<typeof createAnswering>;
  /** Calls that are held, by the end of their path. */
  readonly #held = new Map<string, Promise<void>>();
  /** Devices whose closing was accepted, and when it is to be decided. */
  readonly #closing = new Map<number, number>();

  private constructor(parts: Pick<Authority, 'identity'>, clock: Clock, changes: Partial<Switches>) {
    const db = new Database(':memory:');
    let switches: Switches = { ...DEFAULT_SWITCHES, ...changes };
    const authority: Authority = {
      ...parts,
      db,
      deviceKeys: new DeviceKeys(db),
      clock: new AuthorityClock(db, clock),
      log: createLogger('silent'),
      qrUrl: 'https://verify.example.com',
      switches: () => switches,
      strikeClosing: (deviceId) => this.#faults.strikeClosing(deviceId),
      scheduleClosing: (deviceId) => this.#closing.set(deviceId, clock().getTime() + switches.closeDelayMs),
    };
    const context = { authority, faults: this.#faults, calls: new CallLog() };
    const more = {
      webhooks: new WebhookReceiver(() => {}),
      cutConnections: () => {},
      changeSwitches: (changed: Partial<Switches>) => {
        switches = { ...switches, ...changed };
      },
    };
    this.#authority = authority;
    this.#answer = createAnswering(context);
    this.books = new AuthorityBooks(async (method, path, body = '') => {
      const { pathname, searchParams } = new URL(path, 'http://authority.test');
      return encodeControl(
        await control({ ...context, ...more }, `${method} ${pathname}`, searchParams, Buffer.from(body)),
      );
    });
  }

  static async open(clock: Clock, switches: Partial<Switches> = {}): Promise<PacedAuthority> {
    return new PacedAuthority({ identity: await identity }, clock, switches);
  }

  async end(): Promise<void> {
    this.#authority.db.close();
  }

  /** It will be this time: closings that are due by then are decided. */
  async tell(now: Date): Promise<void> {
    for (const [deviceId, at] of this.#closing) if (at <= now.getTime()) await this.decideClosing(deviceId);
  }

  /** Calls of a device wait from now on, until they are let go. */
  hold(operation: string, deviceId: number): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    const path = `${deviceId}/${operation}`;
    this.#held.set(path, promise);
    return () => {
      this.#held.delete(path);
      resolve();
    };
  }

  /** What it answers, and has written down by then. */
  async exchange(device: DeviceIdentity | undefined, request: ExchangeRequest): Promise<Exchange> {
    await this.#held.get(request.path.split('/').slice(-2).join('/'));
    if (this.#faults.isCutOff()) return { kind: 'failed', reason: 'nobody listens', mayHaveArrived: false };
    const { method, path, headers, body = '' } = request;
    const written = await this.#answer({
      method,
      url: path,
      headers: lowerCase(headers),
      peerCertificate: device && new X509Certificate(device.certificatePem),
      readBody: async () => Buffer.from(body),
    });
    if (written === undefined) return { kind: 'failed', reason: 'no answer', mayHaveArrived: true };
    return {
      kind: 'response',
      status: written.status,
      headers: lowerCase(written.headers),
      body: Buffer.from(written.text),
    };
  }

  async decideClosing(deviceId: number, failure?: FailedClosing): Promise<void> {
    this.#closing.delete(deviceId);
    if (failure !== undefined) await this.books.fault({ kind: 'close-failed', deviceId, count: 1, ...failure });
    await this.#authority.db.transact(() => decideClosing(this.#authority, deviceId));
    if (failure !== undefined) await this.books.clearFaults();
  }

  async closeByHand(deviceId: number): Promise<void> {
    await this.#authority.db.transact(() => closeByHand(this.#authority, deviceId));
  }

  has(deviceId: number, globalCounter: number): boolean {
    return receiptsByNumber(this.#authority.db, deviceId, globalCounter).length > 0;
  }

  day(deviceId: number): FiscalDay | undefined {
    return lastDay(this.#authority.db, deviceId);
  }

  receipts(deviceId: number): StoredReceipt[] {
    return receiptsOfDevice(this.#authority.db, deviceId);
  }
}

/** What a gateway has in place of connections. */
export function connections(exchange: Connections['exchange']): Connections {
  return { exchange, waiting: 0, stopConnecting: () => {}, close: async () => {} };
}

function lowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
