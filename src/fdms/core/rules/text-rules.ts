import type { Report } from './report.ts';

/** Lengths count UTF-16 units, as the authority does. */
export function checkLength(field: string, value: string | undefined, maximum: number, report: Report): void {
  if (value !== undefined && value.length > maximum) {
    report(field, 'TooLong', `at most ${maximum} characters, got ${value.length}`);
  }
}

export function checkOneOf(
  field: string,
  value: string,
  allowed: readonly string[],
  report: Report,
  meant: (value: string) => string | undefined = () => undefined,
): void {
  if (allowed.includes(value)) return;
  const guess = meant(value) ?? allowed.find((word) => word.toLowerCase() === value.toLowerCase());
  const hint = guess === undefined ? '' : `; did you mean ${guess}?`;
  report(field, 'NotOneOf', `must be one of ${allowed.join(', ')}${hint}`);
}
