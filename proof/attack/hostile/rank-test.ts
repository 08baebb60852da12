/**
 * How often a value of the one sample is above one of the other, of all pairs: 0.5 when nobody can tell them apart (the
 * statistic of Mann and Whitney). A pause of the machine is one value among many here, however long it was.
 */
export function shareAbove(one: readonly number[], other: readonly number[]): number {
  let above = 0;
  for (const a of one) for (const b of other) above += a > b ? 1 : a === b ? 0.5 : 0;
  return above / (one.length * other.length);
}

/** How far from 0.5 that share comes by chance alone for samples of these sizes: one standard deviation. */
export function deviationOfShare(one: number, other: number): number {
  return Math.sqrt((one + other + 1) / (12 * one * other));
}
