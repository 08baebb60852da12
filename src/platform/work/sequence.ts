/** Lets pieces of work run one after the other, in the order they came; one that fails does not hold up the next. */
export class Sequence {
  #last: Promise<unknown> = Promise.resolve();

  run<Result>(work: () => Promise<Result>): Promise<Result> {
    const mine = this.#last.then(work);
    this.#last = mine.catch(() => {});
    return mine;
  }
}
