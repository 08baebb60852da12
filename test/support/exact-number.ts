/** A number with its spelling: JSON text is written from it digit by digit, since a float would lose some. */
export interface ExactNumber {
  readonly exact: string;
}

export function exact(text: string): ExactNumber {
  return { exact: text };
}

/** JSON text in which every ExactNumber stands as it is spelled. Everything else is written as JSON.stringify does. */
export function toJson(value: unknown): string {
  if (isExactNumber(value)) return value.exact;
  if (Array.isArray(value)) return `[${value.map(toJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${toJson(field)}`).join(',')}}`;
}

function isExactNumber(value: unknown): value is ExactNumber {
  return typeof value === 'object' && value !== null && 'exact' in value;
}
