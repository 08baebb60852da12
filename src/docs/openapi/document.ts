import type { FastifyInstance } from 'fastify';
import type { TObject } from 'typebox';
import { type NamedOperation, OPERATIONS } from '../../contract/index.ts';
import type { Operation } from '../../contract/shared/operation.ts';
import { VERSION } from '../../platform/version.ts';
import { API_VERSION, description, TAGS } from './description.ts';
import { responsesOf } from './operation.ts';
import { securityOf, securitySchemes } from './security.ts';
import { WEBHOOKS } from './webhooks.ts';

const addressOf = ({ method, path }: Operation) => `${method} ${path}`;
const BY_ADDRESS = new Map(OPERATIONS.map((operation) => [addressOf(operation), operation]));

/** The operations whose routes are added after this: what a process does not serve is not among them. */
export function collectOperations(app: FastifyInstance): () => readonly NamedOperation[] {
  const operations = new Set<NamedOperation>();
  app.addHook('onRoute', ({ schema }) => {
    if (schema?.operation === undefined) return;
    const named = BY_ADDRESS.get(addressOf(schema.operation));
    if (named === undefined) throw new Error(`${addressOf(schema.operation)} is not in contract/nouns.ts`);
    operations.add(named);
  });
  return () => [...operations];
}

/** The OpenAPI document of these operations. */
export function documentOf(operations: readonly NamedOperation[], publicUrl: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of operations) {
    const path = operation.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: described(operation, publicUrl) };
  }
  const schemas = {};
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tillseal: fiscal receipts and bill payments',
      version: API_VERSION,
      summary: 'Signs fiscal receipts and takes bill payments.',
      description: description(publicUrl, VERSION),
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl, description: 'This installation' }],
    tags: TAGS,
    // Through text: what the schema library hides in its objects stays behind.
    paths: hoistTitled(JSON.parse(JSON.stringify(paths)), schemas),
    ...(operations.some(({ id }) => id === 'listEndpoints')
      ? { webhooks: hoistTitled(JSON.parse(JSON.stringify(WEBHOOKS)), schemas) }
      : {}),
    components: { securitySchemes: securitySchemes(publicUrl), schemas },
  };
}

function described(operation: NamedOperation, publicUrl: string): object {
  const { id, summary, tag, params, query, headers = {}, body, bodyExamples } = operation;
  const shown = Object.entries({ ...bodyExamples }).map(([words, value]) => [words, { summary: words, value }]);
  const examples: object = Object.fromEntries(shown);
  const inHeaders = Object.entries(headers).map(([name, field]) => ({ in: 'header', name, required: false, ...field }));
  const parameters = [...parametersIn('query', query), ...parametersIn('path', params), ...inHeaders];
  return {
    operationId: id,
    summary,
    tags: [tag],
    ...(operation.description === undefined ? {} : { description: operation.description }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            content: { 'application/json': { schema: body, ...(bodyExamples && { examples }) } },
            required: true,
          },
        }),
    security: securityOf(operation),
    responses: responsesOf(operation, publicUrl),
  };
}

interface Described {
  readonly description?: string;
  readonly examples?: readonly unknown[];
}

function parametersIn(place: 'query' | 'path', schema: TObject | undefined): object[] {
  return Object.entries(schema?.properties ?? {}).map(([name, property]) => {
    const { description: about, examples, ...type }: Described = property;
    return {
      in: place,
      name,
      required: schema?.required?.includes(name) ?? false,
      schema: type,
      ...(about === undefined ? {} : { description: about }),
      ...(examples === undefined ? {} : { example: examples[0] }),
    };
  });
}

type Json = Record<string, unknown>;

/** Keywords whose values are data, not schemas: a problem in an example has a `title` too. */
const DATA = new Set(['examples', 'example', 'default', 'enum', 'const']);

/**
 * Moves every schema with a title to the components of the document and leaves a reference, so that a receipt is one type
 * with one name for tools that generate code from it.
 */
function hoistTitled(node: unknown, components: Json): unknown {
  if (Array.isArray(node)) return node.map((item) => hoistTitled(item, components));
  if (typeof node !== 'object' || node === null) return node;
  const parts = Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, DATA.has(key) ? value : hoistTitled(value, components)]),
  );
  const { title, ...schema } = parts;
  if (typeof title !== 'string' || !('type' in schema)) return parts;
  const known = components[title];
  if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema)) {
    throw new Error(`two different schemas are called ${title}`);
  }
  components[title] = schema;
  return { $ref: `#/components/schemas/${title}` };
}
