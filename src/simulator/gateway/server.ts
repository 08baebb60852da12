/** The gateway: HTTPS. What becomes of a call is in answer-call.ts. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { readBody } from '../wire/read-body.ts';
import { createAnswering, type GatewayOptions } from './answer-call.ts';

const BODY_LIMIT_BYTES = 3 * 1024 * 1024;

export function createGateway(options: GatewayOptions & { readonly cert: string; readonly key: string }) {
  const { authority, faults, cert, key } = options;
  const sockets = new Set<Socket>();
  const answer = createAnswering(options);
  const server = createServer(
    { cert, key, ca: authority.identity.caPem, requestCert: true, rejectUnauthorized: false, minVersion: 'TLSv1.2' },
    (request, response) => {
      handle(answer, request, response).catch((error: unknown) => {
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
    /** Cuts every connection there is; with an outage in force no new one comes about. */
    cutConnections: () => {
      for (const socket of sockets) socket.resetAndDestroy();
    },
  };
}

async function handle(
  answer: ReturnType<typeof createAnswering>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method, url, headers, socket } = request;
  const peerCertificate = socket instanceof TLSSocket ? socket.getPeerX509Certificate() : undefined;
  const written = await answer({
    method,
    url,
    headers,
    peerCertificate,
    readBody: () => readBody(request, BODY_LIMIT_BYTES),
  });
  if (written === undefined) {
    // A reset under TLS: closing it properly would look like an answer without content.
    socket.destroy();
    return;
  }
  const length = Buffer.byteLength(written.text);
  response.writeHead(written.status, { ...written.headers, 'content-length': length }).end(written.text);
}
