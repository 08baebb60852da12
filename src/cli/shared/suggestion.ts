import { closest, distance } from '../../kernel/distance.ts';

/** ` Did you mean list?`, or nothing when no candidate is near. */
export function didYouMean(word: string, candidates: readonly string[]): string {
  if (candidates.length === 0 || word === '' || word.length > 60) return '';
  const beginning = candidates.filter((candidate) => word.length >= 3 && candidate.startsWith(word.toLowerCase()));
  const nearest = beginning[0] ?? closest(word.toLowerCase(), candidates);
  // Two letters swapped count as two mistakes, also in a short word; in a shorter one they would leave nothing of it.
  const mistakes = Math.max(word.length < 4 ? 1 : 2, Math.floor(word.length / 3));
  const isNear = beginning.length > 0 || distance(word.toLowerCase(), nearest) <= mistakes;
  return isNear ? ` Did you mean ${nearest}?` : '';
}
