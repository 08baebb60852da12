import { type LoadResult, median } from '../shared/load.ts';
import type { Sender } from '../shared/receipt.ts';
import { figure, ms, whole } from '../shared/report.ts';
import type { Stage } from '../shared/stage.ts';

/** Of the machine's maximum: at its limit everything slows down everything else, and no installation runs there. */
export const SHARE = 0.2;

export interface Pace {
  readonly rounds: number;
  /** How many receipts the tills have sealed in a second before. */
  readonly perSecond: number;
  readonly secondsAtRate: number;
  readonly secondsAtMaximum: number;
}

export interface Round<Seen> {
  readonly atRate: LoadResult;
  readonly atMaximum: LoadResult;
  readonly rssMb: number;
  readonly seen: Seen;
}

/** Tills at a fifth of the maximum and then at the maximum, and meanwhile what is beside them, of which the first look is kept. */
export async function measureRound<Seen>(
  stage: Stage,
  tills: readonly Sender[],
  { perSecond, secondsAtRate, secondsAtMaximum }: Pace,
  meanwhile: (seconds: number) => Promise<Seen>,
): Promise<Round<Seen>> {
  const [atRate, seen] = await Promise.all([
    stage.sealAtRate(tills, perSecond * SHARE, secondsAtRate),
    meanwhile(secondsAtRate),
  ]);
  const [atMaximum] = await Promise.all([stage.seal(tills, perSecond * secondsAtMaximum), meanwhile(secondsAtMaximum)]);
  return { atRate, atMaximum, seen, rssMb: await stage.service.rssMb() };
}

export type Figures = ReturnType<typeof figuresOf>;

/** Medians of the rounds: one bad second of the machine decides the p99 of its own round only. */
export function figuresOf(rounds: readonly Round<unknown>[]) {
  const of = (read: (round: Round<unknown>) => number) => median(rounds.map(read));
  return {
    p50Ms: of(({ atRate }) => atRate.p50Ms),
    p95Ms: of(({ atRate }) => atRate.p95Ms),
    p99Ms: of(({ atRate }) => atRate.p99Ms),
    perSecond: of(({ atMaximum }) => atMaximum.perSecond),
    /** Of the first round, because the process keeps memory that it has used. */
    rssMb: rounds[0]?.rssMb ?? Number.NaN,
  };
}

export const HEADER = ['', 'p50, p95, p99 at a fifth', 'at the maximum', 'RSS'];

export function row(name: string, { p50Ms, p95Ms, p99Ms, perSecond, rssMb }: Figures): string[] {
  return [name, ms(p50Ms, p95Ms, p99Ms), `${whole(perSecond)}/s`, `${whole(rssMb)} MB`];
}

/** How many times as long it takes. */
export function ratioRow(name: string, beside: Figures, without: Figures): string[] {
  const of = (read: (figures: Figures) => number) => figure(read(beside) / read(without));
  const latencies = [of((one) => one.p50Ms), of((one) => one.p95Ms), of((one) => one.p99Ms)].join(', ');
  return [name, latencies, of((one) => 1 / one.perSecond), ''];
}
