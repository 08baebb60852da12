import type { TObject } from 'typebox';
import type { NamedOperation } from '../../contract/index.ts';
import type { Access } from '../../contract/shared/access.ts';
import { TAGS } from './description.ts';

/**
 * The operations as a Postman collection (format 2.1). Its variables are the address and a token for each kind of caller; dates and
 * references of examples are Postman's own variables, so that a receipt can be sent again and again.
 */
export function postmanCollection(operations: readonly NamedOperation[], publicUrl: string): object {
  return {
    info: {
      name: 'Tillseal',
      description: `Set the variables \`token\`, \`vendorToken\` and \`operatorToken\`. Reference: ${publicUrl}/docs`,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: bearer('token'),
    variable: [
      { key: 'baseUrl', value: publicUrl },
      { key: 'invoice', value: '' },
      ...['token', 'vendorToken', 'operatorToken'].map((key) => ({ key, value: '', type: 'secret' })),
    ],
    item: TAGS.map(({ name, description }) => ({
      name,
      description,
      item: operations.filter(({ tag }) => tag === name).flatMap(itemsOf),
    })).filter(({ item }) => item.length > 0),
  };
}

/** One request for each example of its body. */
function itemsOf(operation: NamedOperation): object[] {
  const { summary, body, bodyExamples = {} } = operation;
  const examples = Object.entries(bodyExamples);
  if (body === undefined || examples.length === 0)
    return [{ name: summary, request: requestOf(operation), response: [] }];
  return examples.map(([words, example], index) => ({
    name: examples.length === 1 ? summary : `${summary}: ${words}`,
    ...(operation.id === 'signReceipt' && index === 0 ? { event: [REMEMBERED] } : {}),
    request: requestOf(operation, example),
    response: [],
  }));
}

function requestOf(operation: NamedOperation, example?: unknown): object {
  const { method, path, params, query, headers = {}, body, access, description, summary } = operation;
  const given = Object.entries(headers).map(([key, field]) => ({
    key,
    value: 'true',
    description: field.description,
    disabled: true,
  }));
  const type = body === undefined ? [] : [{ key: 'Content-Type', value: 'application/json' }];
  return {
    method,
    description: description ?? summary,
    ...authOf(access),
    header: [...type, ...given],
    url: {
      raw: `{{baseUrl}}${path}`,
      host: ['{{baseUrl}}'],
      path: path.split('/').slice(1),
      query: fieldsOf(query).map((field) => ({ ...field, disabled: true })),
      variable: fieldsOf(params),
    },
    ...(body === undefined
      ? {}
      : { body: { mode: 'raw', raw: bodyText(example ?? {}), options: { raw: { language: 'json' } } } }),
  };
}

function fieldsOf(schema: TObject | undefined) {
  return Object.entries(schema?.properties ?? {}).map(([key, property]) => {
    const { description = '', examples = [] }: { description?: string; examples?: readonly (string | number)[] } =
      property;
    return { key, value: String(examples[0] ?? ''), description };
  });
}

function bodyText(example: unknown): string {
  return JSON.stringify(example, (key, value: unknown) => (VARIABLES.has(key) ? VARIABLES.get(key) : value), 2);
}

/** The invoice that was signed last is what the notes refer to. */
const REMEMBERED = {
  listen: 'test',
  script: {
    type: 'text/javascript',
    exec: ["if (pm.response.code === 200) pm.collectionVariables.set('invoice', pm.response.json().Reference);"],
  },
};

/** New at every sending: the same reference with another date would be a conflict. */
const VARIABLES = new Map([
  ['OriginalReference', '{{invoice}}'],
  ['Date', '{{$isoTimestamp}}'],
  ['Reference', 'POSTMAN-{{$guid}}'],
  ['VendorReference', 'POSTMAN-{{$guid}}'],
]);

function authOf(access: Access): object {
  if (access === 'anybody') return { auth: { type: 'noauth' } };
  if (typeof access === 'object') return { auth: bearer('operatorToken') };
  if (access.startsWith('taxpayer') || access.startsWith('tenant')) return {};
  return { auth: bearer(access.startsWith('vendor') ? 'vendorToken' : 'operatorToken') };
}

function bearer(variable: string): object {
  return { type: 'bearer', bearer: [{ key: 'token', value: `{{${variable}}}`, type: 'string' }] };
}
