/** Random numbers that a seed repeats (mulberry32), so that a run's plan and load can be repeated. */
export interface Random {
  /** From 0 up to, not including, 1. */
  next(): number;
  /** A whole number from 0 up to, not including, `limit`. */
  below(limit: number): number;
  chance(probability: number): boolean;
  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number;
  pick<T>(from: readonly T[]): T;
  shuffled<T>(from: readonly T[]): T[];
  /** A separate sequence from this seed and a name, so that one user's draws do not change another's. */
  fork(name: string): Random;
}

export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  const between = (least: number, most: number) => least + below(most - least + 1);
  return {
    next,
    below,
    between,
    chance: (probability) => next() < probability,
    pick: <T>(from: readonly T[]) => {
      if (from.length === 0) throw new RangeError('there is nothing to pick from');
      return from[below(from.length)] as T;
    },
    shuffled: <T>(from: readonly T[]) =>
      from
        .map((value) => ({ value, place: next() }))
        .toSorted((a, b) => a.place - b.place)
        .map(({ value }) => value),
    fork: (name) => {
      let forked = seed;
      for (const letter of name) forked = Math.imul(forked ^ (letter.codePointAt(0) ?? 0), 0x01000193);
      return seededRandom(forked);
    },
  };
}

/** Number `stream` of a seed is the same in every run, whatever was drawn for the others. */
export const randomOf = (seed: number, stream: number): Random =>
  seededRandom(Math.imul(seed, 0x9e_37_79_b1) ^ Math.imul(stream + 1, 0x85_eb_ca_6b));
