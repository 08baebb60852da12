import type { OnlineConnector, PayAnswer, PaymentAtBiller } from '../../../src/billpay/connectors/port.ts';

/**
 * An online biller with books of its own: it remembers by our reference what it took, so the same payment asked for twice is
 * credited once. Tests make it lose payments, keep its answers back or refuse.
 */
export class BookBiller implements OnlineConnector {
  readonly settlesHere = false;
  /** Credited payments by reference. */
  readonly books = new Map<string, PaymentAtBiller>();
  /** How often each was asked for. */
  readonly asked = new Map<string, number>();
  inquiries = 0;
  /** What becomes of the next request to pay. */
  next: 'take' | 'lose' | 'hold' | 'fail' = 'take';
  takesBack = true;
  readonly #held: (() => void)[] = [];

  readonly authorise: OnlineConnector['authorise'] = async () => ({ kind: 'accepted' });

  readonly pay: OnlineConnector['pay'] = async (payment) => {
    this.asked.set(payment.billPayReference, (this.asked.get(payment.billPayReference) ?? 0) + 1);
    const { next } = this;
    this.next = 'take';
    if (next === 'lose') throw new Error('the connection was cut before the biller got it');
    this.books.set(payment.billPayReference, payment);
    if (next === 'fail') throw new Error('the connection was cut before the biller answered');
    if (next === 'hold') await new Promise<void>((resolve) => this.#held.push(resolve));
    return { kind: 'paid' };
  };

  readonly inquire: OnlineConnector['inquire'] = async ({ billPayReference }) => {
    this.inquiries += 1;
    const isTaken = this.books.has(billPayReference);
    return isTaken ? ({ kind: 'paid' } satisfies PayAnswer) : { kind: 'unknown' };
  };

  readonly reverse: OnlineConnector['reverse'] = async ({ billPayReference }) => {
    if (!this.takesBack) return { kind: 'refused', reason: 'It was passed on already.' };
    this.books.delete(billPayReference);
    return { kind: 'reversed' };
  };

  /** Lets the answers go that were kept back. */
  release(): void {
    for (const resolve of this.#held.splice(0)) resolve();
  }
}
