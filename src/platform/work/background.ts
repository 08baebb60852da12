import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { getCompileCacheDir } from 'node:module';
import { getPriority, setPriority } from 'node:os';
import { dirname } from 'node:path';
import { parentPort, Worker } from 'node:worker_threads';

export interface BackgroundOptions {
  /** A module that calls `answerJobs`. */
  readonly file: URL;
  readonly longestJobMs: number;
  readonly memoryMb: number;
  /** How long it is kept without work: it holds what its module has loaded. */
  readonly idleMs: number;
}

/** What the module says of a job. */
type Answer<Outcome> = { readonly outcome: Outcome } | { readonly failure: string };

interface Running<Outcome> {
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: Error) => void;
}

/** Where jobs are done: a thread of this process or a process beside it. */
interface Helper<Job> {
  send(job: Job): void;
  /** Whether this process stays for its sake. */
  keepAlive(isNeeded: boolean): void;
  end(): Promise<unknown>;
}

type StartHelper = <Job, Outcome>(
  options: BackgroundOptions,
  onAnswer: (answer: Answer<Outcome>) => void,
  onFailure: (error: Error) => void,
) => Helper<Job>;

/**
 * Does one job at a time behind all that answers. It is started by the first job and ended when there is none: who never uses
 * it pays nothing. A job that hangs or eats its memory takes down its helper, and the next one gets a new one.
 */
class Background<Job, Outcome> {
  readonly #options: BackgroundOptions;
  readonly #start: StartHelper;
  #helper: Helper<Job> | undefined;
  #running: Running<Outcome> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: BackgroundOptions, start: StartHelper) {
    this.#options = options;
    this.#start = start;
  }

  get isBusy(): boolean {
    return this.#running !== undefined;
  }

  run(job: Job): Promise<Outcome> {
    if (this.isBusy) throw new Error('a helper does one job at a time');
    const { longestJobMs } = this.#options;
    return new Promise((resolve, reject) => {
      this.#running = { resolve, reject };
      this.#helper ??= this.#startHelper();
      this.#helper.keepAlive(true);
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => void this.#end(new Error(`not done within ${longestJobMs} ms`)), longestJobMs);
      this.#helper.send(job);
    });
  }

  close(): Promise<void> {
    return this.#end(new Error('the helper was closed'));
  }

  /** One that was given up may still have something to say. */
  #startHelper(): Helper<Job> {
    const helper: Helper<Job> = this.#start<Job, Outcome>(
      this.#options,
      (answer) => this.#helper === helper && this.#settle(answer),
      (error) => this.#helper === helper && void this.#end(error),
    );
    return helper;
  }

  #settle(answer: Answer<Outcome>): void {
    const running = this.#running;
    this.#running = undefined;
    this.#helper?.keepAlive(false);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.close(), this.#options.idleMs).unref();
    if ('outcome' in answer) running?.resolve(answer.outcome);
    else running?.reject(new Error(answer.failure));
  }

  async #end(reason: Error): Promise<void> {
    clearTimeout(this.#timer);
    const [helper, running] = [this.#helper, this.#running];
    this.#helper = undefined;
    this.#running = undefined;
    const ended = helper?.end();
    running?.reject(reason);
    await ended;
  }
}

/** A thread of this process: what it is given never leaves the process. */
export class BackgroundThread<Job, Outcome> extends Background<Job, Outcome> {
  constructor(options: BackgroundOptions) {
    super(options, startThread);
  }
}

/**
 * A process beside this one, for what takes seconds: where processes share the machine by groups, as in containers and sessions, a
 * thread uses up the share of those that answer, whatever its priority. It is given none of our secrets.
 */
export class BackgroundProcess<Job, Outcome> extends Background<Job, Outcome> {
  constructor(options: BackgroundOptions) {
    super(options, startProcess);
  }
}

const startThread: StartHelper = ({ file, memoryMb }, onAnswer, onFailure) => {
  const worker = new Worker(file, { resourceLimits: { maxOldGenerationSizeMb: memoryMb } });
  worker.on('message', onAnswer);
  worker.on('error', (error) => onFailure(error instanceof Error ? error : new Error(String(error))));
  return {
    send: (job) => worker.postMessage(job, []),
    keepAlive: (isNeeded) => (isNeeded ? worker.ref() : worker.unref()),
    end: () => worker.terminate(),
  };
};

const startProcess: StartHelper = ({ file, memoryMb }, onAnswer, onFailure) => {
  const compiled = getCompileCacheDir();
  const child = fork(file, {
    detached: true,
    serialization: 'advanced',
    execArgv: [`--max-old-space-size=${memoryMb}`],
    env: compiled === undefined ? {} : { NODE_COMPILE_CACHE: dirname(compiled) },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  // Only what is idle gives way in the middle of its slice. Without the program, or elsewhere than on Linux, its priority is lower, and no more.
  spawn('chrt', ['--all-tasks', '--idle', '--pid', '0', `${child.pid}`], { stdio: 'ignore' }).on('error', () => {});
  child.on('message', onAnswer);
  child.on('error', onFailure);
  child.on('exit', (code, signal) => onFailure(new Error(`its process ended (${signal ?? code})`)));
  return {
    send: (job) => child.send({ job }),
    keepAlive: (isNeeded) => {
      if (isNeeded) child.ref();
      else child.unref();
      if (isNeeded) child.channel?.ref();
      else child.channel?.unref();
    },
    end: async () => {
      const ended = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined;
      child.kill('SIGKILL');
      await ended;
    },
  };
};

/** About a tenth of what is beside it gets when both want the same core. */
const STEPS_BACK = 10;
const LAST = 19;

/** Called once by the module of a helper: does what comes, one after the other. */
export function answerJobs<Job, Outcome>(work: (job: Job) => Outcome | Promise<Outcome>): void {
  stepBack();
  const answer = (message: Answer<Outcome>) => {
    if (parentPort === null) process.send?.(message);
    else parentPort.postMessage(message, []);
  };
  const take = (job: Job) => {
    const working = async () => work(job);
    working().then(
      (outcome) => answer({ outcome }),
      (error: unknown) => answer({ failure: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
    );
  };
  if (parentPort !== null) parentPort.on('message', take);
  else process.on('message', (message: { job: Job }) => take(message.job)).on('disconnect', () => process.exit());
}

/** Only Linux has a priority for each thread, and a container may forbid to change it; it works without, too. */
function stepBack(): void {
  if (process.platform !== 'linux' && parentPort !== null) return;
  try {
    setPriority(Math.min(LAST, getPriority() + STEPS_BACK));
    // Where sessions share the machine, a priority inside one says nothing to the others.
    if (parentPort === null) writeFileSync('/proc/self/autogroup', `${LAST}`);
  } catch {
    // Then it runs beside the others.
  }
}
