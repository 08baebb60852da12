import { getSession } from '../../contract/console/session.ts';
import { addressOf } from '../../contract/shared/address.ts';
import type { AnswerOf, BodyOf, Method, Operation, ParamsOf, QueryOf } from '../../contract/shared/operation.ts';
import { writeExactJson } from '../../kernel/exact-json.ts';
import { isZone } from '../../kernel/zone.ts';
import { parseExactJson } from '../../platform/json/exact-json.ts';
import { exactValue } from '../../platform/json/exact-value.ts';
import type { Invocation } from './command.ts';
import { type Connection, chooseConnection } from './connection.ts';
import { CommandFailure, EXIT } from './failure.ts';
import type { Answer, Role } from './problem-failure.ts';
import { problemFailure } from './problem-failure.ts';
import { harmlessValue } from './terminal.ts';

/** Signing alone waits up to ten seconds for the authority; this is for a service that does not answer at all. */
const PATIENCE_MS = 60_000;

/** A service that can be asked. Every answer but a good one ends the command. */
export interface Service {
  readonly connection: Connection;
  /** In which times are shown, and days begin. */
  readonly zone: () => Promise<string>;
  /** Calls an operation of the contract. */
  readonly call: <O extends Operation>(operation: O, given: Given<O>) => Promise<Called<O>>;
  /** Prints what would be sent, without the token. */
  readonly show: <O extends Operation>(operation: O, given: Given<O>) => void;
  /** A long answer, piece by piece as it arrives. */
  readonly download: (path: string) => AsyncGenerator<Uint8Array>;
}

type Part<Name extends string, Value> = [Value] extends [undefined]
  ? { readonly [Key in Name]?: undefined }
  : { readonly [Key in Name]: Value };

/** What an operation is given, as its contract has it. A body from a file is sent as it is. */
export type Given<O extends Operation> = Part<'params', ParamsOf<O>> &
  Partial<Part<'query', QueryOf<O>>> & { readonly headers?: Readonly<Record<string, string>> } & Part<
    'body',
    [BodyOf<O>] extends [undefined] ? undefined : BodyOf<O> | Buffer
  >;

export interface Called<O extends Operation> {
  /** Amounts are Decimals, and no text can move the cursor of a terminal. */
  readonly value: AnswerOf<O>;
  /** As it came, for `--json`. */
  readonly text: string;
  readonly header: Answer['header'];
  /** In which its times are shown. */
  readonly zone: string;
}

/** The service of this invocation, with the token of the role the command needs. */
export async function openService(invocation: Invocation, role: Role): Promise<Service> {
  const connection = await chooseConnection(invocation);
  const token = tokenFor(connection, role);
  let known: Promise<string> | undefined;
  const zone = () => (known ??= askZone(connection));
  return {
    connection,
    zone,
    call: async (operation, { params, query, headers, body }) => {
      const sent = body === undefined || Buffer.isBuffer(body) ? body : writeExactJson(body);
      const path = addressOf(operation.path, params, query);
      const answer = await ask(connection, { method: operation.method, path, token, headers, body: sent });
      if (answer.status < 200 || answer.status >= 300) throw problemFailure(answer, connection, role);
      // Scripts get every time as the service has it.
      const shownIn = invocation.isSet('json') ? 'UTC' : await zone();
      return { ...answer, value: readAnswerOf(connection, operation, answer.text), zone: shownIn };
    },
    show: ({ method, path }, { params, query, body }) => {
      invocation.terminal.print(`${method} ${connection.url}${addressOf(path, params, query)}`);
      if (body !== undefined) invocation.terminal.print(Buffer.isBuffer(body) ? String(body) : writeExactJson(body));
    },
    download: async function* (path) {
      const question = { method: 'GET', path, token } as const;
      const response = await fetchAnswer(connection, question, undefined).catch((error: unknown) => {
        throw failureOf(connection, error);
      });
      if (!response.ok) throw problemFailure(await readAnswer(response), connection, role);
      try {
        for await (const chunk of response.body ?? []) yield chunk;
      } catch (error) {
        throw failureOf(connection, error);
      }
    },
  };
}

