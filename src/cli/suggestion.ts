import { closest, distance } from 'fastest-levenshtein';

/** ` Did you mean list?`, or nothing when no candidate is near. */
export function didYouMean(word: string, candidates: readonly string[]): string {
  if (candidates.length === 0 || word === '' || word.length > 60) return '';
  const beginning = candidates.filter((candidate) => word.length >= 3 && candidate.startsWith(word.toLowerCase()));
  const nearest = beginning[0] ?? closest(word.toLowerCase(), candidates);
  const isNear =
    beginning.length > 0 || distance(word.toLowerCase(), nearest) <= Math.max(1, Math.floor(word.length / 3));
  return isNear ? ` Did you mean ${nearest}?` : '';
}
