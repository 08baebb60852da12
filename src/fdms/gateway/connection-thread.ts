/**
 * The connections to the authority in a thread of their own: ten thousand of them are a million objects, and a full collection of
 * those takes a third of a second that sealing must not wait for. To encrypt, send and parse takes as long as everything else
 * that is done for a receipt once it is sealed. What is asked or answered in one moment travels in one message. This file is both
 * sides: what the service holds, and what the thread begins with.
 */
import { createSecureContext, setDefaultCACertificates } from 'node:tls';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import type { ConnectionOptions, DeviceConnections, DeviceIdentity } from './device-connections.ts';
import { CLOSE_GRACE_MS, type Exchange, type ExchangeRequest, TURN_PATIENCE_MS } from './exchange.ts';

export type Connections = Pick<DeviceConnections, 'exchange' | 'waiting' | 'stopConnecting' | 'close'>;

interface Asked {
  readonly call: number;
  readonly deviceId: number | undefined;
  /** With the first request of a device, and with the first after another certificate came. */
  readonly identity: DeviceIdentity | undefined;
  readonly request: ExchangeRequest;
}

type ToThread =
  | { readonly kind: 'ask'; readonly asked: readonly Asked[] }
  | { readonly kind: 'stop connecting' }
  | { readonly kind: 'close' };

interface Answered {
  readonly call: number;
  /** The bytes as a text, one character each: it is copied in a third of the time that a buffer of its own takes. */
  readonly outcome: Exchange | (Omit<Response, 'body'> & { readonly body: string });
}

type Response = Extract<Exchange, { kind: 'response' }>;

interface FromThread {
  readonly answers: readonly Answered[];
  readonly isClosed: boolean;
}

interface ThreadData {
  readonly name: string;
  readonly options: ConnectionOptions;
  readonly waiting: Int32Array;
  readonly isStopping: boolean;
}

const NAME = 'authority connections';
/** Answers that come within this time share a message, and what follows from them its statements. */
const GATHER_MS = 5;
const LOST = 'the connections to the authority were lost';
/** Every call ends in the thread, in time. One that is open for so much longer shows that the thread hangs. */
const MARGIN_MS = 10_000;
const LOOK_MS = 1000;

interface Open {
  readonly resolve: (outcome: Exchange) => void;
  /** Time counted in looks: a process that slept does not find all its calls late. */
  readonly sinceLook: number;
}

/** Other than what the service has, for tests. */
interface ThreadChoices {
  readonly program?: URL;
  readonly marginMs?: number;
}

export class ConnectionThread implements Connections {
  readonly #options: ConnectionOptions;
  readonly #onLost: (error: unknown) => void;
  /** How many wait for their turn to connect, as the thread last said. */
  #waiting = noneWaiting();
  /** The certificates that the thread knows, by device. */
  readonly #certificates = new Map<number, string>();
  readonly #open = new Map<number, Open>();
  readonly #program: URL;
  readonly #patienceMs: number;
  #looks = 0;
  #asked: Asked[] = [];
  #lastCall = 0;
  #thread: Worker | undefined;
  #isStopping = false;
  #onClosed = () => {};

  constructor(
    options: ConnectionOptions,
    onLost: (error: unknown) => void,
    { program = new URL(import.meta.url), marginMs = TURN_PATIENCE_MS + MARGIN_MS }: ThreadChoices = {},
  ) {
    // Says here and now when the bundle cannot be read.
    if (options.caPem !== undefined) createSecureContext({ ca: options.caPem });
    this.#options = options;
    this.#onLost = onLost;
    this.#program = program;
    this.#patienceMs = options.timeoutMs + marginMs;
  }

