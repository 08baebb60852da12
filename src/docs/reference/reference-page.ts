import Fastify from 'fastify';
import { documentationPage } from '../page/documentation-page.ts';

/** The page that shows the reference. */
export function referencePage(): string {
  return documentationPage(
    '/docs',
    'API reference',
    `<div id="reference"></div>
<noscript><p>This page needs JavaScript. The same is in <a href="openapi.json">openapi.json</a>, every error code in the
<a href="docs/errors">error catalogue</a>, and how to begin in the <a href="docs/guides">guides</a>.</p></noscript>
<script src="docs/scalar.js"></script>
<script type="module" src="docs/reference.js"></script>`,
  );
}

/**
 * Scalar's program for browsers. Its plugin carries it inside and gives it out over a route only, so the plugin is asked,
 * in an application of its own. To be loaded when the first reader comes: 4 MB that a service without readers need not
 * hold.
 */
export async function loadScalarBundle(): Promise<string> {
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  const carrier = Fastify();
  await carrier.register(scalar, { routePrefix: '/scalar', configuration: { url: '/openapi.json' } });
  const answer = await carrier.inject('/scalar/js/scalar.js');
  await carrier.close();
  if (answer.statusCode !== 200) throw new Error('the plugin does not give out its bundle at js/scalar.js');
  return answer.body;
}
