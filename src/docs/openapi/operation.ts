import type { Answer, HeaderField, Operation } from '../../contract/shared/operation.ts';
import { PROBLEMS, type ProblemCode } from '../../contract/shared/problem.ts';
import { CATALOGUE } from '../errors/catalogue.ts';
import { exampleOf } from './example.ts';
import { ProblemSchema, problemExample } from './problem-schema.ts';

const REQUEST_ID: HeaderField = {
  description: 'Name of this request in our logs. Quote it when you report a failure.',
  schema: { type: 'string', format: 'uuid' },
};
const RETRY_AFTER: HeaderField = {
  description: 'Seconds after which the same request has a chance.',
  schema: { type: 'integer', minimum: 1 },
};

/** All answers of an operation: the good ones it documents, and every refusal it can meet, by status. */
export function responsesOf(operation: Operation, publicUrl: string): Record<string, object> {
  const { answer, otherAnswers } = operation;
  const responses: Record<string, object> = {};
  for (const [status, good] of Object.entries({ [answer.status ?? 200]: answer, ...otherAnswers })) {
    responses[status] = goodResponse(good);
  }
  for (const [status, codes] of byStatus(refusalCodes(operation))) {
    responses[status] ??= refusalResponse(Number(status), codes, publicUrl);
  }
  return responses;
}

function goodResponse(answer: Answer): object {
  const { description, schema, contentType = 'application/json', otherContents = {} } = answer;
  const isJson = contentType === 'application/json';
  const examples = isJson ? { answer: { summary: description, value: exampleOf(schema) } } : answer.examples;
  return {
    description,
    headers: { 'x-request-id': REQUEST_ID, ...answer.headers },
    content: {
      [contentType]: { schema, ...(examples ? { examples } : {}) },
      ...Object.fromEntries(Object.entries(otherContents).map(([type, other]) => [type, { schema: other }])),
    },
  };
}

function refusalResponse(status: number, codes: readonly ProblemCode[], publicUrl: string): object {
  const lines = codes.map((code) => `- [\`${code}\`](${publicUrl}/docs/errors#${code}): ${CATALOGUE[code].meaning}`);
  const mayRetry = status === 429 || status === 503;
  return {
    description: lines.join('\n'),
    headers: {
      'x-request-id': REQUEST_ID,
      ...(mayRetry ? { 'Retry-After': RETRY_AFTER } : {}),
      ...(status === 401
        ? { 'WWW-Authenticate': { description: 'How to authenticate.', schema: { type: 'string' } } }
        : {}),
    },
    content: {
      'application/problem+json': {
        schema: ProblemSchema,
        examples: Object.fromEntries(
          codes.map((code) => [code, { summary: PROBLEMS[code].title, value: problemExample(code, publicUrl) }]),
        ),
      },
    },
  };
}

function refusalCodes({ access, path, params, hasOpenParams, query, body, refusals = [] }: Operation): ProblemCode[] {
  const codes: ProblemCode[] =
    access === 'anybody'
      ? ['InternalError']
      : ['Unauthorized', 'Forbidden', 'RateLimited', 'Overloaded', 'Unavailable', 'InternalError'];
  const hasCheckedInput = query !== undefined || (params !== undefined && !hasOpenParams);
  if (body !== undefined) codes.push('InvalidRequest', 'MalformedJson', 'BodyTooLarge', 'UnsupportedMediaType');
  else if (hasCheckedInput) codes.push('InvalidRequest');
  if (path.includes(':')) codes.unshift('NotFound');
  return [...new Set([...refusals, ...codes])];
}

function byStatus(codes: readonly ProblemCode[]): [string, ProblemCode[]][] {
  const groups = new Map<string, ProblemCode[]>();
  for (const code of codes) {
    const status = String(PROBLEMS[code].status);
    groups.set(status, [...(groups.get(status) ?? []), code]);
  }
  return [...groups].toSorted(([a], [b]) => a.localeCompare(b));
}
