import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { OPERATIONS } from '../../../src/contract/index.ts';
import type { Access } from '../../../src/contract/shared/access.ts';
import type { Schema } from './json-tree.ts';

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly schema: Schema;
}

interface Media {
  readonly schema: Schema;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

interface Response {
  readonly content?: Readonly<Record<string, Media>>;
}

/** One operation of the contract, as it is attacked; its answers come from the service's own document. */
export interface Operation {
  readonly id: string;
  /** `METHOD /path/{parameter}`. */
  readonly name: string;
  readonly access: Access;
  readonly method: string;
  /** With `{parameter}`. */
  readonly template: string;
  readonly parameters: readonly Parameter[];
  readonly bodySchema: Schema | undefined;
  readonly bodyExamples: readonly unknown[];
  readonly responses: Readonly<Record<string, Response>>;
}

export interface ServiceDocument {
  readonly operations: readonly Operation[];
  /** What is wrong with a value according to this schema; empty when it fits. */
  readonly faults: (schema: Schema, value: unknown) => string[];
}

/** What answers are judged by. */
export interface Known {
  readonly document: ServiceDocument;
  /** What stands in whatever belongs to tenants that have something. */
  readonly isOfOthers: RegExp;
}

interface OpenApi {
  readonly paths: Record<string, Record<string, { readonly responses: Record<string, Response> }>>;
}

export async function readDocument(address: string): Promise<ServiceDocument> {
  const document = (await (await fetch(address)).json()) as OpenApi;
  const operations = OPERATIONS.map((operation): Operation => {
    const { id, access, method, params, query, body, bodyExamples = {} } = operation;
    const template = operation.path.replaceAll(/:(\w+)/g, '{$1}');
    return {
      id,
      name: `${method} ${template}`,
      access,
      method,
      template,
      parameters: [...parametersIn('path', params), ...parametersIn('query', query)],
      bodySchema: body,
      bodyExamples: Object.values(bodyExamples),
      responses: document.paths[template]?.[method.toLowerCase()]?.responses ?? {},
    };
  });
  return { operations, faults: makeValidator(document) };
}

function parametersIn(place: Parameter['in'], schema: Schema | undefined): Parameter[] {
  return Object.entries(schema?.properties ?? {}).map(([name, part]) => ({ name, in: place, schema: part }));
}

/** Schemas of answers are open, because answers may grow; still, every field of today's answers must be described. */
function makeValidator(document: OpenApi): ServiceDocument['faults'] {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(Object(closed(document)), 'document');
  const compiled = new Map<string, ValidateFunction>();
  return (schema, value) => {
    const key = JSON.stringify(schema);
    const check = compiled.get(key) ?? ajv.compile(rebased(closed(schema)));
    compiled.set(key, check);
    if (check(value)) return [];
    return (check.errors ?? []).map(
      (error) => `${error.instancePath || '(root)'} ${error.message} ${JSON.stringify(error.params)}`,
    );
  };
}

function rebased(schema: unknown): object {
  return Object(JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"document#/components')));
}

function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed);
  if (typeof node !== 'object' || node === null) return node;
  const parts = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, closed(value)]));
  return 'properties' in parts && 'type' in parts ? { additionalProperties: false, ...parts } : parts;
}

/** Whose tokens are taken where this is said of who may; undefined: of anybody. */
export type Area = 'admin' | 'receipts' | 'payments';

export function areaOf(access: Access): Area | undefined {
  if (typeof access === 'object') return 'admin';
  if (access === 'anybody') return undefined;
  if (access.startsWith('vendor')) return 'payments';
  return /^(taxpayer|tenant)/.test(access) ? 'receipts' : 'admin';
}
