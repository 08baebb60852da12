import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly reference: string;
  readonly isLate: boolean;
  readonly backlog: string | undefined;
  readonly body: string;
}

export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What is answered; 'cut' ends the connection without an answer, 'silence' keeps it open. */
export type Scripted = Answer | 'cut' | 'silence';

export interface ScriptedService {
  readonly url: string;
  readonly requests: Request[];
  answer: (request: Request) => Scripted | Promise<Scripted>;
  close(): Promise<void>;
}

/** As a good service answers. */
export function sealed({ reference }: Request): Answer {
  return {
    status: 200,
    body: { Reference: reference, DeviceSignature: 'MEUCIQ', GlobalCounter: 7, TotalAmount: 12.5 },
  };
}

/** A problem of ours. */
export function problem(status: number, Code: string, errors: readonly object[] = []): Answer {
  return { status, body: { status, Code, title: Code, detail: `It is ${Code}.`, requestId: 'r-1', errors } };
}

/** An HTTP service that answers as the test says and remembers what it was asked. */
export async function startScriptedService(): Promise<ScriptedService> {
  const serve = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const body = await text(incoming);
    const request = {
      method: incoming.method ?? '',
      path: incoming.url ?? '',
      reference: body === '' ? '' : String(JSON.parse(body).Reference),
      isLate: incoming.headers['late-receipt'] === 'true',
      backlog: incoming.headers['outbox-backlog']?.toString(),
      body,
    };
    service.requests.push(request);
    const answer = await service.answer(request);
    if (answer === 'silence') return;
    if (answer === 'cut') {
      incoming.socket.destroy();
      return;
    }
    outgoing.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
    outgoing.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body ?? {}));
  };
  const server = createServer((incoming, outgoing) => {
    serve(incoming, outgoing).catch(() => outgoing.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const service: ScriptedService = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: [],
    answer: sealed,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return service;
}
