import { FileLock } from './lock.ts';

/** So often the holder shows that it lives. */
const REFRESH_MS = 10_000;

/** The drain lock, which several sales of one process may use at once: the last one releases it. */
export class DrainLock {
  readonly #lock: FileLock;
  #users = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(file: string) {
    this.#lock = new FileLock(file, 'drain');
  }

  isMine(): boolean {
    return this.#lock.isMine();
  }

  /** Runs something while this process is the one that sends, or returns undefined without waiting if another one is. */
  async tryUse<Result>(task: () => Promise<Result>): Promise<Result | undefined> {
    if (!(this.#users > 0 ? this.#lock.isMine() : this.#lock.tryTake())) return undefined;
    this.#users += 1;
    this.#timer ??= setInterval(() => this.#lock.refresh(), REFRESH_MS).unref();
    try {
      return await task();
    } finally {
      this.#users -= 1;
      if (this.#users === 0) this.#release();
    }
  }

  #release(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#lock.release();
  }
}
