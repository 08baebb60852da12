/** Plain HTTP: the control API below `/control`, and the public verification pages everywhere else. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { answerVerification } from '../verification/answer.ts';
import { readBody } from '../wire/read-body.ts';
import { ControlRefusal } from './control-request.ts';
import { encodeControl } from './present.ts';
import { type ControlContext, control } from './routes.ts';

const CONTROL_PATH = '/control';
const WEBHOOKS = '/webhooks';
const BODY_LIMIT_BYTES = 1024 * 1024;
const LOOPBACK = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i;
const JSON_TYPE = /^application\/json\s*(;|$)/i;
const BODILESS: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD', 'DELETE']);

export function createControlServer(context: ControlContext): Server {
  const server = createServer((request, response) => {
    handle(context, request, response).catch((error: unknown) => {
      if (error instanceof ControlRefusal) return sendJson(response, error.status, { error: error.message });
      context.authority.log.error({ err: error }, 'the control API failed');
      return sendJson(response, 500, { error: 'the simulator failed; its log says why' });
    });
  });
  // Longer than any pause between two calls: a connection closed as it is used again looks like a failed call.
  server.keepAliveTimeout = 60_000;
  return server;
}

async function handle(context: ControlContext, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = URL.parse(request.url ?? '/', 'http://localhost') ?? new URL('http://localhost/-');
  if (pathname !== CONTROL_PATH && !pathname.startsWith(`${CONTROL_PATH}/`)) {
    answerVerification(context.authority, request, response, pathname, searchParams);
    return;
  }
  refuseOtherSites(request);
  const path = pathname.slice(CONTROL_PATH.length);
  const body = await readBody(request, BODY_LIMIT_BYTES);
  if (body === undefined) throw new ControlRefusal(413, 'the body is too large');
  if (request.method === 'POST' && path === WEBHOOKS) {
    const status = await context.webhooks.receive(request.headers, body);
    // A redirect leads back here: a client that follows it shows up as a second request.
    response.writeHead(status, status >= 300 && status < 400 ? { location: pathname } : {}).end();
    return;
  }
  const answer = await control(context, `${request.method} ${path}`, searchParams, body);
  sendJson(response, 200, answer);
}

/**
 * There is no password, so a web page that a developer happens to open must not be able to drive it: a name that was made to
 * lead here is not ours, and no page may send JSON to another site without asking first, which is never granted.
 */
function refuseOtherSites({ method, headers }: IncomingMessage): void {
  if (!LOOPBACK.test(headers.host ?? '')) {
    throw new ControlRefusal(403, 'the control API is asked for as 127.0.0.1 or localhost only');
  }
  if (!BODILESS.has(method) && !JSON_TYPE.test(headers['content-type'] ?? '')) {
    throw new ControlRefusal(415, 'send Content-Type: application/json, also without a body');
  }
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(encodeControl(value));
}
