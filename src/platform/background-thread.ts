import { getPriority, setPriority } from 'node:os';
import { parentPort, Worker } from 'node:worker_threads';

export interface ThreadOptions {
  /** A module that calls `answerJobs`. */
  readonly file: URL;
  readonly longestJobMs: number;
  readonly memoryMb: number;
  /** How long the thread is kept without work: it holds what its module has loaded. */
  readonly idleMs: number;
}

/** What the thread says of a job. */
type Answer<Outcome> = { readonly outcome: Outcome } | { readonly failure: string };

interface Running<Outcome> {
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Does one job at a time in a thread that runs behind those that answer. It is started by the first job and ended when there
 * is none: who never uses it pays nothing. A job that hangs or eats its memory takes down its thread, and the next one gets
 * a new thread.
 */
export class BackgroundThread<Job, Outcome> {
  readonly #options: ThreadOptions;
  #worker: Worker | undefined;
  #running: Running<Outcome> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ThreadOptions) {
    this.#options = options;
  }

  get isBusy(): boolean {
    return this.#running !== undefined;
  }

  run(job: Job): Promise<Outcome> {
    if (this.isBusy) throw new Error('a background thread does one job at a time');
    const { longestJobMs } = this.#options;
    return new Promise((resolve, reject) => {
      this.#running = { resolve, reject };
      this.#worker ??= this.#start();
      this.#worker.ref();
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => void this.#end(new Error(`not done within ${longestJobMs} ms`)), longestJobMs);
      this.#worker.postMessage(job, []);
    });
  }

  close(): Promise<void> {
    return this.#end(new Error('the thread was closed'));
  }

  #start(): Worker {
    const { file, memoryMb } = this.#options;
    const worker = new Worker(file, { resourceLimits: { maxOldGenerationSizeMb: memoryMb } });
    // One that was given up may still have something to say.
    worker.on('message', (answer: Answer<Outcome>) => {
      if (this.#worker === worker) this.#settle(answer);
    });
    worker.on('error', (error) => {
      if (this.#worker === worker) void this.#end(error instanceof Error ? error : new Error(String(error)));
    });
    return worker;
  }

  #settle(answer: Answer<Outcome>): void {
    const running = this.#running;
    this.#running = undefined;
    this.#worker?.unref();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.close(), this.#options.idleMs).unref();
    if ('outcome' in answer) running?.resolve(answer.outcome);
    else running?.reject(new Error(answer.failure));
  }

  async #end(reason: Error): Promise<void> {
    clearTimeout(this.#timer);
    const [worker, running] = [this.#worker, this.#running];
    this.#worker = undefined;
    this.#running = undefined;
    const ended = worker?.terminate();
    running?.reject(reason);
    await ended;
  }
}

/** About a tenth of what a thread beside it gets when both want the same core. */
const STEPS_BACK = 10;
const LAST = 19;

/** Called once by the module of a thread: does what comes, one after the other. */
export function answerJobs<Job, Outcome>(work: (job: Job) => Outcome | Promise<Outcome>): void {
  stepBack();
  const answer = (message: Answer<Outcome>) => parentPort?.postMessage(message, []);
  parentPort?.on('message', (job: Job) => {
    const working = async () => work(job);
    working().then(
      (outcome) => answer({ outcome }),
      (error: unknown) => answer({ failure: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
    );
  });
}

/** Only Linux has a priority for each thread, and a container may forbid to change it; it works without, too. */
function stepBack(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(Math.min(LAST, getPriority() + STEPS_BACK));
  } catch {
    // Then it runs beside the others.
  }
}
