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
  return error instanceof Error && 'code' in error && error.code === '53100';
}

/** Whether the database went away (or is not there yet): a retry can help, and nothing in the request is at fault. */
export function isConnectionFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  // 25006: a server that takes no writes (yet), as a standby before its promotion.
  if (/^(08|57P0|53|25006)/.test(code) || PASSING.has(code)) return true;
  return /connection terminated|timeout exceeded when trying to connect|connection error|not queryable/i.test(
    error.message,
  );
}
