import { connect, type Socket } from 'node:net';
import { messageSize } from '../shared/http-message.ts';
import type { NeighbourLoad } from './neighbour.ts';

/** The load of a neighbour, on bare sockets: ten thousand clients of a library would cost more than the service. */

type Message =
  | ({ readonly kind: 'load'; readonly origin: string } & NeighbourLoad)
  | { kind: 'begin' | 'end' | 'answers' };

/** The service's queue of connections that are not accepted yet is finite. */
const CONNECT_AT_ONCE = 200;
const AFTER_A_CUT_MS = 100;

const answers: Record<string, number> = {};
let broken = 0;
let load: NeighbourLoad = { connections: 0, requests: [] };
let target = { host: '', port: 0 };
let isRunning = false;
let begunAtMs = 0;
let ranMs = 0;
const sockets = new Set<Socket>();

// When the benchmark ends early, so does its neighbour.
process.on('disconnect', () => process.exit());
process.on('message', (message: Message) => {
  void answer(message).then((result) => process.send?.(result ?? {}));
});

async function answer(message: Message): Promise<object | undefined> {
  if (message.kind === 'answers') return { answers, broken, seconds: ranMs / 1000 };
  if (message.kind === 'end') {
    isRunning = false;
    ranMs += performance.now() - begunAtMs;
    for (const socket of sockets) socket.destroy();
    return undefined;
  }
  if (message.kind === 'load') {
    load = message;
    const { hostname, port } = new URL(message.origin);
    target = { host: hostname, port: Number(port) };
    return undefined;
  }
  isRunning = true;
  begunAtMs = performance.now();
  // Far enough that no connection reaches the place where another one started.
  const apart = Math.max(1, Math.floor(load.requests.length / load.connections));
  for (let first = 0; first < load.connections; first += CONNECT_AT_ONCE) {
    const some = Array.from({ length: Math.min(CONNECT_AT_ONCE, load.connections - first) }, (_, nth) => first + nth);
    await Promise.all(some.map((place) => new Promise<void>((resolve) => open(place * apart, resolve))));
  }
  return undefined;
}

/** A connection that sends the next request as soon as the last is answered, and is opened again after a cut. */
function open(place: number, onSent: () => void): void {
  let turn = place;
  let sentAtMs = 0;
  let pending = Buffer.alloc(0);
  const socket = connect({ ...target, noDelay: true });
  const send = () => {
    socket.write(load.requests[turn % load.requests.length] ?? '');
    turn += 1;
    sentAtMs = performance.now();
  };
  sockets.add(socket);
  socket.on('connect', () => {
    send();
    onSent();
  });
  socket.on('data', (chunk) => {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    const size = messageSize(pending);
    if (size === undefined || pending.length < size) return;
    const status = pending.toString('latin1', 9, 12);
    answers[status] = (answers[status] ?? 0) + 1;
    pending = pending.subarray(size);
    const restMs = sentAtMs + (load.everyMs ?? 0) - performance.now();
    if (restMs <= 0) send();
    else setTimeout(() => isRunning && send(), restMs);
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    sockets.delete(socket);
    onSent();
    if (!isRunning) return;
    broken += 1;
    setTimeout(() => isRunning && open(turn, () => {}), AFTER_A_CUT_MS);
  });
}
