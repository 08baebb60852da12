export interface QueueLimits {
  /** In all. */
  readonly total: number;
  readonly perHolder: number;
}

/** Who has something waiting takes turns, so what one piles up only makes that one wait. */
export class FairQueue<Item> {
  readonly #limits: QueueLimits;
  /** In the order of their turns. */
  readonly #waiting = new Map<string, Item[]>();
  #size = 0;

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  /** Whether it was taken, or else whose fault it is. */
  push(holder: string, item: Item): 'waits' | 'holder-full' | 'full' {
    if (this.isFullFor(holder)) return 'holder-full';
    if (this.#size >= this.#limits.total) return 'full';
    const own = this.#waiting.get(holder) ?? [];
    own.push(item);
    this.#waiting.set(holder, own);
    this.#size += 1;
    return 'waits';
  }

  /** Whether nothing more of this holder would be taken. */
  isFullFor(holder: string): boolean {
    return (this.#waiting.get(holder)?.length ?? 0) >= this.#limits.perHolder;
  }

  shift(): Item | undefined {
    const [next] = this.#waiting;
    if (next === undefined) return undefined;
    const [holder, items] = next;
    const item = items.shift();
    this.#size -= 1;
    this.#waiting.delete(holder);
    if (items.length > 0) this.#waiting.set(holder, items);
    return item;
  }
}
