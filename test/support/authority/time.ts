/** One time for the service and the authority. It stands still between moves, of which the authority hears first. */
export class SharedTime {
  readonly #tell: (now: Date) => Promise<void>;
  #now: Date;
  #moved = Promise.resolve();

  constructor(now: Date, tell: (now: Date) => Promise<void>) {
    this.#now = now;
    this.#tell = tell;
  }

  get now(): Date {
    return this.#now;
  }

  /** One move after the other: several waits may move it at once. */
  async move(to: (now: Date) => Date): Promise<void> {
    this.#moved = this.#moveAfter(this.#moved, to);
    await this.#moved;
  }

  async #moveAfter(before: Promise<void>, to: (now: Date) => Date): Promise<void> {
    await before;
    const next = to(this.#now);
    await this.#tell(next);
    this.#now = next;
  }
}
