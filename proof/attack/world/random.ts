/** Repeatable random numbers: request n of a seed is the same in every run, whatever was drawn for the others. */
export interface Random {
  /** From 0 up to, not including, `below`. */
  readonly below: (below: number) => number;
  readonly chance: (probability: number) => boolean;
  readonly pick: <Item>(items: readonly Item[]) => Item;
}

/** SplitMix32: small, and neighbouring streams are independent. */
export function randomOf(seed: number, stream: number): Random {
  let state = (Math.imul(seed, 0x9e_37_79_b1) ^ Math.imul(stream + 1, 0x85_eb_ca_6b)) >>> 0;
  const next = () => {
    state = (state + 0x9e_37_79_b9) >>> 0;
    let mixed = state ^ (state >>> 16);
    mixed = Math.imul(mixed, 0x21_f0_aa_ad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x73_5a_2d_97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    below,
    chance: (probability) => next() < probability,
    pick: <Item>(items: readonly Item[]): Item => {
      const item = items[below(items.length)];
      if (item === undefined && items.length === 0) throw new Error('there is nothing to pick from');
      return item as Item;
    },
  };
}
