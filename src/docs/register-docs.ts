import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { type Asset, makeAsset, sendAsset } from './asset.ts';
import { clientPackages, packageTable, packageType } from './client-packages.ts';
import { errorsPage } from './errors/errors-page.ts';
import { guidePage, guidesPage } from './guides/guide-page.ts';
import { GUIDES, type Guide, llmsText, readGuide } from './guides/guides.ts';
import { type DemoHints, landingPage } from './landing/landing-page.ts';
import { collectOperations, documentOf } from './openapi/document.ts';
import { postmanCollection } from './openapi/postman.ts';
import { loadScalarBundle, referencePage } from './reference/reference-page.ts';

const HTML = 'text/html; charset=utf-8';
const CSS = 'text/css; charset=utf-8';
const JAVASCRIPT = 'text/javascript; charset=utf-8';
const JSON_TEXT = 'application/json; charset=utf-8';

const NOTHING_ELSE = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const ERRORS_POLICY = `${NOTHING_ELSE}; style-src 'self'; img-src 'self'`;
/** Scalar writes styles while it runs, which no nonce or hash can allow; programs come from here alone. */
const REFERENCE_POLICY = `${NOTHING_ELSE}; script-src 'self'; connect-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'`;

/**
 * The first page at /, the reference at /docs, the error catalogue at /docs/errors, all guides beside it, and the OpenAPI document. To be called
 * before the routes are added that it describes. `demo` is asked when the first reader comes.
 */
export function registerDocs(app: FastifyInstance, demo: () => DemoHints | undefined = () => undefined): void {
  const operations = collectOperations(app);
  const serve = (path: string, type: string, read: () => Promise<string> | string, policy?: string) => {
    const asset = kept(type, read);
    app.get(path, async (request, reply) => {
      if (policy !== undefined) reply.header('content-security-policy', policy);
      return sendAsset(request, reply, await asset());
    });
  };
  const text = (name: string) => readFile(join(import.meta.dirname, 'assets', name), 'utf8');
  const file = (name: string) => () => text(name);

  serve('/', HTML, () => landingPage(demo()), ERRORS_POLICY);
  serve('/docs/docs.css', CSS, file('docs.css'));
  serve('/openapi.json', JSON_TEXT, () => JSON.stringify(documentOf(operations(), app.publicUrl)));
  serve('/docs/postman.json', JSON_TEXT, () => JSON.stringify(postmanCollection(operations(), app.publicUrl)));
  serve('/llms.txt', 'text/plain; charset=utf-8', () => llmsText(app.publicUrl));
  serve('/docs', HTML, referencePage, REFERENCE_POLICY);
  serve('/docs/reference.js', JAVASCRIPT, file('reference.js'));
  serve('/docs/scalar.js', JAVASCRIPT, loadScalarBundle);
  serve('/docs/errors', HTML, errorsPage, ERRORS_POLICY);
  serve('/docs/guides', HTML, guidesPage, ERRORS_POLICY);
  const packages = once(clientPackages);
  const textOf = async (guide: Guide) =>
    readGuide(guide) + (guide.slug === 'clients' ? packageTable(await packages()) : '');
  const guides = new Map(
    GUIDES.flatMap((guide) => [
      [guide.slug, kept(HTML, async () => guidePage(guide, await textOf(guide)))],
      [`${guide.slug}.md`, kept('text/markdown; charset=utf-8', () => textOf(guide))],
    ]),
  );
  app.get<{ Params: { '*': string } }>('/docs/*', async (request, reply) => {
    const path = request.params['*'];
    const guide = guides.get(path);
    if (guide !== undefined)
      return sendAsset(request, reply.header('content-security-policy', ERRORS_POLICY), await guide());
    const name = path.slice('clients/'.length);
    const content = path.startsWith('clients/tillseal-') ? (await packages()).get(name) : undefined;
    if (content === undefined) return reply.callNotFound();
    reply.header('content-disposition', `attachment; filename="${name}"`).type(packageType(name));
    return reply.send(content);
  });
  serve('/docs/icon.svg', 'image/svg+xml', file('icon.svg'));
  // Asked for by browsers where no page names an icon, such as on an answer in JSON.
  serve('/favicon.ico', 'image/svg+xml', file('icon.svg'));
  app.get('/docs/', (_request, reply) => reply.redirect('../docs', 308));
}

function kept(type: string, read: () => Promise<string> | string): () => Promise<Asset> {
  return once(async () => makeAsset(type, await read()));
}

/** Made when the first reader comes. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined; // the next reader may have more luck
      throw error;
    });
    return made;
  };
}
