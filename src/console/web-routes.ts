import { randomBytes } from 'node:crypto';
import { createReadStream, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Refusal } from '../kernel/refusal.ts';
import { sendProblem } from '../platform/http/problem.ts';

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

/** Their names carry a hash of what is in them: they never change. */
const FOREVER = 'public, max-age=31536000, immutable';

const NOT_BUILT: Refusal = {
  code: 'NotFound',
  detail: 'The console is not built here: start the service with npm start, or run node web/build.mjs.',
};
const NO_FILE: Refusal = { code: 'NotFound', detail: 'There is nothing at this address.' };

/** Programs and styles come from here alone; a style made while the console runs needs the page's own nonce. */
function policy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "connect-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

interface BuiltFile {
  readonly path: string;
  readonly type: string;
  readonly packed: ReadonlySet<string>;
}

interface Built {
  readonly madeAtMs: number;
  readonly page: string;
  readonly files: ReadonlyMap<string, BuiltFile>;
}

/**
 * The operators' web pages, from the folder they were built into. Files are streamed from the disk, packed ones where the
 * browser takes them; only their names are kept in memory, so no address can lead anywhere else. Built anew beside a
 * running service, the next page is the new one.
 */
export function webRoutes(app: FastifyInstance, folder: string): void {
  let built = readBuilt(folder);
  const current = (): Built | undefined => {
    if (madeAt(folder) !== built?.madeAtMs) built = readBuilt(folder);
    return built;
  };
  const sendPage = (_request: FastifyRequest, reply: FastifyReply) => {
    const found = current();
    if (found === undefined) return sendProblem(reply, NOT_BUILT);
    const nonce = randomBytes(18).toString('base64url');
    return reply
      .header('content-security-policy', policy(nonce))
      .header('cache-control', 'no-store')
      .type('text/html; charset=utf-8')
      .send(found.page.replaceAll('__NONCE__', nonce));
  };
  app.get('/console', sendPage);
  app.get<{ Params: { '*': string } }>('/console/*', (request, reply) => {
    const name = request.params['*'];
    const file = current()?.files.get(name);
    if (file !== undefined) return sendFile(request, reply, name, file);
    // Every other address is a page of the console, which finds its own way.
    return name.startsWith('assets/') ? sendProblem(reply, NO_FILE) : sendPage(request, reply);
  });
}

function sendFile(request: FastifyRequest, reply: FastifyReply, name: string, file: BuiltFile): FastifyReply {
  const accepted = request.headers['accept-encoding'] ?? '';
  const encoding = (['br', 'gzip'] as const).find(
    (candidate) => new RegExp(`\\b${candidate}\\b`).test(accepted) && file.packed.has(candidate),
  );
  const path = encoding === undefined ? file.path : `${file.path}.${encoding === 'br' ? 'br' : 'gz'}`;
  if (encoding !== undefined) reply.header('content-encoding', encoding);
  return reply
    .header('cache-control', name.startsWith('assets/') ? FOREVER : 'public, max-age=3600')
    .header('vary', 'accept-encoding')
    .header('content-length', statSync(path).size)
    .type(file.type)
    .send(createReadStream(path));
}

function madeAt(folder: string): number | undefined {
  return statSync(join(folder, 'index.html'), { throwIfNoEntry: false })?.mtimeMs;
}

function readBuilt(folder: string): Built | undefined {
  const madeAtMs = madeAt(folder);
  if (madeAtMs === undefined) return undefined;
  try {
    const page = readFileSync(join(folder, 'index.html'), 'utf8');
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => name.replaceAll('\\', '/'));
    const all = new Set(names);
    const files = new Map<string, BuiltFile>();
    for (const name of names) {
      const type = TYPES[name.slice(name.lastIndexOf('.') + 1)];
      if (type === undefined) continue;
      const packed = new Set([...(all.has(`${name}.br`) ? ['br'] : []), ...(all.has(`${name}.gz`) ? ['gzip'] : [])]);
      files.set(name, { path: join(folder, name), type, packed });
    }
    return { madeAtMs, page, files };
  } catch {
    return undefined;
  }
}
