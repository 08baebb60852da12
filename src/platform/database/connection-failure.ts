const PASSING = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ENOENT',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/** What `isConnectionFailure` also takes for one, since it passes as well, and nothing of what was asked was done. */
export function isDiskFull(error: unknown): boolean {
  return hasCode(error, ['53100']);
}

/** Whether the database went away (or is not there yet): a retry can help, and nothing in the request is at fault. */
export function isConnectionFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  // 25006: a server that takes no writes (yet), as a standby before its promotion. 25P03, 25P04: it ended a slow transaction with its connection.
  if (/^(08|57P0|53|25006|25P0[34])/.test(code) || PASSING.has(code)) return true;
  return /connection terminated|timeout exceeded when trying to connect|connection error|not queryable/i.test(
    error.message,
  );
}

/** Whether somebody, or a limit of the server such as statement_timeout, ended the statement: the connection goes on. */
export function isCancelled(error: unknown): boolean {
  return hasCode(error, ['57014', '55P03']);
}

/** Whether a retry can help and nothing in the request is at fault. Besides the above: it lost against another transaction, again and again. */
export function isPassing(error: unknown): boolean {
  return isConnectionFailure(error) || isCancelled(error) || hasCode(error, ['40001', '40P01']);
}

function hasCode(error: unknown, codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
