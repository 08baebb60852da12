/**
 * Arrays as PostgreSQL reads them, for statements that write many rows at once. pg writes them too, but looks for quotes in
 * every number.
 */

/** Numbers, identifiers and times: text in which nothing ever needs a quote. */
export function plainArray(values: readonly (string | number | null)[]): string {
  return `{${values.map((value) => value ?? 'NULL').join(',')}}`;
}

export function bytesArray(values: readonly (Buffer | null)[]): string {
  return plainArray(values.map((value) => (value === null ? null : `\\\\x${value.toString('hex')}`)));
}

/**
 * JSON documents in one text, to be taken apart by `string_to_array($n, e'\x01', '')`. JSON never contains a bare control
 * character, and is never empty, so nothing has to be quoted and an empty part can stand for null.
 */
export function joinedJson(values: readonly (string | null)[]): string {
  return values.map((value) => value ?? '').join('\u0001');
}
