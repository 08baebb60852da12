import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { type Asset, makeAsset, sendAsset } from './asset.ts';
import { errorsPage } from './errors/errors-page.ts';
import { type DemoHints, landingPage } from './landing/landing-page.ts';
import { describeRoutes } from './openapi/document.ts';
import { referencePage } from './reference/reference-page.ts';
import { loadScalarBundle } from './reference/scalar-bundle.ts';

const HTML = 'text/html; charset=utf-8';
const CSS = 'text/css; charset=utf-8';
const JAVASCRIPT = 'text/javascript; charset=utf-8';
const JSON_TEXT = 'application/json; charset=utf-8';

const NOTHING_ELSE = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const ERRORS_POLICY = `${NOTHING_ELSE}; style-src 'self'; img-src 'self'`;
/** Scalar writes styles while it runs, which no nonce or hash can allow; programs come from here alone. */
const REFERENCE_POLICY = `${NOTHING_ELSE}; script-src 'self'; connect-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'`;

/**
 * The first page at /, the reference at /docs, the error catalogue at /docs/errors and the OpenAPI document. To be called
 * before the routes are added that it describes. `demo` is asked when the first reader comes.
 */
export function registerDocs(app: FastifyInstance, demo: () => DemoHints | undefined = () => undefined): void {
  const documentOf = describeRoutes(app);
  /** Made when the first reader comes, and kept. */
  const serve = (path: string, type: string, read: () => Promise<string> | string, policy?: string) => {
    let made: Promise<Asset> | undefined;
    app.get(path, async (request, reply) => {
      made ??= Promise.resolve(read())
        .then((content) => makeAsset(type, content))
        .catch((error: unknown) => {
          made = undefined; // the next reader may have more luck
          throw error;
        });
      if (policy !== undefined) reply.header('content-security-policy', policy);
      return sendAsset(request, reply, await made);
    });
  };
  const file = (name: string) => () => readFile(join(import.meta.dirname, 'assets', name), 'utf8');

  serve('/', HTML, () => landingPage(demo()), ERRORS_POLICY);
  serve('/docs/landing.css', CSS, file('landing.css'));
  serve('/openapi.json', JSON_TEXT, () => JSON.stringify(documentOf()));
  serve('/docs', HTML, referencePage, REFERENCE_POLICY);
  serve('/docs/reference.css', CSS, file('reference.css'));
  serve('/docs/reference.js', JAVASCRIPT, file('reference.js'));
  serve('/docs/scalar.js', JAVASCRIPT, loadScalarBundle);
  serve('/docs/errors', HTML, errorsPage, ERRORS_POLICY);
  serve('/docs/errors.css', CSS, file('errors.css'));
  serve('/docs/icon.svg', 'image/svg+xml', file('icon.svg'));
  // Asked for by browsers where no page names an icon, such as on an answer in JSON.
  serve('/favicon.ico', 'image/svg+xml', file('icon.svg'));
  app.get('/docs/', (_request, reply) => reply.redirect('../docs', 308));
}
