/** What a script can rely on. `tillseal --help` shows this table. */
export const EXIT = { done: 0, refused: 1, usage: 2, unavailable: 3, authentication: 4 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export const EXIT_MEANINGS: Readonly<Record<ExitCode, string>> = {
  0: 'done',
  1: 'refused by the service (4xx): the message says what to change; or a verification failed',
  2: 'wrong usage: nothing was sent',
  3: 'the service cannot be reached, or failed (5xx): try again later',
  4: 'authentication: the token is missing, not valid, or may not do this',
};

/** Ends the command: one sentence that says what is wrong, then lines that say more, then the exit code. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  readonly exitCode: ExitCode;
  readonly details: readonly string[];
  /** The service's own words as JSON, shown unchanged with --json. */
  readonly problem: string | undefined;

  constructor(exitCode: ExitCode, message: string, details: readonly string[] = [], problem?: string) {
    super(message);
    this.exitCode = exitCode;
    this.details = details;
    this.problem = problem;
  }
}

export function usage(message: string, ...details: string[]): CommandFailure {
  return new CommandFailure(EXIT.usage, message, details);
}

/** Of an error of the system, such as `ENOENT`. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}

/** Of a file that cannot be read, for the person who named it. */
export function unreadable(file: string, error: unknown): CommandFailure {
  const code = codeOf(error);
  const reason = { ENOENT: 'there is no such file', EISDIR: 'it is a folder' }[code] ?? code;
  return usage(`${file} cannot be read: ${reason}.`);
}
