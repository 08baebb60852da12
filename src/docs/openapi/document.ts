import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import swagger, { type FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import type { FastifyInstance, FastifySchema } from 'fastify';
import type { RouteDocumentation } from '../../platform/http/documentation.ts';
import { API_VERSION, description, TAGS } from './description.ts';
import { hoistTitled } from './hoist.ts';
import { type RouteFacts, responsesOf } from './operation.ts';
import { securityOf, securitySchemes } from './security.ts';

interface Operation {
  operationId?: string;
  requestBody?: { content: { 'application/json': { schema: object; examples?: object } } };
  responses: Record<string, object>;
}

interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, unknown>; securitySchemes: object };
}

/**
 * Makes the OpenAPI document from the routes that are added after this. Requests come from the schemas that check them;
 * answers from each route's documentation.
 */
export async function describeRoutes(app: FastifyInstance): Promise<void> {
  const routes = new Map<string, RouteFacts>();
  const options: FastifyDynamicSwaggerOptions = {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Tillseal: fiscal receipts and bill payments',
        version: API_VERSION,
        summary: 'Signs fiscal receipts and takes bill payments.',
        description: description(app.publicUrl, productVersion()),
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: app.publicUrl, description: 'This installation' }],
      tags: TAGS,
      components: {
        securitySchemes: securitySchemes(app.publicUrl),
      },
    },
    transform: ({ schema, url, route }) => {
      const documentation = documentationOf(schema);
      if (documentation === undefined) return { schema, url };
      routes.set(documentation.operationId, factsOf(schema, documentation));
      return { schema: { ...schema, ...operationOf(documentation, String(route.method)) }, url };
    },
    transformObject: (made) => {
      if (!('openapiObject' in made)) throw new Error('an OpenAPI document was asked for');
      // Through text: what the schema library hides in its objects stays behind.
      const document = JSON.parse(JSON.stringify(made.openapiObject)) as Document;
      return complete(document, routes, app.publicUrl);
    },
  };
  await app.register(swagger, options);
}

/** Of an operation of the contract; routes that are not in it yet bring their own. */
function documentationOf(schema: FastifySchema | undefined): RouteDocumentation | undefined {
  const operation = schema?.operation;
  if (operation === undefined) return schema?.documentation;
  const { id, access, answer, otherAnswers, hasOpenParams, hasRawNumbers: _, params, ...same } = operation;
  return {
    ...same,
    operationId: id,
    isPublic: access === 'anybody',
    ...(hasOpenParams && params !== undefined ? { parameters: params } : {}),
    answers: { [answer.status ?? 200]: answer, ...otherAnswers },
  };
}

function factsOf(schema: FastifySchema, documentation: RouteDocumentation): RouteFacts {
  const hasCheckedInput = schema.querystring !== undefined || schema.params !== undefined;
  return { documentation, hasBody: schema.body !== undefined, hasCheckedInput };
}

function operationOf(documentation: RouteDocumentation, method: string): FastifySchema {
  const { operationId, summary, tag, parameters } = documentation;
  return {
    operationId,
    summary,
    tags: [tag],
    security: securityOf(documentation, method),
    ...(documentation.description === undefined ? {} : { description: documentation.description }),
    ...(parameters === undefined ? {} : { params: parameters }),
  };
}

function complete(document: Document, routes: ReadonlyMap<string, RouteFacts>, publicUrl: string): Document {
  for (const operation of Object.values(document.paths).flatMap((path) => Object.values(path))) {
    const facts = routes.get(operation.operationId ?? '');
    if (facts === undefined) continue;
    operation.responses = responsesOf(facts, publicUrl);
    const media = operation.requestBody?.content['application/json'];
    if (media && facts.documentation.bodyExamples) media.examples = facts.documentation.bodyExamples;
  }
  const plain = JSON.parse(JSON.stringify(document.paths)) as Document['paths'];
  document.paths = hoistTitled(plain, document.components.schemas) as Document['paths'];
  return document;
}

function productVersion(): string {
  const manifest = readFileSync(join(import.meta.dirname, '../../../package.json'), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
