import type { OperationAt } from '../../../src/contract/index.ts';
import { addressOf } from '../../../src/contract/shared/address.ts';
import type { BodyOf, ParamsOf, QueryOf, Wire } from '../../../src/contract/shared/operation.ts';
import type { Address, AnswerAt } from './answers.ts';

/** One thing that is wrong with one field. */
export interface FieldError {
  readonly Field: string;
  readonly Code: string;
  readonly Message: string;
}

/** The service's refusal. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly status: number;
  readonly title: string;
  readonly code: string;
  readonly errors: readonly FieldError[];
  readonly requestId: string | undefined;

  constructor(status: number, body: Partial<Record<string, unknown>>) {
    super(typeof body['detail'] === 'string' ? body['detail'] : 'The service gave no reason.');
    this.status = status;
    this.title = typeof body['title'] === 'string' ? body['title'] : `Error ${status}`;
    this.code = typeof body['Code'] === 'string' ? body['Code'] : '';
    this.errors = Array.isArray(body['errors']) ? (body['errors'] as FieldError[]) : [];
    this.requestId = typeof body['requestId'] === 'string' ? body['requestId'] : undefined;
  }

  errorAt(field: string): string | undefined {
    return this.errors.find((error) => error.Field === field)?.Message;
  }
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

interface SendOptions {
  readonly method?: Method;
  /** Unchanged if it is text: what was typed must arrive digit by digit. */
  readonly body?: object | string | undefined;
  readonly token?: string;
  readonly signal?: AbortSignal;
}

export interface Answer<Value> {
  readonly value: Value;
  readonly text: string;
  readonly headers: Headers;
}

async function send<Value>(path: string, options: SendOptions = {}): Promise<Answer<Value>> {
  const { method = 'GET', body, token, signal } = options;
  const headers: Record<string, string> = { accept: 'application/json' };
  // No form and no other site can send this: see the operators' API.
  if (method !== 'GET') headers['x-tillseal-console'] = '1';
  if (body !== undefined) headers['content-type'] = 'application/json';
  if (token !== undefined) headers['authorization'] = `Bearer ${token}`;
  const response = await fetch(path, {
    method,
    headers,
    credentials: token === undefined ? 'same-origin' : 'omit',
    ...(signal === undefined ? {} : { signal }),
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  }).catch(() => {
    throw new Problem(0, {
      title: 'No connection',
      detail: 'The service cannot be reached. Check the network and try again.',
    });
  });
  const text = await response.text();
  if (!response.ok) {
    const problem = new Problem(response.status, safeParse(text));
    if (response.status === 401 && token === undefined) window.dispatchEvent(new Event('tillseal:signed-out'));
    throw problem;
  }
  return { value: parseExact(text) as Value, text, headers: response.headers };
}

function safeParse(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

/** An amount with more digits than a JavaScript number holds stays text, and is shown as it came. */
function parseExact(text: string): unknown {
  if (text === '') return undefined;
  const reviver = (_key: string, value: unknown, context?: { readonly source?: string }) => {
    if (typeof value !== 'number' || context?.source === undefined) return value;
    return context.source.length > 15 ? context.source : value;
  };
  return JSON.parse(text, reviver);
}

/** What was left empty in a form is not asked for. */
export function filledIn(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== ''));
}

type Part<Name extends string, Value> = undefined extends Value
  ? { readonly [Key in Name]?: undefined }
  : { readonly [Key in Name]: Value };
type Optional<Name extends string, Value> = [Value] extends [undefined]
  ? { readonly [Key in Name]?: undefined }
  : { readonly [Key in Name]?: Value };

/** What is sent to an operation. */
export type BodyAt<At extends Address> = Wire<BodyOf<OperationAt[At]>>;

/** What an operation is given: its parameters, query and body, as its contract has them. */
export type Given<At extends Address> = Part<'params', ParamsOf<OperationAt[At]>> &
  Optional<'query', QueryOf<OperationAt[At]>> &
  Part<'body', BodyAt<At> extends undefined ? undefined : BodyAt<At> | string> &
  Pick<SendOptions, 'token' | 'signal'>;

/** Calls an operation of the contract by its address. */
export async function call<At extends Address>(address: At, given: Given<At>): Promise<AnswerAt<At>> {
  return (await callFully(address, given)).value;
}

/** The same, with the answer's text and headers. */
export function callFully<At extends Address>(address: At, given: Given<At>): Promise<Answer<AnswerAt<At>>> {
  const [method, template] = address.split(' ') as [Method, string];
  const { params, query, ...options } = given as SendOptions & { readonly params?: object; readonly query?: object };
  return send(addressOf(template, params, filledIn(query ?? {})), { ...options, method });
}
