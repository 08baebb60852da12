/** The gateway: HTTPS, faults, the log of calls. What is asked and answered is in perform.ts. */

import { randomInt } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { TLSSocket } from 'node:tls';
import { forcedRemark } from '../core/remarks.ts';
import type { Authority } from '../state/authority.ts';
import type { CallLog, CallRecord } from '../state/call-log.ts';
import type { Fault, Faults } from '../state/faults.ts';
import { type Answer, failed, refused } from '../wire/answer.ts';
import { encodeWire } from '../wire/encode.ts';
import { perform } from './perform.ts';
import { findTarget, type Target } from './routes.ts';

const BODY_LIMIT_BYTES = 3 * 1024 * 1024;

export interface Gateway {
  readonly server: Server;
  /** Cuts every connection there is; with an outage in force no new one comes about. */
  readonly cutConnections: () => void;
}

export interface GatewayOptions {
  readonly authority: Authority;
  readonly faults: Faults;
  readonly calls: CallLog;
  readonly cert: string;
  readonly key: string;
}

export function createGateway(options: GatewayOptions): Gateway {
  const { authority, faults, cert, key } = options;
  const sockets = new Set<Socket>();
  const newOperationId = createOperationIds();
  const server = createServer(
    { cert, key, ca: authority.identity.caPem, requestCert: true, rejectUnauthorized: false, minVersion: 'TLSv1.2' },
    (request, response) => {
      handle(options, newOperationId(), request, response).catch((error: unknown) => {
        // Who hangs up in the middle of a request is no failure of ours.
        if (!request.destroyed || request.complete) authority.log.error({ err: error }, 'the simulator failed');
        request.socket.destroy();
      });
    },
  );
  server.keepAliveTimeout = 60_000;
  server.on('connection', (socket: Socket) => {
    if (faults.isCutOff()) {
      socket.resetAndDestroy();
      return;
    }
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return {
    server,
    cutConnections: () => {
      for (const socket of sockets) socket.resetAndDestroy();
    },
  };
}

async function handle(
  options: GatewayOptions,
  operationId: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { calls, faults } = options;
  const startedAtMs = performance.now();
  const url = URL.parse(request.url ?? '/', 'https://localhost');
  const target = url ? findTarget(url.pathname) : undefined;
  if (!url || !target) return send(options, response, failed(404), operationId);
  if (request.method !== target.method) return send(options, response, failed(405), operationId);

  const { operation, deviceId } = target;
  const record = calls.begin({ operationId, operation, deviceId, traceparent: request.headers['traceparent'] });
  try {
    const struck = faults.strike(target);
    record.faults = struck.map(({ kind }) => kind);
    const answer = await answerWithFaults(options, request, target, url.searchParams, struck, record);
    const late = struck.find(({ kind }) => kind === 'delay-answer');
    if (late) await delay(late.delayMs ?? 1000);
    // In flight ends before the bytes leave: the caller's next call must not seem to overlap with this one.
    calls.end(record, startedAtMs);
    if (answer === undefined || struck.some(({ kind }) => kind === 'lose-answer')) {
      cut(request.socket);
      return;
    }
    record.status = answer.status;
    record.errorCode = 'problem' in answer ? answer.problem.errorCode : undefined;
    send(options, response, answer, operationId, struck);
  } catch (error) {
    calls.end(record, startedAtMs);
    throw error;
  }
}

/** Undefined: the connection is cut without an answer. */
async function answerWithFaults(
  { authority }: GatewayOptions,
  request: IncomingMessage,
  target: Target,
  query: URLSearchParams,
  struck: readonly Fault[],
  record: CallRecord,
): Promise<Answer | undefined> {
  const fault = (kind: Fault['kind']) => struck.find((candidate) => candidate.kind === kind);
  if (fault('outage')) return undefined;
  const body = await readBody(request);
  if (body === undefined) return failed(413);
  record.receiptGlobalNo = target.operation === 'SubmitReceipt' ? globalNoOf(body) : undefined;
  const slow = fault('delay');
  if (slow) await delay(slow.delayMs ?? 1000);
  const failure = fault('error-500');
  if (failure) return failed(failure.status ?? 500);
  const refusal = fault('refuse');
  if (refusal) return refused(refusal.code ?? 'RCPT02');
  const peer = request.socket instanceof TLSSocket ? request.socket.getPeerX509Certificate() : undefined;
  const forcedRemarks = struck
    .filter(({ kind }) => kind === 'remark')
    .map(({ code, colour }) => forcedRemark(code ?? 'RCPT020', colour));
  return perform(authority, {
    target,
    headers: request.headers,
    query,
    body,
    peerCertificate: peer,
    forcedRemarks,
  });
}

/**
 * The date is the authority's own, from which a client may learn how far its clock is off. `struck`: the answer as another version of
 * the authority might give it, or a proxy in between.
 */
function send(
  { authority }: GatewayOptions,
  response: ServerResponse,
  answer: Answer,
  operationID: string,
  struck: readonly Fault[] = [],
): void {
  const isProblem = 'problem' in answer;
  const amendments = struck.filter(({ kind }) => kind === 'amend-answer');
  const fields = isProblem ? [] : amendments.map((one) => one.fields);
  const body = Object.assign({}, isProblem ? answer.problem : answer.body, { operationID }, ...fields);
  const text = amendments
    .flatMap(({ replace = [] }) => replace)
    .reduce((written, { find, with: other }) => written.replace(find, other), encodeWire(body));
  const headers: Record<string, unknown> = Object.assign(
    {
      'content-type': isProblem ? 'application/problem+json' : 'application/json',
      date: new Date(authority.clock.instant() * 1000).toUTCString(),
      operationId: operationID,
    },
    ...amendments.map((one) => one.headers),
  );
  for (const [name, value] of Object.entries(headers)) if (typeof value === 'string') response.setHeader(name, value);
  response.writeHead(amendments.findLast(({ status }) => status !== undefined)?.status ?? answer.status, {
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}

async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk as Uint8Array);
    length += bytes.length;
    if (length > BODY_LIMIT_BYTES) return undefined;
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

/** For the log only, of whatever was sent. */
function globalNoOf(body: Buffer): number | undefined {
  const digits = /"receiptGlobalNo"\s*:\s*(\d{1,10})/.exec(body.toString('utf8'))?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** A reset under TLS: closing it properly would look like an answer without content. */
function cut(socket: Socket): void {
  socket.destroy();
}

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUV';

/** In the look of the real ones, `0HMPH9AF0QKKE:00000005`: unique per start, then per call. */
function createOperationIds(): () => string {
  const start = Array.from({ length: 13 }, () => DIGITS[randomInt(32)]).join('');
  let calls = 0;
  return () => {
    calls += 1;
    return `${start}:${calls.toString(16).toUpperCase().padStart(8, '0')}`;
  };
}
