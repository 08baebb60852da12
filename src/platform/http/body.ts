import type { FastifyRequest } from 'fastify';
import type { ExactJson } from './exact-json.ts';

/** The parsed body of a route whose schema has already checked it. Amounts are read through `numberText`, never from here. */
export function bodyOf<Body>(request: FastifyRequest): Body {
  return (request.body as ExactJson).value as Body;
}
