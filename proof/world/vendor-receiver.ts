import { Receiver, type Reply } from './receiver.ts';

/** How the next requests fail: answered 500, never answered, or cut off. */
export type Failure = 'error' | 'silence' | 'cut';

/** A vendor's webhook. */
export class VendorReceiver extends Receiver {
  #failure: { readonly kind: Failure; left: number } | undefined;
  /** How many requests have failed so far. */
  failed = 0;

  fail(kind: Failure, count: number): void {
    this.#failure = { kind, left: count };
  }

  override heal(): void {
    this.#failure = undefined;
    super.heal();
  }

  protected override replyTo(): Reply {
    const failure = this.#failure;
    if (failure === undefined || failure.left === 0) return 200;
    failure.left -= 1;
    this.failed += 1;
    return failure.kind === 'error' ? 500 : failure.kind;
  }
}
