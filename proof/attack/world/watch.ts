import type { FuzzedService } from './service.ts';

interface Sample {
  readonly atMs: number;
  readonly rssMb: number;
  readonly openFiles: number;
}

export interface Growth {
  /** Along a straight line through the second half of the run. */
  readonly rssMb: number;
  readonly openFiles: number;
  readonly meanRssMb: number;
  readonly mostRssMb: number;
  readonly samples: number;
}

/** Garbage collection moves the line by some megabytes; a leak with every request moves it by much more. */
const MAX_SHARE = 0.1;
const MAX_FILES = 10;
/** The heap takes minutes to reach its size: before that, it rises although nothing is kept. */
const FEWEST_SAMPLES = 800;

/** Watches the process from outside while it is attacked. */
export class Watch {
  readonly #samples: Sample[] = [];
  readonly #timer: NodeJS.Timeout;

  constructor(service: FuzzedService) {
    this.#timer = setInterval(() => void this.#look(service), 500);
  }

  async #look(service: FuzzedService): Promise<void> {
    const [rssMb, openFiles] = await Promise.all([service.rssMb(), service.openFiles()]);
    if (!Number.isNaN(rssMb)) this.#samples.push({ atMs: performance.now(), rssMb, openFiles });
  }

  get latestRssMb(): number {
    return this.#samples.at(-1)?.rssMb ?? Number.NaN;
  }

  stop(): Growth {
    clearInterval(this.#timer);
    const half = this.#samples.slice(Math.floor(this.#samples.length / 2));
    return {
      rssMb: growthOf(half, (sample) => sample.rssMb),
      openFiles: growthOf(half, (sample) => sample.openFiles),
      meanRssMb: mean(half.map((sample) => sample.rssMb)),
      mostRssMb: Math.max(0, ...this.#samples.map((sample) => sample.rssMb)),
      samples: this.#samples.length,
    };
  }
}

export function checkGrowth(growth: Growth): string[] {
  if (growth.samples < FEWEST_SAMPLES) return [];
  const faults: string[] = [];
  if (growth.rssMb > MAX_SHARE * growth.meanRssMb) {
    faults.push(
      `memory grew by ${growth.rssMb.toFixed(0)} MB over the second half, from ${growth.meanRssMb.toFixed(0)} MB on average`,
    );
  }
  if (growth.openFiles > MAX_FILES)
    faults.push(`open files grew by ${growth.openFiles.toFixed(0)} over the second half`);
  return faults;
}

/** How much a least-squares line rises from the first sample to the last. */
function growthOf(samples: readonly Sample[], measure: (sample: Sample) => number): number {
  if (samples.length < 2) return 0;
  const times = samples.map((sample) => sample.atMs);
  const values = samples.map(measure);
  const [meanTime, meanValue] = [mean(times), mean(values)];
  let products = 0;
  let squares = 0;
  for (const [index, time] of times.entries()) {
    products += (time - meanTime) * ((values[index] ?? 0) - meanValue);
    squares += (time - meanTime) ** 2;
  }
  return squares === 0 ? 0 : (products / squares) * ((times.at(-1) ?? 0) - (times[0] ?? 0));
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}
