import type { Then } from '../../contract/shared/problem.ts';
import type { Violation } from '../../kernel/refusal.ts';
import type { Connection } from './connection.ts';
import { CommandFailure, EXIT, type ExitCode } from './failure.ts';
import { NOTHING } from './shown.ts';
import { harmlessValue, widthOf } from './terminal.ts';

export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly header: (name: string) => string | undefined;
}

export type Role = 'taxpayer' | 'operator' | 'anybody';

/** A refusal of the service as a failure of the command: every field with its code and what was expected of it. */
export function problemFailure(answer: Answer, connection: Connection, role: Role): CommandFailure {
  const exitCode = exitCodeOf(answer.status);
  const problem = readProblem(answer);
  if (problem === undefined) return strangeAnswer(answer, connection);
  const { Code: code, Then: then, detail = NOTHING, requestId = NOTHING, type = NOTHING } = problem;
  const errors = (problem.errors ?? []).filter(({ Message }) => Message !== detail);
  const details = [
    ...errorLines(errors),
    ...whatToDo(answer.status, then, answer.header('retry-after')),
    ...(exitCode === EXIT.authentication ? [tokenHint(connection, role)] : []),
    ...(answer.status >= 500 ? [`Request id: ${requestId}`] : []),
    ...(errors.length > 0 ? [`What the codes mean: ${type}`] : []),
  ];
  const message = `${detail} (${[answer.status, code].filter(Boolean).join(' ')})`;
  return new CommandFailure(exitCode, message, details, answer.text);
}

/** Of a conflict, a wrong address and a refused token the words before say it. */
function whatToDo(status: number, then: Then | undefined, retryAfter: string | undefined): string[] {
  if (retryAfter !== undefined) return [`Send the same again in ${retryAfter} s.`];
  if (status === 400 && then === 'SetAside') return ['It would be refused again: change it first.'];
  return then === 'Again' && (status === 400 || status >= 500) ? ['Send the same again later.'] : [];
}

function exitCodeOf(status: number): ExitCode {
  if (status === 401 || status === 403) return EXIT.authentication;
  return status >= 400 && status < 500 ? EXIT.refused : EXIT.unavailable;
}

interface Problem {
  readonly type?: string;
  readonly detail?: string;
  readonly Code?: string;
  readonly Then?: Then;
  readonly requestId?: string;
  readonly errors?: readonly Violation[];
}

function readProblem(answer: Answer): Problem | undefined {
  if (answer.header('content-type')?.startsWith('application/problem+json') !== true) return undefined;
  try {
    return harmlessValue(JSON.parse(answer.text)) as Problem;
  } catch {
    return undefined;
  }
}

function strangeAnswer(answer: Answer, connection: Connection): CommandFailure {
  const target = answer.header('location');
  const redirected = target === undefined ? '' : ` and points to ${target}`;
  return new CommandFailure(
    EXIT.unavailable,
    `${connection.url} answers ${answer.status}${redirected}, not as Tillseal does.`,
    [`The address came from ${connection.source}. Is it the service itself?`],
  );
}

/** `  ReceiptLines[0].HsCode  RCPT048  HsCode must be …`, the columns aligned. */
function errorLines(errors: readonly Violation[]): string[] {
  const fieldWidth = Math.max(0, ...errors.map(({ Field }) => widthOf(Field)));
  const codeWidth = Math.max(0, ...errors.map(({ Code }) => widthOf(Code)));
  return errors.map(
    ({ Field, Code, Message }) => `  ${Field.padEnd(fieldWidth)}  ${Code.padEnd(codeWidth)}  ${Message}`,
  );
}

function tokenHint(connection: Connection, role: Role): string {
  const kind = role === 'operator' ? "an operator's token (scope admin)" : "a taxpayer's token";
  const source = connection.tokenSource ?? connection.source;
  return `This command needs ${kind}; the one sent to ${connection.url} came from ${source}.`;
}
