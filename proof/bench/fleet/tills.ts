import { connect } from 'node:net';
import { nextReceipt, SEALED } from '../shared/drive-warm.ts';
import { messagesOf } from '../shared/http-message.ts';
import { CONNECTIONS, monotonicMs, percentiles } from '../shared/old-load.ts';
import type { Sender } from '../shared/receipt.ts';

/** How often tills that had to wait look again. */
const LOOK_AGAIN_MS = 5;

export interface TillsResult {
  readonly sealed: number;
  readonly errors: number;
  /** The first wrong answer, to show. */
  readonly wrong: string;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface Tills {
  /** By these tills so far. */
  sealed(): number;
  /** Forgets the latencies so far: the measurement starts here. */
  measure(): void;
  stop(): Promise<TillsResult>;
}

/**
 * Tills that send as fast as they are answered, for the devices in turn, as long as they may. They use bare sockets, because the
 * generator shares two cores with what it measures, and a library uses four times as much of them.
 */
export function startTills(
  origin: string,
  senders: readonly Sender[],
  mayGo: (sealed: number) => boolean = () => true,
  connections = CONNECTIONS,
): Tills {
  const { hostname, port } = new URL(origin);
  const waiting: (() => void)[] = [];
  const { promise: allDone, resolve: finish } = Promise.withResolvers<void>();
  let latenciesMs: number[] = [];
  let [turn, sealed, errors, running, measuredBefore] = [0, 0, 0, connections, 0];
  let wrong = '';
  let isStopping = false;
  let startedAtMs = monotonicMs();
  const open = () => {
    let sentAtMs = 0;
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    const next = () => {
      if (isStopping) {
        socket.destroy();
        return;
      }
      if (!mayGo(sealed)) {
        waiting.push(next);
        return;
      }
      sentAtMs = monotonicMs();
      socket.write(requestOf(senders, turn));
      turn += 1;
    };
    socket.on('connect', next);
    socket.on(
      'data',
      messagesOf((answer) => {
        latenciesMs.push(monotonicMs() - sentAtMs);
        if (answer.includes(SEALED)) sealed += 1;
        else {
          errors += 1;
          wrong ||= answer.toString('utf8').slice(0, 500);
        }
        next();
      }),
    );
    socket.on('error', (error) => {
      errors += 1;
      wrong ||= String(error);
    });
    socket.on('close', () => {
      running -= 1;
      if (running === 0) finish();
    });
  };
  for (let nth = 0; nth < connections; nth += 1) open();
  const timer = setInterval(() => {
    for (const next of waiting.splice(0)) next();
  }, LOOK_AGAIN_MS);
  return {
    sealed: () => sealed,
    measure: () => {
      latenciesMs = [];
      measuredBefore = sealed;
      startedAtMs = monotonicMs();
    },
    stop: async () => {
      const endedAtMs = monotonicMs();
      const perSecond = ((sealed - measuredBefore) / (endedAtMs - startedAtMs)) * 1000;
      isStopping = true;
      await allDone;
      clearInterval(timer);
      return { sealed, errors, wrong, perSecond, ...percentiles(latenciesMs) };
    },
  };
}

function requestOf(senders: readonly Sender[], turn: number): string {
  const { path, token, body = '' } = nextReceipt(senders, turn);
  return `POST ${path} HTTP/1.1\r\nhost: bench\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
}
