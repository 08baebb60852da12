import type { Answer, Attempt } from '../request/attempt.ts';
import type { Known, Operation } from '../world/document.ts';

/** What any operation may answer: the document says so once, in its description. */
const ANYWHERE: Readonly<Record<number, readonly string[]>> = {
  400: ['InvalidRequest', 'MalformedJson'],
  404: ['NotFound'],
  405: ['MethodNotAllowed'],
  408: ['RequestTimeout', 'InvalidRequest'],
  413: ['BodyTooLarge'],
  415: ['UnsupportedMediaType'],
  431: ['HeadersTooLarge', 'InvalidRequest'],
};

/** Nothing is said of a biller without a target, and nothing is exported of a taxpayer without devices. */
const MAY_BE_EMPTY = new Set(['targetStats', 'exportTaxpayer']);

/** A request that takes longer could deny the service to others. */
const LATEST_MS = 20_000;
/** Documents are drawn behind all else that the machine does. */
const LATEST_DRAWN_MS = 100_000;
const LEAKS =
  /node_modules|\bat \S+ \(|\.ts:\d+|\b(?:select|insert into|update) \w+ .*\b(?:from|values|set)\b|syntax error at or near/i;

interface Problem {
  readonly status?: unknown;
  readonly Code?: unknown;
  readonly requestId?: unknown;
}

/** Everything that is wrong with an answer; empty when it is as documented. Without an operation: when any might answer so. */
export function checkAnswer(
  attempt: Attempt,
  answer: Answer,
  operation: Operation | undefined,
  known: Known,
): string[] {
  const faults = checkFrame(answer);
  const isDrawn = operation?.responses[200]?.content?.['application/pdf'] !== undefined;
  if (answer.durationMs > (isDrawn ? LATEST_DRAWN_MS : LATEST_MS))
    faults.push(`answered after ${Math.round(answer.durationMs / 1000)} s`);
  if (answer.status >= 400) faults.push(...checkProblem(attempt, answer, operation, known));
  else if (answer.status >= 300) faults.push(...checkRedirection(attempt, answer));
  else if (attempt.isAddressed && operation) faults.push(...checkGood(attempt, answer, operation, known));
  return faults;
}

const FRAME: Readonly<Record<string, RegExp>> = {
  'x-request-id': /^[0-9a-f-]{36}$/,
  // What is printed is shown inside the console.
  'content-security-policy': /^default-src 'none'.*frame-ancestors '(?:none|self)'/,
  'x-content-type-options': /^nosniff$/,
  'referrer-policy': /^no-referrer$/,
  'cache-control': /./,
};

export function checkFrame({ headers }: Pick<Answer, 'headers'>): string[] {
  const policy = headers['content-security-policy'];
  const isFramed = /json/.test(headers['content-type'] ?? '') && !policy?.includes("frame-ancestors 'none'");
  return Object.entries(FRAME)
    .filter(([name, right]) => !right.test(headers[name] ?? ''))
    .map(([name]) => `the header ${name} is ${headers[name]}`)
    .concat(isFramed ? [`data may be framed: ${policy}`] : []);
}

function checkProblem(
  attempt: Attempt,
  answer: Answer,
  operation: Operation | undefined,
  { document }: Known,
): string[] {
  const { status, headers, body } = answer;
  const text = body.toString('utf8');
  if (status >= 500 && status !== 503) return [`${status}: ${text.slice(0, 300)}`];
  if (attempt.method === 'HEAD') return [];
  if (headers['content-type'] !== 'application/problem+json; charset=utf-8')
    return [`${status} as ${headers['content-type']}: ${text.slice(0, 200)}`];
  const problem = parse(text);
  if (problem === undefined) return [`${status} without JSON: ${text.slice(0, 200)}`];
  const faults = document.faults({ $ref: '#/components/schemas/Problem' }, problem).map((fault) => `problem: ${fault}`);
  const { status: stated, Code, requestId } = problem as Problem;
  if (stated !== status) faults.push(`says status ${String(stated)}, is ${status}`);
  if (requestId !== headers['x-request-id']) faults.push('requestId is not the one in the header');
  if (status === 401 && headers['www-authenticate'] === undefined) faults.push('401 without WWW-Authenticate');
  if ((status === 503 || status === 429) && !/^[1-9]\d*$/.test(headers['retry-after'] ?? ''))
    faults.push(`${status} without Retry-After`);
  if (status === 405 && headers['allow'] === undefined) faults.push('405 without Allow');
  if (LEAKS.test(text)) faults.push(`shows internals: ${text.slice(0, 300)}`);
  if (secretsOf(attempt).some((secret) => text.includes(secret))) faults.push('repeats the credentials');
  if (attempt.isAddressed && operation && !isDocumented(operation, status, String(Code))) {
    faults.push(`${status} ${String(Code)} is not documented for ${operation.id}`);
  }
  return faults;
}

function isDocumented(operation: Operation, status: number, code: string): boolean {
  if (ANYWHERE[status]?.includes(code)) return true;
  const examples = operation.responses[status]?.content?.['application/problem+json']?.examples ?? {};
  return code in examples;
}

function checkRedirection(attempt: Attempt, { status }: Answer): string[] {
  const isAsked = status === 304 && attempt.headers.some(([name]) => name === 'If-None-Match');
  return isAsked || (status === 308 && !attempt.isAddressed) ? [] : [`${status} was not asked for`];
}

function checkGood(attempt: Attempt, answer: Answer, operation: Operation, known: Known): string[] {
  const { status, headers, body } = answer;
  const contents = operation.responses[status]?.content;
  if (contents === undefined) return [`${status} is not documented for ${operation.id}`];
  if (body.length === 0) return MAY_BE_EMPTY.has(operation.id) || attempt.method === 'HEAD' ? [] : ['an empty answer'];
  const type = headers['content-type']?.split(';', 1)[0] ?? '';
  const media = contents[type];
  if (media === undefined) return [`${type} is not documented for ${operation.id}`];
  if (type !== 'application/json') return [];
  const text = body.toString('utf8');
  const value = parse(text);
  if (value === undefined) return ['the answer is no JSON'];
  // What was done is told in the words of whoever did it.
  const shown = operation.id === 'listAudit' ? JSON.stringify(value, withoutChanges) : text;
  if (attempt.isSnooping && attempt.method === 'GET' && known.isOfOthers.test(shown))
    return [`shows another tenant's: ${text.slice(0, 300)}`];
  return known.document.faults(media.schema, value).map((fault) => `answer: ${fault}`);
}

const withoutChanges = (field: string, value: unknown) => (/^(?:Before|After)$/.test(field) ? undefined : value);

function secretsOf(attempt: Attempt): string[] {
  return attempt.headers
    .filter(([name]) => name === 'Authorization' || name === 'Cookie')
    .map(([, value]) => value.split(/[ =]/).at(-1) ?? '')
    .filter((secret) => secret.length >= 30);
}

function parse(text: string): object | undefined {
  try {
    return Object(JSON.parse(text));
  } catch {
    return undefined;
  }
}