  get waiting(): number {
    return Atomics.load(this.#waiting, 0);
  }

  exchange(identity: DeviceIdentity | undefined, request: ExchangeRequest): Promise<Exchange> {
    this.#lastCall += 1;
    const call = this.#lastCall;
    if (this.#asked.length === 0) setImmediate(() => this.#send());
    this.#asked.push({ call, deviceId: identity?.deviceId, identity: this.#news(identity), request });
    return new Promise((resolve) => this.#open.set(call, { resolve, sinceLook: this.#looks }));
  }

  stopConnecting(): void {
    this.#isStopping = true;
    this.#post({ kind: 'stop connecting' });
  }

  async close(): Promise<void> {
    this.stopConnecting();
    this.#send();
    const thread = this.#thread;
    if (thread === undefined) return;
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    this.#onClosed = resolve;
    thread.ref();
    this.#post({ kind: 'close' });
    const timer = setTimeout(resolve, CLOSE_GRACE_MS + MARGIN_MS);
    await closed;
    clearTimeout(timer);
    await thread.terminate();
  }

  #news(identity: DeviceIdentity | undefined): DeviceIdentity | undefined {
    if (identity === undefined || this.#certificates.get(identity.deviceId) === identity.certificatePem) return;
    this.#certificates.set(identity.deviceId, identity.certificatePem);
    return identity;
  }

  #send(): void {
    const asked = this.#asked;
    if (asked.length === 0) return;
    this.#asked = [];
    this.#thread ??= this.#start();
    this.#thread.ref();
    this.#post({ kind: 'ask', asked });
  }

  #post(message: ToThread): void {
    this.#thread?.postMessage(message);
  }

  #start(): Worker {
    this.#waiting = noneWaiting();
    const thread = new Worker(this.#program, {
      name: NAME,
      workerData: {
        name: NAME,
        options: this.#options,
        waiting: this.#waiting,
        isStopping: this.#isStopping,
      } satisfies ThreadData,
    });
    thread.on('message', ({ answers, isClosed }: FromThread) => {
      for (const { call, outcome } of answers) this.#settle(call, received(outcome));
      if (this.#open.size === 0) thread.unref();
      if (isClosed) this.#onClosed();
    });
    thread.on('error', this.#onLost);
    thread.on('messageerror', (error) => this.#giveUp(thread, error));
    const watch = setInterval(() => this.#look(thread), LOOK_MS).unref();
    thread.on('exit', () => {
      clearInterval(watch);
      this.#lost(thread);
    });
    return thread;
  }

  #look(thread: Worker): void {
    this.#looks += 1;
    const [oldest] = this.#open.values();
    if (oldest === undefined || (this.#looks - oldest.sinceLook) * LOOK_MS <= this.#patienceMs) return;
    this.#giveUp(thread, new Error('the thread of the connections to the authority does not answer any more'));
  }

  /** What it had been asked ends now, whether it ends or not. */
  #giveUp(thread: Worker, error: unknown): void {
    if (this.#thread !== thread) return;
    this.#onLost(error);
    this.#lost(thread);
    void thread.terminate();
  }

  #settle(call: number, outcome: Exchange): void {
    const open = this.#open.get(call);
    this.#open.delete(call);
    open?.resolve(outcome);
  }

  /** The next request begins another thread, to which every device is new. */
  #lost(thread: Worker): void {
    if (this.#thread !== thread) return;
    this.#thread = undefined;
    this.#certificates.clear();
    this.#asked = [];
    this.#waiting = noneWaiting();
    for (const call of this.#open.keys()) {
      this.#settle(call, { kind: 'failed', reason: LOST, mayHaveArrived: true });
    }
    this.#onClosed();
  }
}

function noneWaiting(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
}

/** In the thread. */
async function serve({ options, waiting, isStopping }: ThreadData): Promise<void> {
  // Loaded here only: its HTTP client takes 28 MB.
  const { DeviceConnections } = await import('./device-connections.ts');
  // Once for all connections of this thread: each would keep a parsed copy.
  if (options.caPem !== undefined) setDefaultCACertificates([options.caPem]);
  const connections = new DeviceConnections({ ...options, caPem: undefined });
  if (isStopping) connections.stopConnecting();
  const identities = new Map<number, DeviceIdentity>();
  let answers: Answered[] = [];
  const send = (isClosed: boolean) => {
    Atomics.store(waiting, 0, connections.waiting);
    parentPort?.postMessage({ answers, isClosed } satisfies FromThread);
    answers = [];
  };
  const answer = async ({ call, deviceId, identity, request }: Asked) => {
    if (identity !== undefined) {
      connections.forget(identities.get(identity.deviceId));
      identities.set(identity.deviceId, identity);
    }
    const outcome = await connections.exchange(deviceId === undefined ? undefined : identities.get(deviceId), request);
    if (answers.length === 0) setTimeout(send, GATHER_MS, false);
    answers.push({ call, outcome: sendable(outcome) });
  };
  parentPort?.on('message', (message: ToThread) => {
    if (message.kind === 'stop connecting') connections.stopConnecting();
    else if (message.kind === 'ask') for (const one of message.asked) void answer(one);
    // What was answered last is sent with it.
    else void connections.close().then(() => setImmediate(send, true));
    Atomics.store(waiting, 0, connections.waiting);
  });
}

/** Byte by byte, whatever they mean. */
function sendable(outcome: Exchange): Answered['outcome'] {
  return outcome.kind === 'response' ? { ...outcome, body: outcome.body.toString('latin1') } : outcome;
}

function received(outcome: Answered['outcome']): Exchange {
  return outcome.kind === 'response' ? { ...outcome, body: Buffer.from(outcome.body as string, 'latin1') } : outcome;
}

const data = workerData as ThreadData | null | undefined;
if (data?.name === NAME) await serve(data);
