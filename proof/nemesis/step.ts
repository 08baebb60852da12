import type { Driver } from '../driver/driver.ts';
import type { Ledger } from '../driver/ledger.ts';
import type { Random } from '../world/random.ts';
import type { Post, World } from '../world/world.ts';

export interface Stage {
  readonly world: World;
  readonly driver: Driver;
  readonly ledger: Ledger;
  readonly random: Random;
  /** Short runs make each fault for as short a time as possible. */
  readonly isShort: boolean;
  /** Lends an instance that no other step is using, for as long as the work takes. */
  withPost<T>(work: (post: Post) => Promise<T>): Promise<T>;
}

/** A fault: it is made and mended again, and resolves with the proof that it really happened. Without proof it throws. */
export interface Step<On = Stage> {
  readonly name: string;
  /** Left out of short runs, where every second counts. */
  readonly isForLongRuns?: boolean;
  run(stage: On): Promise<string>;
}

export interface StepRecord {
  readonly name: string;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly outcome: 'proved' | 'unproved' | 'impossible';
  readonly proof: string;
}

/** The machine does not permit it. The report says so. */
export class Impossible extends Error {
  override readonly name = 'Impossible';
}

export function countOf(text: string, words: string): number {
  return text.split(words).length - 1;
}
