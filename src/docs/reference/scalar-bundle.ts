import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import Fastify from 'fastify';

export interface Bundle {
  readonly plain: string;
  readonly gzipped: Buffer;
}

let bundle: Promise<Bundle> | undefined;

/**
 * Scalar's program for browsers. Its plugin carries it inside and gives it out over a route only, so the plugin is asked,
 * in an application of its own. Loaded when the first reader comes: 4 MB that a service without readers need not hold.
 */
export function scalarBundle(): Promise<Bundle> {
  bundle ??= loadBundle();
  return bundle;
}

async function loadBundle(): Promise<Bundle> {
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  const carrier = Fastify();
  await carrier.register(scalar, { routePrefix: '/scalar', configuration: { url: '/openapi.json' } });
  const answer = await carrier.inject('/scalar/js/scalar.js');
  await carrier.close();
  if (answer.statusCode !== 200) throw new Error('the plugin does not give out its bundle at js/scalar.js');
  return { plain: answer.body, gzipped: await promisify(gzip)(answer.body) };
}