/** A service that has no console does not know it. */
async function askZone(connection: Connection): Promise<string> {
  const answer = await ask(connection, { method: 'GET', path: getSession.path });
  if (answer.status !== 200) return 'UTC';
  const { TimeZone } = readAnswerOf(connection, getSession, answer.text);
  return TimeZone && isZone(TimeZone) ? TimeZone : 'UTC';
}

function tokenFor(connection: Connection, role: Role): string | undefined {
  if (role === 'anybody') return undefined;
  const token = role === 'operator' ? connection.operatorToken : connection.token;
  if (token !== undefined) return token;
  const option = role === 'operator' ? '--operator-token' : '--token';
  const variable = role === 'operator' ? 'TILLSEAL_OPERATOR_TOKEN' : 'TILLSEAL_TOKEN';
  throw new CommandFailure(
    EXIT.authentication,
    `This needs the token of ${role === 'operator' ? 'an operator' : 'a taxpayer'}, and there is none for ${connection.url} (${connection.source}).`,
    [`Give one with --token or ${variable}, or keep it in a profile: tillseal profile add NAME --url … ${option} …`],
  );
}

export interface Question {
  readonly method: Method;
  readonly path: string;
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | Buffer | undefined;
}

/** Asks, and returns the answer, whatever it is. */
export async function ask(connection: Connection, question: Question): Promise<Answer> {
  try {
    return await readAnswer(await fetchAnswer(connection, question, PATIENCE_MS));
  } catch (error) {
    throw failureOf(connection, error);
  }
}

/** Redirects are not followed: a POST would become a GET on the way. */
function fetchAnswer(
  connection: Connection,
  { method, path, token, headers, body }: Question,
  patienceMs: number | undefined,
): Promise<Response> {
  const authorization = token === undefined ? undefined : `Bearer ${headerText(token)}`;
  return fetch(`${connection.url}${path}`, {
    method,
    headers: {
      ...headers,
      accept: 'application/json',
      ...(authorization === undefined ? {} : { authorization }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    redirect: 'manual',
    ...(patienceMs === undefined ? {} : { signal: AbortSignal.timeout(patienceMs) }),
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : new Uint8Array(body) }),
  });
}

async function readAnswer(response: Response): Promise<Answer> {
  const text = await response.text();
  return {
    status: response.status,
    text,
    header: (name) => response.headers.get(name) ?? undefined,
  };
}

function failureOf(connection: Connection, error: unknown): CommandFailure {
  return error instanceof CommandFailure ? error : unreachable(connection, error);
}

function headerText(token: string): string {
  if (/^[!-~]+$/.test(token)) return token;
  throw new CommandFailure(EXIT.authentication, 'The token contains characters that no token has: copy it again.');
}

/** An answer with the fields of the contract is of its type. */
export function readAnswerOf<O extends Operation>(connection: Connection, operation: O, text: string): AnswerOf<O> {
  const { schema } = operation.answer;
  try {
    const value = Object(harmlessValue(exactValue(schema)(parseExactJson(Buffer.from(text)))));
    const required: readonly string[] = 'required' in schema && Array.isArray(schema.required) ? schema.required : [];
    if (required.every((name) => name in value)) return value;
  } catch {
    // What cannot be read is not ours.
  }
  throw new CommandFailure(EXIT.unavailable, `What answers at ${connection.url} is not Tillseal.`, [
    `It came from ${connection.source}. Is something between here and there, or is it another version?`,
  ]);
}

function unreachable(connection: Connection, error: unknown): CommandFailure {
  const isLate = error instanceof Error && error.name === 'TimeoutError';
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : undefined;
  const reason = isLate ? `no answer within ${PATIENCE_MS / 1000} s` : (code ?? String(cause));
  const advice =
    connection.source === 'the demo'
      ? 'Is the demo running? Start it with npm start, in another terminal, and leave it running.'
      : `The address came from ${connection.source}. Is it right, and is the service running?`;
  return new CommandFailure(EXIT.unavailable, `${connection.url} cannot be reached: ${reason}.`, [advice]);
}
