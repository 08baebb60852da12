import type { Bidi } from 'bidi-js';

/**
 * What stands beside what on paper: Unicode's rules (annex 9) for text whose parts run in different directions. The
 * first letter says which direction the whole has.
 */
export function inVisualOrder<Item extends { readonly level: number }>(items: readonly Item[]): Item[] {
  const ordered = [...items];
  const highest = ordered.reduce((most, { level }) => Math.max(most, level), 0);
  for (let level = highest; level > 0; level -= 1) {
    let start = 0;
    while (start < ordered.length) {
      if ((ordered[start]?.level ?? 0) < level) {
        start += 1;
        continue;
      }
      let end = start;
      while (end < ordered.length && (ordered[end]?.level ?? 0) >= level) end += 1;
      ordered.splice(start, end - start, ...ordered.slice(start, end).toReversed());
      start = end;
    }
  }
  return ordered;
}

/** For a font that is drawn from left to right: the characters turned around, and brackets to their other side. */
export function turnedAround(characters: readonly string[], bidi: Bidi): string {
  return characters
    .toReversed()
    .map((character) => bidi.getMirroredCharacter(character) ?? character)
    .join('');
}
