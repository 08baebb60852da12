/** How many letters have to be added, left out or changed to make the one word of the other (Levenshtein). */
export function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let index = 1; index <= one.length; index += 1) {
    const next = [index];
    for (let at = 1; at <= other.length; at += 1) {
      const changed = (row[at - 1] ?? 0) + (one[index - 1] === other[at - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** The first of those that are nearest; empty when there are none. */
export function closest(word: string, words: readonly string[]): string {
  let best = { word: '', distance: Number.POSITIVE_INFINITY };
  for (const one of words) {
    const apart = distance(word, one);
    if (apart < best.distance) best = { word: one, distance: apart };
  }
  return best.word;
}
