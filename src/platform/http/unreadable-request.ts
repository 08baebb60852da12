import { randomUUID } from 'node:crypto';
import { type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { PROBLEMS, problemDocument } from '../../contract/shared/problem.ts';
import type { Refusal } from '../../kernel/refusal.ts';
import { SECURITY_HEADERS } from './security-headers.ts';

/**
 * What Node refuses before there is a request: broken HTTP, too many headers, or a sender that takes too long. It gets the
 * same kind of answer as every other mistake, and the connection ends, since it is unknown where the next request would begin.
 */
export function answerUnreadable(server: Server, publicUrl: string): void {
  const answering = new WeakMap<Duplex, ServerResponse>();
  server.prependListener('request', (request, response) => answering.set(request.socket, response));
  server.on('clientError', (error, socket) => {
    if (socket.destroyed || !socket.writable || codeOf(error) === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    const response = answering.get(socket);
    if (response === undefined || response.writableFinished) answer(error, socket, publicUrl);
    else if (response.req.complete) finish(response);
    else if (response.headersSent) socket.destroy();
    else answer(error, socket, publicUrl);
  });
}

/**
 * The rubbish came behind a whole request that is still being worked on, as when Content-Length was too small. Its answer
 * must not be ours: a receipt may have been sealed by it.
 */
function finish(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('connection', 'close');
  response.once('finish', () => response.socket?.destroySoon());
}

function answer(error: Error, socket: Duplex, publicUrl: string): void {
  const reason = reasonOf(error);
  const { status } = PROBLEMS[reason.code];
  const requestId = randomUUID();
  const body = JSON.stringify(problemDocument(reason, publicUrl, requestId));
  const headers = {
    'content-type': 'application/problem+json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'x-request-id': requestId,
    ...SECURITY_HEADERS,
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  // Not destroyed immediately: unread bytes would turn the answer into a reset.
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`, () => socket.destroy());
}

function reasonOf(error: Error): Pick<Refusal, 'code' | 'detail'> {
  switch (codeOf(error)) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { code: 'RequestTimeout', detail: 'The request did not arrive in time. Nothing was done; send it again.' };
    case 'HPE_HEADER_OVERFLOW':
      return { code: 'HeadersTooLarge', detail: 'The address and headers of a request have at most 16 KiB together.' };
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return { code: 'BodyTooLarge', detail: 'The chunks of the body carry too much besides the body.' };
    default:
      return { code: 'InvalidRequest', detail: 'This is not HTTP/1.1 as it is written down.' };
  }
}

function codeOf(error: Error): unknown {
  return 'code' in error ? error.code : undefined;
}
