import type { AuthorityBooks } from './books.ts';

/**
 * One time for the service in this process and the authority in its own. It stands still between moves; the authority hears
 * of a move first, so that nothing it is sent is ever dated in its future.
 */
export class SharedTime {
  readonly #books: AuthorityBooks;
  #now: Date;
  #moved: Promise<void>;

  private constructor(books: AuthorityBooks, now: Date) {
    this.#books = books;
    this.#now = now;
    this.#moved = books.standAt(now);
  }

  static async at(books: AuthorityBooks, now: Date): Promise<SharedTime> {
    const time = new SharedTime(books, now);
    await time.#moved;
    return time;
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
    await this.#books.standAt(next);
    this.#now = next;
  }
}
