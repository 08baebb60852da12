import type { Random } from '../world/random.ts';
import { KEPT, type Moment } from './disk.ts';

/** What the service does when the power is cut. */
export const MOMENTS = ['a sale', 'a checkpoint', 'a start', 'a backup'] as const;

export interface PlannedCut {
  readonly during: 'the first start' | (typeof MOMENTS)[number];
  readonly moment: Moment;
  readonly keep: (typeof KEPT)[number];
  readonly seed: number;
}

/** Up to which write or flush, counted from where each begins. */
const LATEST: Readonly<Record<PlannedCut['during'], Record<Moment['at'], number>>> = {
  'the first start': { write: 900, flush: 95 },
  'a sale': { write: 40, flush: 30 },
  'a checkpoint': { write: 60, flush: 30 },
  'a start': { write: 90, flush: 50 },
  'a backup': { write: 14, flush: 10 },
};

/** What is cut is a start: the service must not run when it begins. */
export function isStart({ during }: PlannedCut): boolean {
  return during === 'the first start' || during === 'a start';
}

export function planCut(during: PlannedCut['during'], random: Random): PlannedCut {
  const at = random.pick(['write', 'flush'] as const);
  return {
    during,
    moment: { at, after: random.between(1, LATEST[during][at]) },
    keep: random.pick(KEPT),
    seed: random.between(1, 1_000_000),
  };
}
