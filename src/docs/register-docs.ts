import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { errorsPage } from './errors/errors-page.ts';
import { describeRoutes } from './openapi/document.ts';
import { referencePage } from './reference/reference-page.ts';
import { scalarBundle } from './reference/scalar-bundle.ts';

const ASSETS = [
  { name: 'icon.svg', type: 'image/svg+xml' },
  { name: 'errors.css', type: 'text/css; charset=utf-8' },
  { name: 'reference.css', type: 'text/css; charset=utf-8' },
  { name: 'reference.js', type: 'text/javascript; charset=utf-8' },
] as const;

const NOTHING_ELSE = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const ERRORS_POLICY = `${NOTHING_ELSE}; style-src 'self'; img-src 'self'`;
/** Scalar writes styles while it runs, which no nonce or hash can allow; programs come from here alone. */
const REFERENCE_POLICY = `${NOTHING_ELSE}; script-src 'self'; connect-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'`;

/**
 * The reference at /docs, the error catalogue at /docs/errors and the OpenAPI document. To be awaited before the routes
 * are added that it shall describe.
 */
export async function registerDocs(app: FastifyInstance): Promise<void> {
  await describeRoutes(app);
  const hidden = { schema: { hide: true } };
  let document: string | undefined;

  app.get('/openapi.json', hidden, (request, reply) => {
    document ??= JSON.stringify(app.swagger());
    return send(request, reply.type('application/json; charset=utf-8'), document);
  });
  app.get('/docs', hidden, (_request, reply) => sendPage(reply, REFERENCE_POLICY, referencePage()));
  app.get('/docs/', hidden, (_request, reply) => reply.redirect('../docs', 308));
  app.get('/docs/errors', hidden, (_request, reply) => sendPage(reply, ERRORS_POLICY, errorsPage()));
  app.get('/docs/scalar.js', hidden, async (request, reply) => {
    const { plain, gzipped } = await scalarBundle();
    const takesGzip = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
    reply.type('text/javascript; charset=utf-8').header('vary', 'accept-encoding');
    if (takesGzip) reply.header('content-encoding', 'gzip');
    return send(request, reply, takesGzip ? gzipped : plain);
  });
  for (const { name, type } of ASSETS) {
    const content = await readFile(join(import.meta.dirname, 'assets', name), 'utf8');
    app.get(`/docs/${name}`, hidden, (request, reply) => send(request, reply.type(type), content));
  }
}

function sendPage(reply: FastifyReply, policy: string, page: string): FastifyReply {
  return reply.header('content-security-policy', policy).type('text/html; charset=utf-8').send(page);
}

/** Kept by browsers and asked for again each time: what has not changed costs no more than the question. */
function send(request: FastifyRequest, reply: FastifyReply, content: string | Buffer): FastifyReply {
  const tag = `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;
  reply.header('cache-control', 'no-cache').header('etag', tag);
  if (request.headers['if-none-match'] === tag) return reply.code(304).send();
  return reply.send(content);
}
