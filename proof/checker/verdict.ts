/** The result of one question. `figures` says how much was looked at, so that an empty check is noticed. */
export interface Verdict {
  readonly name: string;
  readonly figures: string;
  readonly problems: readonly string[];
}

export function groupBy<T>(items: Iterable<T>, keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

/** The problems of numbers that should be 1, 2, 3, … each once, up to `last`. */
export function numberingProblems(what: string, numbers: readonly number[], last: number): string[] {
  const problems: string[] = [];
  const sorted = numbers.toSorted((a, b) => a - b);
  let expected = 1;
  for (const number of sorted) {
    if (number === expected) expected += 1;
    else if (number < expected) problems.push(`duplicate: ${what} has number ${number} more than once`);
    else {
      problems.push(`gap: ${what} lacks ${expected === number - 1 ? expected : `${expected} to ${number - 1}`}`);
      expected = number + 1;
    }
  }
  if (expected - 1 !== last) problems.push(`gap: ${what} ends at ${expected - 1}, and its counter says ${last}`);
  return problems;
}
