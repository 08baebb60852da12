/** Whether the database went away (or is not there yet): a retry can help, and nothing in the request is at fault. */
export function isConnectionFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  if (/^(08|57P0|53)/.test(code)) return true;
  if (['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ENOENT', 'ETIMEDOUT', 'ENOTFOUND'].includes(code)) return true;
  return /connection terminated|timeout exceeded when trying to connect|connection error|not queryable/i.test(
    error.message,
  );
}
